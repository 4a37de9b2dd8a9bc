"""The picture of one token's gradient × input, turn by turn."""

from collections.abc import Sequence

from plotly.graph_objects import Figure

from core.figures.shared.palette import Note, annotate
from core.figures.shared.picture import Picture
from core.figures.shared.rows import (
    Turn,
    cards,
    check,
    head,
    signed_bars,
    signed_frame,
    signed_limits,
    signed_value,
    titled,
    turn_columns,
    turn_label,
    turn_name,
)
from core.figures.shared.wording import cut, escape, listed, percent, plain, signed
from core.words import later, say

PREFIX = later("The summary's own tokens before it")


def turn_gradients(
    turns: Sequence[Turn], values: Sequence[float], prefix: float | None, token: str, what: str
) -> Picture:
    """Gradient × input of one token's log-probability, summed over each turn, and over the summary before the token.

    Args:
        turns: label, speaker and text of every turn; the speaker may be empty.
        values: signed sum of each turn, in nats to first order.
        prefix: the sum of the summary's own tokens before it; None: there are none.
        token: text of the token that was written.
        what: of which scalar and which inputs.

    Returns:
        The picture; the points' customdata is the row of a turn, -1 for the summary.

    Raises:
        ValueError: there are no turns, or not one value for each.
    """
    check(turns, values=values)
    labels = [turn_label(turn) for turn in turns] + [say(PREFIX)] * (prefix is not None)
    shown = [*values] + ([] if prefix is None else [prefix])
    codes = [*range(len(turns)), -1][: len(shown)]
    limits = signed_limits(shown)
    sizes = [say("{effect}\u00a0nats", effect=signed(value)) for value in shown]
    hover = [f"{escape(label)}<br>{size}" for label, size in zip(labels, sizes, strict=True)]
    figure = Figure()
    cards(figure, codes, hover, None, limits)
    signs = (say("for “{token}” (+)", token=escape(cut(plain(token), 20))), say("against it (−)"))
    signed_bars(figure, shown, codes, hover, signs, (0.2, 0.38))
    signed_frame(figure, len(shown), titled(say("Gradient × input, summed (nats), one scale"), what), limits)
    notes: list[Note] = []
    for row, (label, value) in enumerate(zip(labels, shown, strict=True)):
        notes += head(row, label), signed_value(value, row + 0.2, "")
    annotate(figure, notes)
    table = turn_columns([*turns, ("", "", say(PREFIX))][: len(shown)])
    table |= {later("Gradient × input (nats)"): [*shown]}
    return Picture("turn-gradients", figure, _gradients_caption(turns, values, prefix, token), table)


def _gradients_caption(turns: Sequence[Turn], values: Sequence[float], prefix: float | None, token: str) -> str:
    rows = range(len(turns))
    high, low = max(rows, key=lambda row: values[row]), min(rows, key=lambda row: values[row])
    said = []
    if values[high] > 0:
        most = signed(values[high])
        said.append(say("{turn} supports it most ({effect})", turn=turn_name(turns[high]), effect=most))
    if values[low] < 0:
        most = signed(values[low])
        said.append(say("{turn} opposes it most ({effect})", turn=turn_name(turns[low]), effect=most))
    places = {"token": plain(token), "result": listed(said) or say("no turn counts")}
    if prefix is None:
        return say(
            "For “{token}”, {result}; it is the first token, so the summary's own prefix has no part.",
            **places,
        )
    size = sum(map(abs, values)) + abs(prefix)
    return say(
        "For “{token}”, {result}; the summary's own prefix has {effect}, {share} of the sum of all sizes.",
        effect=signed(prefix),
        share=percent(abs(prefix) / size) if size else percent(0),
        **places,
    )
