"""Pictures of a model's size and cost, from its configuration alone.

B batch, S source, T target, D d_model, H heads, K width of a head, F inner width of the feed-forward network.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from plotly.graph_objects import Figure

from core.config import ModelConfig
from core.explain.architecture import cost, parameters
from core.explain.architecture.parameters import Kind
from core.figures.shared.marks import line
from core.figures.shared.palette import AMOUNT, ATTENTION, GREY, SERIES, Note, annotate, base, note
from core.figures.shared.picture import Picture
from core.figures.shared.rows import frame, head, row_bars
from core.figures.shared.wording import BLANK, count, escape, listed, percent
from core.words import later, say

COLORS: Mapping[Kind, str] = {
    "embeddings": SERIES[0],
    "attention": ATTENTION,
    "feed-forward": SERIES[2],
    "norms": GREY,
    "output": SERIES[3],
}
KINDS: Mapping[Kind, str] = {
    "embeddings": later("embeddings"),
    "attention": later("attention"),
    "feed-forward": later("feed-forward"),
    "norms": later("norms"),
    "output": later("output"),
}
"""In English, and translated when shown."""
LENGTHS = tuple(2**power for power in range(15))
"""Source lengths of the curves: 1 to 16,384 tokens."""
SHARES_ROW = 60
"""Pixels of a model's row: on a phone the legend takes some of them."""
CURVES = {
    "scores": (later("encoder: scores and weighted sums, S²"), ATTENTION, "solid"),
    "feed-forward": (later("encoder: feed-forward"), SERIES[2], "solid"),
    "projections": (later("encoder: query, key, value, output"), SERIES[1], "dash"),
    "decoder": (later("decoder, all of it"), AMOUNT, "dot"),
    "output": (later("output"), SERIES[3], "dashdot"),
}
MEMORY = {
    "encoder_self": (later("encoder self-attention, S²"), ATTENTION, "solid"),
    "cross": (later("cross-attention, T·S"), SERIES[0], "dash"),
    "decoder_self": (later("decoder self-attention, T²"), GREY, "dot"),
}

POINT = {"length": "%{x:,}", "number": "%{y:,.4~s}"}
"""Places of plotly in what a curve says of a point."""


def parameter_bars(name: str, config: ModelConfig, few: bool = False) -> Picture:
    """Trained numbers of every part of a model.

    Args:
        name: of the model.
        config: its shape.
        few: whether the parts of an attention are one row.
    """
    rows, whole = (parameters.gathered if few else parameters.rows)(config), parameters.total(config)
    figure = Figure()
    for kind, color in COLORS.items():
        places = [place for place, row in enumerate(rows) if row.kind == kind]
        if places:
            sizes = [rows[place].total for place in places]
            hover = [f"{rows[place].name}<br>{_amount(rows[place].total, whole)}" for place in places]
            figure.add_trace(row_bars(say(KINDS[kind]), color, sizes, places, hover))
    frame(figure, len(rows), f"{say('Parameters')}\n{name}", (0, max(row.total for row in rows)))
    figure.update_yaxes(title={"text": say("Part, in the order of the pass")})
    figure.update_xaxes(tickformat="~s")
    labels = [f"{row.name}{f' × {row.layers}' if row.layers > 1 else ''}" for row in rows]
    totals = [_right(place, _amount(row.total, whole)) for place, row in enumerate(rows)]
    annotate(figure, [*(head(place, label) for place, label in enumerate(labels)), *totals])
    table: dict[str, list[object]] = {
        later("Part"): [row.name for row in rows],
        later("Kind"): [say(KINDS[row.kind]) for row in rows],
        later("Layers"): [row.layers for row in rows],
        later("Formula of one"): [row.formula for row in rows],
        later("Parameters"): [row.total for row in rows],
        later("Share"): [row.total / whole for row in rows],
    }
    return Picture("parameters", figure, _bars_caption(name, config), table)


def _amount(amount: int, whole: int) -> str:
    return f"{amount:,} · {percent(amount / whole)}"


def _right(row: int, markup: str) -> Note:
    """A row's number at the right end of its label's line."""
    return note(f"<b>{escape(markup)}</b>", 1, row - 0.22, xref="x domain", xanchor="right")


def _bars_caption(name: str, config: ModelConfig) -> str:
    kinds, whole = parameters.by_kind(config), parameters.total(config)
    most = max(kinds, key=lambda kind: kinds[kind])
    shared = [
        words
        for is_shared, words in (
            (config.share_embeddings, say("source and target share one table")),
            (config.share_output, say("the output layer is the transposed target table")),
        )
        if is_shared
    ]
    if shared:
        end = say("{tables}: what is shared counts once", tables=listed(shared))
    else:
        end = say("no table is shared")
    return say(
        "“{name}” has {parameters}; {share} are {kind}, the largest part; {shared}.",
        name=name,
        parameters=count(whole, "parameter"),
        share=percent(kinds[most] / whole),
        kind=say(KINDS[most]),
        shared=end,
    )


def parameter_shares(models: Mapping[str, ModelConfig]) -> Picture:
    """How several models divide their trained numbers among the kinds of parts.

    Args:
        models: configurations by name, the one that the sentence is about first.

    Raises:
        ValueError: there is no model.
    """
    if not models:
        raise ValueError("models must hold at least one model. Received: none")
    names = list(models)
    kinds = {name: parameters.by_kind(config) for name, config in models.items()}
    totals = {name: sum(kinds[name].values()) for name in names}
    figure = Figure()
    for kind, color in COLORS.items():
        label, shares = say(KINDS[kind]), [100 * (kinds[name][kind] / totals[name]) for name in names]
        hover = [f"{escape(name)}, {label}<br>{_amount(kinds[name][kind], totals[name])}" for name in names]
        figure.add_trace(row_bars(label, color, shares, range(len(names)), hover, width=0.42))
    frame(figure, len(names), say("Share of the parameters (%)"), height=SHARES_ROW)
    figure.update_layout(barmode="stack")
    figure.update_yaxes(title={"text": say("Model")})
    places = list(enumerate(names))
    notes = [*(head(*pair) for pair in places), *(_right(place, f"{totals[name]:,}") for place, name in places)]
    annotate(figure, notes)
    table: dict[str, list[object]] = {later("Kind"): [*(say(KINDS[kind]) for kind in COLORS), say("all")]}
    for name in names:
        table[name] = [*(kinds[name][kind] for kind in COLORS), totals[name]]
        table[say("{name}, share", name=name)] = [*(kinds[name][kind] / totals[name] for kind in COLORS), 1.0]
    return Picture("parameter-shares", figure, _shares_caption(kinds, totals), table)


def _shares_caption(kinds: Mapping[str, Mapping[Kind, int]], totals: Mapping[str, int]) -> str:
    first, *others = totals
    more = [f"“{name}” {_millions(totals[name])} ({_times(totals[name] / totals[first])})" for name in others]
    shares = [
        say("{share} of “{name}”", share=percent(kinds[name]["embeddings"] / totals[name]), name=name)
        for name in totals
    ]
    printed = [
        say("{number} for “{name}”", number=_millions(parameters.PRINTED[name]), name=name)
        for name in totals
        if name in parameters.PRINTED
    ]
    size = {"name": first, "number": _millions(totals[first]), "others": listed(more)}
    clauses = [
        say("“{name}” has {number} parameters; beside it, with the ratio: {others}", **size)
        if others
        else say("“{name}” has {number} parameters", **size),
        say("embeddings are {shares}", shares=listed(shares)),
        *([say("the paper prints {numbers}", numbers=listed(printed))] if printed else []),
    ]
    return "; ".join(clauses) + "."


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.3g} ×"


def _millions(amount: int) -> str:
    if amount < 1e5:
        return f"{amount:,}"
    number = f"{amount / 1e6:,.3g}" if amount < 1e8 else f"{amount / 1e6:,.0f}"
    return say("{number} million", number=number).replace(" ", BLANK)


def work_curves(name: str, config: ModelConfig, batch: int, target: int) -> Picture:
    """Multiply–adds of one forward pass as the source grows.

    Args:
        name: of the model.
        config: its shape.
        batch: B.
        target: T.
    """
    groups = {length: _groups(config, batch, length, target) for length in LENGTHS}
    columns = {group: [groups[length][group] for length in LENGTHS] for group in CURVES}
    crossing = cost.crossover(config)
    figure = Figure()
    names = {group: say(label) for group, (label, _, _) in CURVES.items()}
    if config.copy:
        names["output"] = say("output and copying")
    hover = say("{length} source tokens: {number} multiply–adds", **POINT)
    for group, (_, color, dash) in CURVES.items():
        _curve(figure, columns[group], names[group], (color, dash), hover)
    ends = (min(map(min, columns.values())), max(map(max, columns.values())))
    longest = config.max_source_length
    _upright(figure, longest, ends, say("longest source: {length:,}", length=longest), "dot")
    if LENGTHS[0] <= crossing <= LENGTHS[-1]:
        _upright(figure, crossing, ends, say("S² part = feed-forward: {length:,.0f}", length=crossing), "solid")
    _log_frame(figure, f"{say('Multiply–adds')}\nB = {batch}, T = {target}", "~s")
    table: dict[str, list[object]] = {later("Source length"): [*LENGTHS]}
    table |= {names[group]: [*values] for group, values in columns.items()}
    table[say("all")] = [sum(groups[length].values()) for length in LENGTHS]
    return Picture("multiply-adds", figure, _work_caption(name, config), table)


def _groups(config: ModelConfig, batch: int, source: int, target: int) -> dict[str, int]:
    parts = sorted(cost.work(config, batch, source, target), key=lambda part: part.group)
    return {
        group: sum(part.count for part in members) for group, members in groupby(parts, key=lambda part: part.group)
    }


def _work_caption(name: str, config: ModelConfig) -> str:
    crossing, longest = cost.crossover(config), config.max_source_length
    groups = _groups(config, 1, longest, 1)
    ratio = groups["scores"] / groups["feed-forward"]
    values = {
        "name": name,
        "tokens": count(round(crossing), "source token"),
        "formula": "3·D·F ÷ 2·H·K" if config.gated else "D·F ÷ H·K",
        "longest": f"{longest:,}",
        "ratio": f"{ratio:.3g}",
    }
    if crossing < 1:
        return say(
            "In the encoder of “{name}” the S² part of attention passes the feed-forward network before the first "
            "token (S = {formula}); at {longest}, the longest source it reads, it takes {ratio} × the feed-forward "
            "network's multiply–adds.",
            **values,
        )
    return say(
        "In the encoder of “{name}” the S² part of attention passes the feed-forward network at {tokens} "
        "(S = {formula}); at {longest}, the longest source it reads, it takes {ratio} × the feed-forward network's "
        "multiply–adds.",
        **values,
    )


def memory_curves(name: str, config: ModelConfig, batch: int, target: int) -> Picture:
    """Memory of all attention weights of one pass as the source grows.

    Args:
        name: of the model.
        config: its shape.
        batch: B.
        target: T.
    """
    sizes = [cost.attention_bytes(config, batch, length, target) for length in LENGTHS]
    figure = Figure()
    hover = say("{length} source tokens: {number} MB", **POINT)
    for kind, (label, color, dash) in MEMORY.items():
        _curve(figure, [size[kind] / 1e6 for size in sizes], say(label), (color, dash), hover)
    smallest, largest = min(min(size.values()) for size in sizes), max(max(size.values()) for size in sizes)
    longest = config.max_source_length
    _upright(figure, longest, (smallest / 1e6, largest / 1e6), say("longest source: {length:,}", length=longest), "dot")
    _log_frame(figure, f"{say('Attention weights (MB)')}\nB = {batch}, T = {target}, float32", ",~r")
    table: dict[str, list[object]] = {later("Source length"): [*LENGTHS]}
    table |= {f"{say(MEMORY[kind][0])} (MB)": [size[kind] / 1e6 for size in sizes] for kind in MEMORY}
    table[say("all (MB)")] = [sum(size.values()) / 1e6 for size in sizes]
    at = [sum(cost.attention_bytes(config, batch, length, target).values()) / 1e6 for length in (longest, 2 * longest)]
    caption = say(
        "All attention weights of “{name}” take {memory} at {length:,} source tokens and {more} at {double:,}, "
        "{ratio:.2g} × as much.",
        name=name,
        memory=_megabytes(at[0]),
        length=longest,
        more=_megabytes(at[1]),
        double=2 * longest,
        ratio=at[1] / at[0],
    )
    return Picture("attention-memory", figure, caption, table)


def _megabytes(amount: float) -> str:
    return f"{amount:,.0f}{BLANK}MB" if amount >= 100 else f"{amount:.3g}{BLANK}MB"


def _curve(figure: Figure, values: Sequence[float], label: str, stroke: tuple[str, str], point: str) -> None:
    """A curve over `LENGTHS` with its colour and dash; `point` says one of its points, with plotly's own places."""
    style = {"color": stroke[0], "width": 3, "dash": stroke[1]}
    hover, marker = f"{label}<br>{point}", {"size": 6}
    figure.add_trace(line(label, style, LENGTHS, values, hover, marker=marker, mode="lines+markers"))


def _upright(figure: Figure, place: float, ends: tuple[float, float], label: str, dash: str) -> None:
    """A vertical line with an entry in the legend."""
    style = {"color": GREY, "width": 2, "dash": dash}
    figure.add_trace(line(label, style, [place, place], list(ends), hoverinfo="name"))


def _log_frame(figure: Figure, y: str, ticks: str) -> None:
    base(figure, say("Source length S (tokens)"), y, 460)
    figure.update_xaxes(type="log", tickvals=[1, 16, 256, 4096], tickformat=",", tickangle=0)
    figure.update_yaxes(type="log", tickformat=ticks, nticks=8)


def work_caption(config: ModelConfig, batch: int, source: int, target: int) -> str:
    """Return one sentence about a pass: its multiply–adds, the part with most of them, the memory of attention."""
    parts = cost.work(config, batch, source, target)
    whole = sum(part.count for part in parts)
    most = max(parts, key=lambda part: part.count)
    memory = sum(cost.attention_bytes(config, batch, source, target).values()) / 1e6
    return say(
        "B = {batch}, S = {source:,}, T = {target}: {number:,} multiply–adds, most of them in “{part}” ({share}); "
        "the attention weights take {memory:,.2f} MB.",
        batch=batch,
        source=source,
        target=target,
        number=whole,
        part=most.name,
        share=percent(most.count / whole),
        memory=memory,
    )
