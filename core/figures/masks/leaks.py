"""Pictures of a mask that is missing: what leaks from later positions, what padding does, what the loss becomes.

T tokens of the summary.
"""

from collections.abc import Mapping, Sequence

from plotly.graph_objects import Figure

from core.figures.shared.marks import bars, line
from core.figures.shared.palette import AMOUNT, FONT, GREY, SERIES, band, base, faded
from core.figures.shared.picture import Picture
from core.figures.shared.rows import LEAST, UPRIGHT, ZERO, row_ticks, token_axes, token_bars
from core.figures.shared.wording import BLANK, count, escape, nats, number, percent, quoted, signed, token_text
from core.trace import Array, Token
from core.words import later, say

KEPT, REMOVED = later("with the mask"), later("without it")
CURVES: Mapping[str, tuple[str, str, str]] = {
    "none": (later("both padding masks"), AMOUNT, "solid"),
    "encoder": (later("none in the encoder"), SERIES[1], "dot"),
    "cross": (later("none in the cross-attention"), SERIES[2], "dash"),
    "both": (later("none at all"), SERIES[0], "solid"),
}
"""By what is taken away: legend (marked with `later`), colour, dash."""
COLORS = (AMOUNT, SERIES[0])


def leak(
    tokens: Sequence[Token],
    place: int,
    other: str,
    probability: tuple[Array, Array],
    change: tuple[Array, Array],
) -> Picture:
    """How far each position's distribution moves when a later token of the target changes.

    Args:
        tokens: the T tokens.
        place: of the changed token, from 0: the positions up to it predict before the decoder reads it.
        other: text of the token that stands there instead.
        probability: [T] largest change of a probability, with the look-ahead mask and without it.
        change: [T] change of the log-probability of the token itself in nats, with the mask and without it.

    Raises:
        ValueError: the numbers are not one a token, or no position is earlier.
    """
    if not 0 <= place < len(tokens) or any(len(each) != len(tokens) for each in (*probability, *change)):
        raise ValueError(
            f"there must be one number a token, and the place of one. Received: {[len(each) for each in probability]}, "
            f"{[len(each) for each in change]}, place {place} of {len(tokens)}"
        )
    figure = Figure()
    for name, color, values, moved in zip((say(KEPT), say(REMOVED)), COLORS, probability, change, strict=True):
        hover = [
            f"{number_ + 1} · {escape(quoted(token))}, {name}<br>{_when(number_, place)}<br>"
            + say(
                "largest change of a probability {share}, its own token {change} nats",
                share=percent(float(values[number_])),
                change=signed(float(moved[number_])),
            )
            for number_, token in enumerate(tokens)
        ]
        figure.add_trace(bars(name, color, **token_bars([100 * float(value) for value in values]), hover=hover))
    title = "\n".join([say("Largest change of a probability"), say("(percentage points)")])
    across = say("Position, by the token that it must predict")
    token_axes(figure, [token_text(token) for token in tokens], across, title)
    axis = "x" if len(tokens) <= UPRIGHT else "y"
    band(figure, (place + 1.5, len(tokens) + 0.6), escape(say("may know of the change")), faded(GREY, 0.2), axis)
    figure.update_layout(barmode="group")
    table: dict[str, list[object]] = {
        later("Position"): list(range(1, len(tokens) + 1)),
        later("Token"): [token_text(token) for token in tokens],
        later("When asked"): [_when(number_, place) for number_ in range(len(tokens))],
        later("Largest change of a probability, with the mask"): [float(value) for value in probability[0]],
        later("Largest change of a probability, without it"): [float(value) for value in probability[1]],
        later("Own token, with the mask (nats)"): [float(value) for value in change[0]],
        later("Own token, without it (nats)"): [float(value) for value in change[1]],
    }
    return Picture("look-ahead-leak", figure, _leak_caption(tokens, place, other, probability, change), table)


def _when(position: int, place: int) -> str:
    return say("before the changed token is read") if position <= place else say("after the changed token is read")


def _leak_caption(
    tokens: Sequence[Token],
    place: int,
    other: str,
    probability: tuple[Array, Array],
    change: tuple[Array, Array],
) -> str:
    earlier = place + 1
    kept, removed = (float(numbers[:earlier].max()) for numbers in probability)
    worst = int(probability[1][:earlier].argmax())
    moved = float(abs(change[1][:earlier]).max())
    values = {
        "other": other.strip(),
        "token": quoted(tokens[place]),
        "place": place + 1,
        "kept": f"{kept:.1e}",
        "points": percent(removed).replace("%", say("points")),  # a difference of two percentages
        "worst": worst + 1,
        "worst_token": quoted(tokens[worst]),
        "nats": nats(moved),
    }
    if kept == 0:
        return say(
            "With “{other}” in place of {token}, number {place}, nothing before the changed token moves under the "
            "look-ahead mask; without it a probability moves by up to {points} (position {worst}, {worst_token}) and "
            "the log-probability of a token by up to {nats}.",
            **values,
        )
    return say(
        "With “{other}” in place of {token}, number {place}, a probability before the changed token moves by up to "
        "{kept} under the look-ahead mask; without it one moves by up to {points} (position {worst}, {worst_token}) "
        "and the log-probability of a token by up to {nats}.",
        **values,
    )


def loss_bars(names: Sequence[str], kept: Sequence[float], removed: Sequence[float]) -> Picture:
    """The teacher-forced loss of some texts with and without the look-ahead mask.

    Args:
        names: of the texts, at least one.
        kept: mean loss with the mask, in nats a token.
        removed: without it.

    Raises:
        ValueError: there are no texts, or not two numbers for each.
    """
    if not names or not len(names) == len(kept) == len(removed):
        raise ValueError(f"there must be two losses a text. Received: {len(kept)} and {len(removed)} for {len(names)}")
    figure = Figure()
    for legend, color, values in zip((say(KEPT), say(REMOVED)), COLORS, (kept, removed), strict=True):
        hover = [f"{escape(name)}, {legend}<br>{nats(value)}" for name, value in zip(names, values, strict=True)]
        beside = {"text": [f"<b>{number(value)}</b>" for value in values], "textposition": "outside"}
        lengths, places = [*map(float, values)], list(range(len(names)))
        figure.add_trace(bars(legend, color, lengths, places, hover, orientation="h", cliponaxis=False, **beside))
    base(figure, say("Loss under teacher forcing (nats a token)"), "", 74 * len(names) + 120)
    figure.update_layout(barmode="group")
    figure.update_xaxes(range=[0, 1.15 * max(*kept, *removed)])
    figure.update_yaxes(**row_ticks([escape(name).replace(" ", "<br>") for name in names]))
    changes = [late - early for early, late in zip(kept, removed, strict=True)]
    table: dict[str, list[object]] = {
        later("Text"): [*names],
        later("With the mask (nats a token)"): [*kept],
        later("Without it (nats a token)"): [*removed],
        later("Change"): [*changes],
    }
    return Picture("loss-without-mask", figure, _loss_caption(names[0], kept[0], removed[0], changes), table)


def _loss_caption(name: str, kept: float, removed: float, changes: Sequence[float]) -> str:
    values = {"name": name, "kept": number(kept), "removed": number(removed)}
    rises = sum(round(change, 2) > 0 for change in changes)
    falls = sum(round(change, 2) < 0 for change in changes)
    if rises == len(changes):
        return say(
            "{name}: {kept} nats a token with the mask, {removed} without it; the loss rises: this model never learnt "
            "to use the future, so seeing it only disturbs.",
            **values,
        )
    if falls == len(changes):
        return say(
            "{name}: {kept} nats a token with the mask, {removed} without it; the loss falls: seeing what comes next "
            "helps even a model that never learnt to use it.",
            **values,
        )
    return say(
        "{name}: {kept} nats a token with the mask, {removed} without it; of {texts} the loss rises for {rises} and "
        "falls for {falls}.",
        **values,
        texts=count(len(changes), "text"),
        rises=rises,
        falls=falls,
    )


def padding_curves(amounts: Sequence[int], curves: Mapping[str, Sequence[float]], chosen: int, tokens: int) -> Picture:
    """How the log-probability of a summary follows the number of pad tokens behind the source.

    Args:
        amounts: of pad tokens, the first is 0.
        curves: for each key of `CURVES` the change of the log-probability against no pad token and both masks, in nats.
        chosen: the amount that is marked.
        tokens: T.

    Raises:
        ValueError: a curve is missing or has not one value an amount.
    """
    if set(curves) != set(CURVES) or any(len(curve) != len(amounts) for curve in curves.values()) or not amounts:
        raise ValueError(
            f"there must be {', '.join(CURVES)} with one value an amount. "
            f"Received: {', '.join(f'{name} {len(curve)}' for name, curve in curves.items())} for {len(amounts)}"
        )
    figure = Figure()
    for name, (legend, color, dash) in CURVES.items():
        meaning, style = say(legend), {"color": color, "width": 3, "dash": dash}
        hover = [
            f"{count(amount, 'pad token')}, {meaning}<br>{signed(value, 6)}{BLANK}{say('nats')}"
            for amount, value in zip(amounts, curves[name], strict=True)
        ]
        figure.add_trace(line(meaning, style, [*amounts], [*curves[name]], hover, {"size": 8}))
    title = "\n".join([say("Change of log-probability"), say("of the summary (nats)")])
    base(figure, say("Pad tokens behind the dialogue"), title, 400)
    figure.update_xaxes(tickvals=[*amounts], tickfont={"size": FONT - 2}, tickangle=0)
    every = [value for curve in curves.values() for value in curve]
    figure.update_yaxes(**ZERO, range=[1.08 * min(-LEAST, *every), 1.08 * max(LEAST, *every)])
    figure.add_vline(
        x=chosen, line={"color": GREY, "dash": "dot", "width": 2}, showlegend=True, name=say("chosen amount")
    )
    table: dict[str, list[object]] = {later("Pad tokens"): [*amounts]}
    table |= {say("{curve} (nats)", curve=say(legend)): [*curves[name]] for name, (legend, _, _) in CURVES.items()}
    return Picture("padding", figure, _padding_caption(amounts, curves, tokens), table)


def _padding_caption(amounts: Sequence[int], curves: Mapping[str, Sequence[float]], tokens: int) -> str:
    noise = max(abs(value) for value in curves["none"])
    rounding = f"{noise:.0e}".replace("-", "−")
    values = {
        "pads": count(amounts[-1], "pad token"),
        "change": say("at most {noise} nats, the rounding of float32", noise=rounding)
        if noise
        else say("exactly nothing"),
    }
    if len(amounts) == 1:
        return say("With both masks up to {pads} change {change}; there is no room for more.", **values)
    last = {name: float(curves[name][-1]) for name in ("encoder", "cross", "both")}
    values |= {
        "nats": nats(abs(last["both"])),
        "each": number(last["both"] / tokens),
        "encoder": signed(last["encoder"]),
        "cross": signed(last["cross"]),
    }
    if last["both"] > 0:
        return say(
            "With both masks up to {pads} change {change}; without any the summary gains {nats} ({each} a token), "
            "{encoder} without the encoder's alone and {cross} without the cross-attention's alone.",
            **values,
        )
    return say(
        "With both masks up to {pads} change {change}; without any the summary loses {nats} ({each} a token), "
        "{encoder} without the encoder's alone and {cross} without the cross-attention's alone.",
        **values,
    )
