"""Pictures of attention: a matrix of groups, sinks by head, a map of heads, and one head beside its mean."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.explain.attention.head_scores import HeadScores
from core.explain.attention.sinks import CATEGORIES, Category
from core.explain.attribution.methods import MAPS
from core.figures.shared.files import MatrixTable
from core.figures.shared.marks import bars, heat, line, points, side_bar, top_bar
from core.figures.shared.palette import AMOUNT, ATTENTION, CHOSEN, FONT, GREY, RULE, SERIES, base, ramp, token_ticks
from core.figures.shared.picture import Picture
from core.figures.shared.wording import capital, count, cut, escape, head_name, number, percent, plain, small
from core.words import later, say

LABEL, TICK = 34, 22
FEW = 8
"""Heads of a layer whose values are written in full."""
CATEGORY_NAMES: Mapping[Category, str] = {
    "start": later("start"),
    "end": later("end"),
    "turn": later("ends of turns"),
    "speaker": later("speaker tags"),
    "punctuation": later("punctuation"),
    "word": later("words"),
}
_CATEGORY_COLORS = {
    "start": SERIES[3],
    "end": SERIES[0],
    "turn": GREY,
    "speaker": SERIES[1],
    "punctuation": SERIES[2],
    "word": AMOUNT,
}


def matrix(
    weights: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
    what: str,
    shows: str = "weights",
) -> Picture:
    """Attention between groups of tokens, on a fixed scale from 0 to 1.

    Args:
        weights: [R, C]; a row sums to at most 1.
        rows: labels of the R queries.
        columns: labels of the C keys.
        axes: titles of the rows' and the columns' axis.
        what: whose weights: "cross-attention, layer 3, head 2".
        shows: what the cells are, one of `MAPS`.

    Raises:
        ValueError: labels and weights do not fit, or there are none.
    """
    if not rows or not columns or weights.shape != (len(rows), len(columns)):
        raise ValueError(
            f"weights must be one a cell. Received: {list(weights.shape)}, {len(rows)} and {len(columns)} labels"
        )
    across = [cut(plain(text), LABEL) for text in columns]
    down, arrow = [plain(text) for text in rows], "→" if shows == "weights" else "←"
    hover = [
        [
            f"{escape(row)} {arrow} {escape(column)}<br>{percent(float(weights[i, j]))}"
            for j, column in enumerate(across)
        ]
        for i, row in enumerate(down)
    ]
    places = (list(range(1, len(rows) + 1)), list(range(1, len(columns) + 1)))
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    scale = side_bar(say("share of the row, fixed scale"), **ticks)
    figure = Figure(heat(weights, places, (0, 1), ramp(ATTENTION), hover, 1, colorbar=scale))
    base(figure, axes[1], axes[0], max(300, 24 * len(rows) + 150))
    figure.update_xaxes(
        **token_ticks([cut(text, TICK) for text in across])
        | {"tickangle": -90 if max(map(len, across)) > 3 else 0, "range": None}
    )
    figure.update_yaxes(
        tickmode="array",
        showgrid=False,
        tickvals=places[0],
        ticktext=[escape(cut(text, TICK)) for text in down],
        autorange="reversed",
    )
    caption = matrix_caption(weights, down, across, what, shows)
    name = "attention" if shows == "weights" else shows
    return Picture(f"{name}-matrix", figure, caption, matrix_table(weights, down, columns, shows))


def matrix_table(
    weights: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    shows: str = "weights",
    heads: Sequence[int] = (),
) -> MatrixTable:
    """Return a row for each weight of a matrix [R, C], or of the matrices [H, R, C] of heads with these numbers."""
    axes = {later("Query"): [*map(plain, rows)]}, {later("Key"): [*map(plain, columns)]}
    name = later("Weight") if shows == "weights" else later("Share")
    return MatrixTable(({later("Head"): heads}, *axes) if heads else axes, {name: weights})


def matrix_caption(
    weights: NDArray[np.float32], rows: Sequence[str], columns: Sequence[str], what: str, shows: str = "weights"
) -> str:
    """One sentence about a matrix [R, C]: the key that gets most over all rows, and the strongest cell."""
    row, column = np.unravel_index(int(np.argmax(weights)), weights.shape)
    mean = weights.mean(axis=0)
    best = int(np.argmax(mean))
    return say(
        MAPS[shows].caption,
        what=capital(what),
        best=columns[best],
        share=percent(float(mean[best])),
        query=rows[int(row)],
        key=columns[int(column)],
        weight=percent(float(weights[row, column])),
    )


def sinks(
    shares: Sequence[Mapping[Category, float]],
    names: Sequence[str],
    current: int | None,
    first: int = 0,
    shows: str = "weights",
) -> Picture:
    """Which kinds of tokens take the attention of each head.

    Args:
        shares: of each head, the mean share of every category.
        names: of the heads: "Layer 1, head 2".
        current: the place of the head that the page looks at.
        first: place of the first of these heads.
        shows: what is shared out, one of `MAPS`.

    Returns:
        The picture; the bars' customdata is the place of the head.

    Raises:
        ValueError: there are no heads, or not one name for each.
    """
    if not shares or len(shares) != len(names):
        raise ValueError(f"names must be one a head. Received: {len(names)} for {len(shares)} heads")
    figure = Figure()
    shown = {name: say(CATEGORY_NAMES[name]) for name in CATEGORIES if any(head[name] > 0 for head in shares)}
    places = list(range(len(names)))
    more = {"orientation": "h", "customdata": [first + place for place in places]}
    for category, title in shown.items():
        parts = [head[category] for head in shares]
        hover = [f"{escape(name)}<br>{title}: {percent(part)}" for name, part in zip(names, parts, strict=True)]
        lengths = [100 * part for part in parts]
        figure.add_trace(bars(title, _CATEGORY_COLORS[category], lengths, places, hover, **more))
    looks = shows == "weights"
    base(figure, say("Share of the attention (%)") if looks else say("Share (%)"), "", 26 * len(names) + 130)
    figure.update_layout(barmode="stack", bargap=0.22)
    figure.update_xaxes(range=[0, 100])
    labels = [f"<b>{escape(name)}</b>" if place == current else escape(name) for place, name in enumerate(names, first)]
    figure.update_yaxes(tickvals=places, ticktext=labels, autorange="reversed", showgrid=False)
    table: dict[str, list[Any]] = {later("Head"): list(names)}
    table |= {capital(title): [head[category] for head in shares] for category, title in shown.items()}
    return Picture("sinks", figure, _sinks_caption(shares, names, looks), table)


def _sinks_caption(shares: Sequence[Mapping[Category, float]], names: Sequence[str], looks: bool) -> str:
    other = [sum(share for category, share in head.items() if category != "word") for head in shares]
    most, mean = int(np.argmax(other)), float(np.mean(other))
    message = later(
        "On average {share} comes from special tokens, speaker tags and punctuation; most in {head}, {most}."
    )
    if looks:
        message = later(
            "On average {share} of the attention falls on special tokens, speaker tags and punctuation; "
            "most in {head}, {most}."
        )
    return say(message, share=percent(mean), head=small(names[most]), most=percent(other[most]))


def head_map(
    values: NDArray[np.float32],
    measure: str,
    tags: Sequence[Sequence[str]],
    n: int,
    layer: int,
    head: int,
    darkest: float = 1.0,
) -> Picture:
    """One statistic of every head, layers down, heads across.

    Args:
        values: [L, H]; NaN where a head has no such value.
        measure: what it is, with its unit or range, marked with `later`.
        tags: [L][H] what the catalogue says of each head.
        n: dialogues that were averaged.
        layer: of the head that the page looks at, 0-based.
        head: the head, 0-based.
        darkest: value of the darkest colour, unless a head has more.

    Returns:
        The picture; the points' customdata is layer · H + head.

    Raises:
        ValueError: there are no heads.
    """
    if values.size == 0:
        raise ValueError("values must hold at least one head. Received: none")
    (layers, heads), measure_text = values.shape, say(measure)
    cells = [(i, j) for i in range(layers) for j in range(heads)]
    across, down = list(range(1, heads + 1)), list(range(1, layers + 1))
    known = values[~np.isnan(values)]
    limits = (0, max(darkest, float(known.max(initial=0))))
    bar = top_bar(measure_text, {end: number(end) for end in (0.0, limits[1] / 2, limits[1])})
    figure = Figure(heat(values, (down, across), limits, ramp(ATTENTION), None, 3, colorbar=bar))
    squares = points(
        None,
        [j + 1 for _, j in cells],
        [i + 1 for i, _ in cells],
        [f"{capital(head_name(i, j))}: {escape(tags[i][j])}" for i, j in cells],
        {"size": 30, "symbol": "square", "opacity": 0},
        mode="markers+text",
        text=[_short(float(values[place]), heads) for place in cells],
        textfont={"size": FONT - 2},
        customdata=[i * heads + j for i, j in cells],
    )
    figure.add_trace(squares)
    around = {"x0": head + 0.5, "x1": head + 1.5, "y0": layer + 0.5, "y1": layer + 1.5}
    figure.add_shape(type="rect", **around, line={"color": CHOSEN, "width": 3})
    base(figure, say("Head"), say("Layer"), 56 * layers + 150)
    figure.update_layout(showlegend=False, margin={"t": 60})
    figure.update_xaxes(tickvals=across, range=[0.5, heads + 0.5], showgrid=False)
    figure.update_yaxes(tickvals=down, range=[layers + 0.5, 0.5], showgrid=False)
    numbers = [None if np.isnan(value) else value for value in values.ravel().tolist()]
    table = MatrixTable(
        ({later("Layer"): down}, {later("Head"): across}),
        {later("Resembles"): [tags[i][j] for i, j in cells], measure: numbers},
    )
    return Picture("head-map", figure, _head_map_caption(values, measure_text, tags, n), table)


def _head_map_caption(values: NDArray[np.float32], measure: str, tags: Sequence[Sequence[str]], n: int) -> str:
    known = [(float(values[place]), *place) for place in np.ndindex(*values.shape) if not np.isnan(values[place])]
    if not known:
        return say("No head has a value for {measure}.", measure=measure)
    low, high = min(known), max(known)
    return say(
        "Over {dialogues}, {measure} is highest in {head} ({value}, {tag}) and lowest in {other_head} "
        "({other_value}, {other_tag}).",
        dialogues=count(n, "dialogue"),
        measure=measure,
        head=head_name(high[1], high[2]),
        value=number(high[0]),
        tag=tags[high[1]][high[2]],
        other_head=head_name(low[1], low[2]),
        other_value=number(low[0]),
        other_tag=tags[low[1]][low[2]],
    )


def _short(value: float, heads: int) -> str:
    """Return a value that fits its cell: "0.16", or ".16" where a layer has many heads; "–" for none."""
    if np.isnan(value):
        return "–"
    if heads <= FEW:
        return number(value)
    return number(value).replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3g}"


SHARES: Mapping[str, str] = {
    "previous": later("token before"),
    "following": later("token after"),
    "itself": later("itself"),
    "same": later("same token elsewhere"),
    "copies": later("copies of the token before"),
    "sink": later("special tokens and punctuation"),
    "speakers": later("speaker tags"),
    "turn": later("own turn"),
    "entropy": later("entropy, normalised"),
    "gini": later("Gini (sparsity)"),
}


def usual(here: HeadScores, usually: HeadScores | None, n: int) -> Picture:
    """Draw what one head does in this run, beside its mean over a corpus.

    Args:
        here: its scores in this run.
        usually: its scores over a corpus, None if they were never measured.
        n: dialogues of the corpus.

    Returns:
        The picture, all values from 0 to 1.
    """
    fields = [name for name in SHARES if getattr(here, name) is not None]
    names = [say(SHARES[field]) for field in fields]
    places = list(range(len(fields)))
    now = [float(getattr(here, name)) for name in fields]
    then = [None if usually is None else getattr(usually, name) for name in fields]
    figure = Figure()
    for place, (one, other) in enumerate(zip(now, then, strict=True)):
        if other is not None:
            figure.add_trace(line(None, {"color": RULE, "width": 3}, [one, other], [place] * 2, showlegend=False))
    for values, name, color, symbol in (
        (then, say("mean of {dialogues}", dialogues=count(n, "dialogue")), GREY, "diamond"),
        (now, say("this dialogue"), CHOSEN, "circle"),
    ):
        if any(value is not None for value in values):
            texts = ["–" if value is None else number(value) for value in values]
            hover = [f"{measure}: {text} ({name})" for measure, text in zip(names, texts, strict=True)]
            figure.add_trace(points(name, values, places, hover, {"size": 14, "color": color, "symbol": symbol}))
    base(figure, say("Share of the attention, or index (0 to 1)"), "", 34 * len(fields) + 130)
    figure.update_xaxes(range=[min(-0.03, *now) if now else 0, 1.03])
    figure.update_yaxes(tickvals=places, ticktext=names, autorange="reversed")
    table: dict[str, Sequence[Any]] = {later("Measure"): names, later("This dialogue"): now}
    if usually is not None:
        table[say("Mean of {dialogues}", dialogues=count(n, "dialogue"))] = then
    return Picture("head-profile", figure, _usual_caption(here, usually, n, fields), table)


def _usual_caption(here: HeadScores, usually: HeadScores | None, n: int, fields: Sequence[str]) -> str:
    now = {"effective": number(here.effective), "confidence": percent(here.confidence)}
    if usually is None:
        return say(
            "Here a row of this head spreads over {effective} tokens in effect and its strongest token holds "
            "{confidence} on average; what it does elsewhere was not measured.",
            **now,
        )
    gaps = {name: abs(getattr(here, name) - (getattr(usually, name) or 0.0)) for name in fields}
    name = max(gaps, key=lambda field: gaps[field])
    return say(
        "Here a row of this head spreads over {effective} tokens in effect and its strongest token holds {confidence} "
        "on average, over {dialogues} {usually_effective} and {usually_confidence}; it differs most in “{measure}”: "
        "{here} here, {there} there.",
        **now,
        dialogues=count(n, "dialogue"),
        usually_effective=number(usually.effective),
        usually_confidence=percent(usually.confidence),
        measure=say(SHARES[name]),
        here=number(getattr(here, name)),
        there=number(getattr(usually, name) or 0.0),
    )
