"""Charts on a phone: one row a turn with its label above the bar, and tokens side by side or one under another."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from plotly.graph_objects import Bar, Figure

from core.figures.shared.marks import Hover, bars
from core.figures.shared.palette import CHOSEN, FAINT, FONT, GREY, OPPOSES, SUPPORTS, Note, base, note, token_ticks
from core.figures.shared.wording import count, cut, escape, signed
from core.words import later, say

ROW = 38
"""Pixels of a row: a line of text and the bar under it."""
LABEL = 46
"""Characters of a row's label: more do not fit a phone."""
FRAME = 125
"""Pixels for legend, axis and title."""
UPRIGHT = 30
"""Tokens that stand side by side; more lie one under another."""
ROOM = 0.24
"""Share of a signed axis that stays free beyond its longest bar, for the number there."""
LEAST = 0.05
"""Nats that a signed axis shows at least: noise of the arithmetic shall not look like an effect."""
ZERO = {"zeroline": True, "zerolinecolor": GREY, "zerolinewidth": 1}
"""The line through 0 of an axis with signed values."""
Turn = tuple[str, str, str]
"""Label (its number), speaker, text."""


def turn_label(turn: Turn) -> str:
    """A turn above its bar: 3 · Ben: I did."""
    label, speaker, text = turn
    return cut(f"{label} · {speaker}: {text}" if speaker else f"{label} · {text}", LABEL)


def turn_name(turn: Turn) -> str:
    """A turn in a sentence: turn 3 (Ben)."""
    label, speaker, _ = turn
    if speaker:
        return say("turn {number} ({speaker})", number=label, speaker=speaker)
    return say("turn {number}", number=label)


def turn_columns(turns: Sequence[Turn]) -> dict[str, list[object]]:
    """The first columns of a table with a line a turn; their headings are marked with `later`."""
    headings = (later("Turn"), later("Speaker"), later("Text"))
    return {name: [turn[place] for turn in turns] for place, name in enumerate(headings)}


def titled(title: str, what: str) -> str:
    """The title of an axis with what it is about below, on lines that fit a phone."""
    return "\n".join([title, *wrap(what, LABEL)])


def cards(
    figure: Figure,
    codes: Sequence[int],
    hover: Sequence[str],
    opened: int | None,
    limits: tuple[float, float] = (0, 100),
) -> None:
    """A faint card for each row, as long as the scale: a click anywhere in a row meets its turn.

    Args:
        figure: gets the cards; add them before the bars.
        codes: customdata of each row.
        hover: of each row, escaped.
        opened: code of the row that is outlined.
        limits: ends of the x axis.
    """
    for is_open in (False, True):
        rows = [row for row, code in enumerate(codes) if (code == opened) == is_open]
        if rows:
            lengths, edge = [limits[1] - limits[0]] * len(rows), {"color": CHOSEN, "width": 3 if is_open else 0}
            texts, of_rows = [hover[row] for row in rows], [codes[row] for row in rows]
            more = {"base": limits[0], "customdata": of_rows, "marker": {"line": edge}, "legendrank": 1002}
            name = say("opened turn")
            figure.add_trace(row_bars(name, FAINT, lengths, rows, texts, 0, 0.92, showlegend=is_open, **more))


def row_bars(
    name: str | None,
    color: str,
    lengths: Sequence[float],
    rows: Sequence[int],
    hover: Hover,
    below: float = 0.2,
    width: float = 0.38,
    **more: Any,
) -> Bar:
    """Bars of some rows: `below` their middle and `width` high, both in rows; the others are arguments of `bars`."""
    return bars(name, color, lengths, [row + below for row in rows], hover, orientation="h", width=width, **more)


def row_ticks(labels: Sequence[str], first: int = 0) -> dict[str, object]:
    """The upright axis of rows `first`, … from the top, each with its label, escaped."""
    places, ends = list(range(first, first + len(labels))), [first + len(labels) - 0.5, first - 0.5]
    return {"tickvals": places, "ticktext": list(labels), "range": ends, "showgrid": False}


def frame(figure: Figure, rows: int, x: str, limits: tuple[float, float] = (0, 100), height: int = ROW) -> None:
    """The frame of a chart of rows, from the top; their labels stand above the bars, beside them there is no room.

    Args:
        figure: with its traces; row 0, 1, … is their y.
        rows: how many there are.
        x: title of the x axis.
        limits: ends of the x axis.
        height: of a row, in pixels.
    """
    base(figure, x, "", height * rows + FRAME)
    figure.update_layout(barmode="overlay", legend_itemsizing="constant")
    figure.update_xaxes(range=limits, fixedrange=True)
    figure.update_yaxes(
        range=[rows - 0.5, -0.5],
        fixedrange=True,
        showgrid=False,
        showticklabels=False,
        title={"text": say("Turn, in order")},
    )


def head(row: int, label: str, above: float = 0.22) -> Note:
    """A row's label at the left, so many rows above the row's middle."""
    return note(escape(label), 0, row - above, xref="x domain", xanchor="left", xshift=5)


def write(x: float, y: float, markup: str, left: bool = False) -> Note:
    """Words beside a point, at its right or at its left."""
    return note(markup, x, y, xanchor="right" if left else "left", xshift=-5 if left else 5)


def check(turns: Sequence[Turn], **columns: Sequence[object]) -> None:
    """Raise ValueError unless there are turns, and one entry for each in every column."""
    if not turns or any(len(column) != len(turns) for column in columns.values()):
        lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(
            f"there must be turns, and one of {' and '.join(columns)} for each. "
            f"Received: {count(len(turns), 'turn')}, {lengths}"
        )


def signed_limits(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis through 0, with room for a number beyond the longest bar on each side that has one."""
    low, high = min([0.0, *values]), max([LEAST, *values])
    span = high - low
    return low - (ROOM if low < 0 else 0.02) * span, high + ROOM * span


def signed_bars(
    figure: Figure,
    values: Sequence[float | None],
    codes: Sequence[int] | None,
    hover: Sequence[str],
    names: tuple[str, str],
    place: tuple[float, float],
    **more: Any,
) -> None:
    """Bars on both sides of 0, a trace for each sign.

    Args:
        figure: gets the bars.
        values: of the rows; None has no bar.
        codes: customdata of each row, if it has one.
        hover: of each row, escaped.
        names: what above and below zero mean, escaped.
        place: how far under the row's middle, and how wide, in rows.
        more: as in `row_bars`.
    """
    for name, color, most in ((names[0], SUPPORTS, max), (names[1], OPPOSES, min)):
        lengths = [most(value or 0.0, 0.0) for value in values]
        bar = row_bars(name, color, lengths, range(len(values)), hover, *place, customdata=codes, **more)
        figure.add_trace(bar)


def signed_frame(figure: Figure, rows: int, x: str, limits: tuple[float, float], height: int = ROW) -> None:
    """The frame of rows with bars on both sides of 0, which a line marks below each label; arguments as in `frame`."""
    frame(figure, rows, x, limits, height)
    figure.update_xaxes(zeroline=False)
    upright(figure, 0, rows, 0.02 if height == ROW else -0.1, color=GREY, width=1)


def upright(figure: Figure, x: float, rows: int, top: float, **line: object) -> None:
    """Draw a line upright at x, in each row from `top` under the row's middle: it does not cross the label above."""
    place = {"type": "line", "x0": x, "x1": x, "line": line}
    figure.update_layout(shapes=[{**place, "y0": row + top, "y1": row + 0.46} for row in range(rows)])


def signed_value(value: float | None, y: float, missing: str) -> Note:
    """A number beyond its bar's end, or what is said instead."""
    return write(0, y, missing) if value is None else write(value, y, f"<b>{signed(value)}</b>", value < 0)


def token_bars(values: Sequence[float]) -> dict[str, Any]:
    """Places and values of one bar a token, for `bars` whose axes `token_axes` makes."""
    places, upright = list(range(1, len(values) + 1)), len(values) <= UPRIGHT
    across, up = (places, values) if upright else (values, places)
    return {"x": list(across), "y": list(up), "orientation": "v" if upright else "h"}


def token_axes(figure: Figure, texts: Sequence[str], tokens: str, values: str) -> None:
    """The frame of one bar a token: few stand side by side, many lie one under another.

    Args:
        figure: with its bars; token 1, 2, … is their place.
        texts: of all tokens.
        tokens: title of their axis.
        values: title of the other one.
    """
    if len(texts) <= UPRIGHT:
        base(figure, tokens, values, 360)
        figure.update_xaxes(**token_ticks(texts))
        return
    base(figure, values, tokens, 20 * len(texts) + FRAME)
    figure.update_yaxes(
        tickvals=list(range(1, len(texts) + 1)),
        ticktext=[escape(text) for text in texts],
        showgrid=False,
        range=[len(texts) + 0.6, 0.4],
        tickfont={"size": FONT - 1},
    )
