"""Curves of a table of positions [L, D] along either side of it, together or apart."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from plotly.graph_objects import Figure

from core.explain.attention_lab.steps import Matrix
from core.explain.positions import divisors, sign_changes, waves
from core.figures.positions.heatmap import SLOW, length, whole
from core.figures.shared.marks import line
from core.figures.shared.palette import AMOUNT, GREY, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.rows import ZERO
from core.figures.shared.wording import count, listed, number, percent, vector
from core.words import later, say

Side = Literal["dimensions", "positions"]
"""What the curves are: dimensions against position, or positions against dimension."""
CURVES = 64
"""Curves that lie apart; of more, some are left out."""
POINTS = 40
"""Longest curve whose points are marked."""
COLORS: dict[Side, tuple[str, ...]] = {
    "dimensions": (AMOUNT, SERIES[0], SERIES[1], GREY), "positions": (SERIES[2], SERIES[3]),
}  # fmt: skip
PLACE = "%{x}"
"""What plotly writes into a hover text."""
AXES: dict[Side, str] = {"dimensions": later("Position"), "positions": later("Dimension")}
"""What the x axis counts."""


def chosen_curves(
    table: Matrix, chosen: Sequence[int], side: Side, base_number: float | None, halves: bool = False
) -> Picture:
    """A few dimensions against position, or a few positions against dimension.

    Along a position sines and cosines take turns, or all sines come first: they are drawn as two curves.

    Args:
        table: [L, D].
        chosen: dimensions or positions, at least one.
        side: which.
        base_number: base of the sinusoids, None for a learned table.
        halves: whether all sines come first.

    Raises:
        ValueError: nothing is chosen.
    """
    if not chosen:
        raise ValueError("at least one curve must be chosen. Received: none")
    curves = table.T if side == "dimensions" else table  # [curves, points]
    figure, length = Figure(), curves.shape[1]
    marks = _marks(length, 7)
    for order, place in enumerate(chosen):
        for name, color, dash, points in _strokes(order, place, side, length, base_number, halves):
            style, hover = {"color": color, "width": 2.5, "dash": dash}, f"{name}, {_along(side, PLACE)}: %{{y:.4f}}"
            figure.add_trace(line(name, style, points, curves[place, points].tolist(), hover, **marks))
    base(figure, say(AXES[side]), say("Value"), 400)
    figure.update_yaxes(**ZERO)
    figure.update_xaxes(**whole(length))
    name, caption = (
        ("dimensions", _dimensions_caption(table, chosen, base_number, halves))
        if side == "dimensions"
        else ("chosen-positions", _positions_caption(table, chosen))
    )
    shown = {_column(side, place): curves[place].tolist() for place in chosen}
    return Picture(name, figure, caption, {AXES[side]: list(range(length))} | shown)


def _marks(length: int, size: int) -> dict[str, Any]:
    return {"marker": {"size": size}, "mode": "lines+markers" if length <= POINTS else "lines"}


def _strokes(
    order: int, place: int, side: Side, length: int, base_number: float | None, halves: bool
) -> list[tuple[str, str, str, list[int]]]:
    """Name, colour, dash and points of the curves of one dimension or position."""
    if side == "dimensions":
        name = say("dimension {place}", place=place)
        return [(name, COLORS[side][order // 2 % 4], "dot" if order % 2 else "solid", list(range(length)))]
    lap, place_of_color = divmod(order, 2)
    color = COLORS[side][place_of_color]
    if base_number is None:
        return [(say("position {place}", place=place), color, ("solid", "dash")[lap], list(range(length)))]
    names = (
        (say("position {place}, sines", place=place), ("solid", "dash")[lap]),
        (say("{place}, cosines", place=place), ("dot", "dashdot")[lap]),
    )
    kinds = waves(length, halves) % 2
    return [
        (name, color, dash, np.flatnonzero(kinds == parity).tolist())
        for parity, (name, dash) in enumerate(names)
        if parity < length
    ]


def _along(side: Side, place: str) -> str:
    """A place on the x axis, in a sentence."""
    return say("position {place}", place=place) if side == "dimensions" else say("dimension {place}", place=place)


def _column(side: Side, place: int) -> str:
    """The heading of a curve in a table."""
    return say("Dimension {place}", place=place) if side == "dimensions" else say("Position {place}", place=place)


def _dimensions_caption(table: Matrix, chosen: Sequence[int], base_number: float | None, halves: bool) -> str:
    length, width = table.shape
    turns = {place: sign_changes(table[:, place]) for place in (min(chosen), max(chosen))}
    changes = [
        say("dimension {place} changes its sign {times}", place=place, times=count(times, "time"))
        for place, times in turns.items()
    ]
    start = {"positions": count(length, "position"), "changes": listed(changes)}
    if base_number is None:
        return say("Over {positions}, {changes}; nothing forces a learned dimension to be a wave.", **start)
    waves = [2 * math.pi * float(divisors(width, base_number, halves)[place]) for place in turns]
    repeats = listed([f"{wave:,.2f}" for wave in waves])
    if len(turns) > 1:
        return say(
            "Over {positions}, {changes}; by the formula they repeat after {repeats} positions.",
            **start,
            repeats=repeats,
        )
    return say(
        "Over {positions}, {changes}; by the formula it repeats after {repeats} positions.", **start, repeats=repeats
    )


def _positions_caption(table: Matrix, chosen: Sequence[int]) -> str:
    first, *others = chosen
    if not others:
        place = {"place": first, "vector": vector(table[first], 4), "length": length(table[first])}
        return say("Position {place} is {vector}: its length is {length}.", **place)
    gaps = np.abs(table[others[0]] - table[first])
    worst = int(np.argmax(gaps))
    far = int(np.sum(gaps > SLOW))
    return say(
        "Positions {first} and {second} differ by more than {least:g} in {far} of {dimensions} ({share}), most in "
        "dimension {worst}: {first_value} and {second_value}.",
        first=first,
        second=others[0],
        least=SLOW,
        far=far,
        dimensions=count(table.shape[1], "dimension"),
        share=percent(far / table.shape[1]),
        worst=worst,
        first_value=number(float(table[first, worst])),
        second_value=number(float(table[others[0], worst])),
    )


def curves_apart(table: Matrix, side: Side, base_number: float | None, halves: bool = False) -> Picture:
    """Every dimension against position, each lifted by its own offset; or every position against dimension.

    Of more than `CURVES` some are drawn, evenly chosen: of dimensions always a sine with its cosine.

    Args:
        table: [L, D].
        side: which.
        base_number: base of the sinusoids, None for a learned table.
        halves: whether all sines come first.
    """
    kinds = waves(table.shape[1], halves) % 2
    curves = table.T if side == "dimensions" else table
    places = _evenly(len(curves), 2 if side == "dimensions" else 1)
    step = 2.1 * max(1e-6, float(np.abs(curves[places]).max()))
    figure, length = Figure(), curves.shape[1]
    for parity, name in enumerate(_halves(base_number, halves)):
        rows, points = list(range(len(places))), list(range(length))
        if side == "dimensions":
            rows = [row for row in rows if kinds[places[row]] == parity]
        else:
            points = np.flatnonzero(kinds == parity).tolist()
        if rows and points:
            across = [point for _ in rows for point in [*points, None]]
            up = [value for row in rows for value in [*(curves[places[row], points] - step * row).tolist(), None]]
            style = {"color": COLORS[side][parity], "width": 1.5}
            figure.add_trace(line(name, style, across, up, **_marks(length, 4)))
    every = -(-len(places) // 16)
    below = say("each {step} below the one before", step=number(step))
    title = "\n".join([say("Dimension") if side == "dimensions" else say("Position"), below])
    base(figure, say(AXES[side]), title, max(300, min(900, 26 * len(places) + 160)))
    figure.update_yaxes(
        tickvals=[-step * row for row in range(0, len(places), every)],
        ticktext=[str(place) for place in places[::every]],
        range=[-step * (len(places) - 0.4), 0.7 * step],
    )
    figure.update_xaxes(**whole(length))
    shown = {_column(side, place): curves[place].tolist() for place in places}
    axis = {AXES[side]: list(range(length))}
    return Picture(f"{side}-apart", figure, _apart_caption(curves, places, side), axis | shown)


def _halves(base_number: float | None, halves: bool) -> tuple[str, str]:
    """What both kinds of columns are called: those that a sinusoid would fill with sines, then those with cosines."""
    if halves:
        learned, waves = (
            (say("first half"), say("second half")),
            (say("sine, first half"), say("cosine, second half")),
        )
    else:
        learned, waves = (
            (say("even dimension"), say("odd dimension")),
            (say("sine, even dimension"), say("cosine, odd dimension")),
        )
    return learned if base_number is None else waves


def _evenly(size: int, group: int) -> list[int]:
    """At most `CURVES` places of `size`, neighbours in groups."""
    groups = -(-size // group)
    starts = np.unique(np.linspace(0, groups - 1, min(groups, CURVES // group)).round().astype(int))
    return [place for start in starts for place in range(start * group, min((start + 1) * group, size))]


def _apart_caption(curves: Matrix, places: Sequence[int], side: Side) -> str:
    every = count(len(curves), "dimension") if side == "dimensions" else count(len(curves), "position")
    drawn = (
        say("All {curves}", curves=every)
        if len(places) == len(curves)
        else say("{drawn} of {curves}, evenly chosen", drawn=len(places), curves=every)
    )
    times = [sign_changes(curves[place]) for place in places]
    if side == "dimensions":
        return say(
            "{drawn}: dimension {first} changes its sign {first_times}, dimension {last} {last_times}; {still} of "
            "those drawn never do.",
            drawn=drawn,
            first=places[0],
            first_times=count(times[0], "time"),
            last=places[-1],
            last_times=count(times[-1], "time"),
            still=sum(turns == 0 for turns in times),
        )
    return say(
        "{drawn}: position {most} changes its sign most often along the dimensions, {most_times}; position {first} "
        "does so {first_times}.",
        drawn=drawn,
        most=places[int(np.argmax(times))],
        most_times=count(max(times), "time"),
        first=places[0],
        first_times=count(times[0], "time"),
    )
