"""Curves of a table of positions [L, D] along either side of it, together or apart."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from plotly.graph_objects import Figure, Scatter

from core.explain.lab_steps import Matrix
from core.explain.positions import divisors, sign_changes, waves
from core.figures.palette import BLUE, GREEN, ORANGE, PURPLE, base
from core.figures.picture import Picture
from core.figures.positions_map import SLOW, vector, whole
from core.figures.rows import ZERO
from core.figures.wording import count, listed, number, percent

Side = Literal["dimensions", "positions"]
"""What the curves are: dimensions against position, or positions against dimension."""
CURVES = 64
"""Curves that lie apart; of more, some are left out."""
POINTS = 40
"""Longest curve whose points are marked."""
COLORS = (BLUE, ORANGE, GREEN, PURPLE)


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
    for order, place in enumerate(chosen):
        for name, color, dash, points in _strokes(order, place, side, length, base_number, halves):
            figure.add_trace(
                Scatter(
                    x=points, y=curves[place, points].tolist(), name=name,
                    line={"color": color, "width": 2.5, "dash": dash}, marker={"size": 7},
                    mode="lines+markers" if length <= POINTS else "lines",
                    hovertemplate=f"{name}, {_along(side)} %{{x}}: %{{y:.4f}}<extra></extra>",
                )
            )  # fmt: skip
    base(figure, _along(side).capitalize(), "Value", 400)
    figure.update_yaxes(**ZERO)
    figure.update_xaxes(**whole(length))
    name, caption = (
        ("dimensions", _dimensions_caption(table, chosen, base_number, halves))
        if side == "dimensions"
        else ("chosen-positions", _positions_caption(table, chosen))
    )
    shown = {f"{side[:-1].capitalize()} {place}": curves[place].tolist() for place in chosen}
    return Picture(name, figure, caption, {_along(side).capitalize(): list(range(length))} | shown)


def _strokes(
    order: int, place: int, side: Side, length: int, base_number: float | None, halves: bool
) -> list[tuple[str, str, str, list[int]]]:
    """Name, colour, dash and points of the curves of one dimension or position."""
    if side == "dimensions":
        return [(f"dimension {place}", COLORS[order // 2 % 4], "dot" if order % 2 else "solid", list(range(length)))]
    color = COLORS[order % 4]
    if base_number is None:
        return [(f"position {place}", color, "solid", list(range(length)))]
    names = ((f"position {place}, sines", "solid"), (f"{place}, cosines", "dot"))
    kinds = waves(length, halves) % 2
    return [
        (name, color, dash, np.flatnonzero(kinds == parity).tolist())
        for parity, (name, dash) in enumerate(names)
        if parity < length
    ]


def _along(side: Side) -> str:
    """What the x axis counts."""
    return "position" if side == "dimensions" else "dimension"


def _dimensions_caption(table: Matrix, chosen: Sequence[int], base_number: float | None, halves: bool) -> str:
    length, width = table.shape
    turns = {place: sign_changes(table[:, place]) for place in (min(chosen), max(chosen))}
    said = [f"dimension {place} changes its sign {count(times, 'time')}" for place, times in turns.items()]
    start = f"Over {count(length, 'position')}, {listed(said)}"
    if base_number is None:
        return f"{start}; nothing forces a learned dimension to be a wave."
    waves = [2 * math.pi * float(divisors(width, base_number, halves)[place]) for place in turns]
    repeats = listed([f"{wave:,.2f}" for wave in waves])
    return f"{start}; by the formula {'they repeat' if len(turns) > 1 else 'it repeats'} after {repeats} positions."


def _positions_caption(table: Matrix, chosen: Sequence[int]) -> str:
    first, *others = chosen
    if not others:
        return f"Position {first} is {vector(table[first])}: its length is {number(_length(table[first]))}."
    gaps = np.abs(table[others[0]] - table[first])
    worst = int(np.argmax(gaps))
    far = int(np.sum(gaps > SLOW))
    return (
        f"Positions {first} and {others[0]} differ by more than {SLOW:g} in {far} of "
        f"{count(table.shape[1], 'dimension')} ({percent(far / table.shape[1])}), most in dimension {worst}: "
        f"{number(float(table[first, worst]))} and {number(float(table[others[0], worst]))}."
    )


def _length(values: Matrix) -> float:
    return float(np.linalg.norm(values))


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
    for parity, name in enumerate(("first half", "second half") if halves else ("even dimension", "odd dimension")):
        wave = "" if base_number is None else ("sine, ", "cosine, ")[parity]
        rows, points = list(range(len(places))), list(range(length))
        if side == "dimensions":
            rows = [row for row in rows if kinds[places[row]] == parity]
        else:
            points = np.flatnonzero(kinds == parity).tolist()
        if rows and points:
            figure.add_trace(
                Scatter(
                    x=[point for _ in rows for point in [*points, None]],
                    y=[value for row in rows for value in [*(curves[places[row], points] - step * row).tolist(), None]],
                    mode="lines+markers" if length <= POINTS else "lines", marker={"size": 4}, name=wave + name,
                    line={"color": COLORS[parity], "width": 1.5}, hoverinfo="skip",
                )
            )  # fmt: skip
    every = -(-len(places) // 16)
    title = f"{side[:-1].capitalize()}\neach {number(step)} below the one before"
    base(figure, _along(side).capitalize(), title, max(300, min(900, 26 * len(places) + 160)))
    figure.update_yaxes(
        tickvals=[-step * row for row in range(0, len(places), every)],
        ticktext=[str(place) for place in places[::every]],
        range=[-step * (len(places) - 0.4), 0.7 * step],
    )
    figure.update_xaxes(**whole(length))
    shown = {f"{side[:-1].capitalize()} {place}": curves[place].tolist() for place in places}
    axis = {_along(side).capitalize(): list(range(length))}
    return Picture(f"{side}-apart", figure, _apart_caption(curves, places, side), axis | shown)


def _evenly(size: int, group: int) -> list[int]:
    """At most `CURVES` places of `size`, neighbours in groups."""
    groups = -(-size // group)
    starts = np.unique(np.linspace(0, groups - 1, min(groups, CURVES // group)).round().astype(int))
    return [place for start in starts for place in range(start * group, min((start + 1) * group, size))]


def _apart_caption(curves: Matrix, places: Sequence[int], side: Side) -> str:
    noun = side[:-1]
    start = f"All {count(len(curves), noun)}" if len(places) == len(curves) else (
        f"{len(places)} of {count(len(curves), noun)}, evenly chosen"
    )  # fmt: skip
    times = [sign_changes(curves[place]) for place in places]
    if side == "dimensions":
        still = sum(turns == 0 for turns in times)
        return (
            f"{start}: dimension {places[0]} changes its sign {count(times[0], 'time')}, dimension {places[-1]} "
            f"{count(times[-1], 'time')}; {still} of those drawn never do."
        )
    most = places[int(np.argmax(times))]
    return (
        f"{start}: position {most} changes its sign most often along the dimensions, {count(max(times), 'time')}; "
        f"position {places[0]} does so {count(times[0], 'time')}."
    )
