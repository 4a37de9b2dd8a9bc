"""Pictures of pairs of positions: how alike their vectors are, and the map that leads from one to the other."""

from typing import Literal

import numpy as np
from plotly.graph_objects import Figure, Scatter

from core.explain.lab_steps import Matrix
from core.explain.positions import Residual, deviation
from core.figures.palette import BLUE, GREY, ORANGE, base
from core.figures.picture import Picture
from core.figures.positions import POINTS
from core.figures.positions_map import colored
from core.figures.wording import count, number

Measure = Literal["dot", "distance"]
NAMES = {"dot": "dot product", "distance": "Euclidean distance"}
SAME = 1e-6
"""Differences below come from rounding alone."""
DRAWN = 8
"""Rows and columns of a map from p to p + k that are drawn."""


def pair_map(matrix: Matrix, measure: Measure) -> Picture:
    """Dot products or distances [L, L] of all positions."""
    low, high = float(matrix.min()), float(matrix.max())
    limit = max(abs(low), abs(high), 1e-6)
    limits = (-limit, limit) if low < -SAME else (0.0, limit)
    figure = colored(matrix, ("Position p", "Position q"), NAMES[measure], limits)
    table: dict[str, list[float]] = {"p": list(range(len(matrix)))}
    table |= {f"q = {place}": matrix[:, place].tolist() for place in range(len(matrix))}
    return Picture(f"position-{measure}s", figure, _map_caption(matrix, measure), table)


def _map_caption(matrix: Matrix, measure: Measure) -> str:
    if len(matrix) == 1:
        return f"There is one position, and no other to compare with; its {NAMES[measure]} with itself is " + (
            f"{number(float(matrix[0, 0]))}."
        )
    largest, offset = deviation(matrix)
    name = f"The {NAMES[measure]} of p and q"
    if largest < SAME * max(1.0, float(np.abs(matrix).max())):
        return (
            f"{name} depends on q − p alone: two pairs as far apart differ by at most {small(largest)}, which is "
            f"rounding; along every diagonal the picture has one colour."
        )
    return (
        f"{name} does not depend on q − p alone: two pairs that are {offset} apart differ by up to {number(largest)}."
    )


def small(value: float) -> str:
    """A tiny number: 3.6e-15 as 3.6 · 10⁻¹⁵."""
    if value == 0:
        return "0"
    if value >= 0.001:
        return f"{value:.4f}"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits} · 10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def pair_curve(matrix: Matrix, position: int, measure: Measure) -> Picture:
    """One row of such a matrix: a position against all others."""
    row, size = matrix[position], len(matrix)
    figure = Figure(
        Scatter(
            x=list(range(size)), y=row.tolist(), name=f"{NAMES[measure]} with position {position}",
            mode="lines+markers" if size <= POINTS else "lines", line={"color": BLUE, "width": 2.5},
            hovertemplate="position %{x}: %{y:.4f}<extra></extra>",
        )
    )  # fmt: skip
    figure.add_trace(
        Scatter(
            x=[position], y=[float(row[position])], mode="markers", name=f"position {position} itself",
            marker={"size": 12, "color": ORANGE, "symbol": "diamond"},
            hovertemplate="with itself: %{y:.4f}<extra></extra>",
        )
    )  # fmt: skip
    base(figure, "Position", NAMES[measure].capitalize(), 360)
    figure.update_yaxes(rangemode="tozero")
    if size <= POINTS:
        figure.update_xaxes(dtick=max(1, size // 12))
    table = {"Position": list(range(size)), NAMES[measure].capitalize(): row.tolist()}
    return Picture(f"position-{position}", figure, _curve_caption(row, position, measure), table)


def _curve_caption(row: Matrix, position: int, measure: Measure) -> str:
    if len(row) == 1:
        return f"There is no other position; with itself the {NAMES[measure]} is {number(float(row[0]))}."
    others = [place for place in range(len(row)) if place != position]
    near = max(others, key=lambda place: row[place] if measure == "dot" else -row[place])
    far = min(others, key=lambda place: row[place] if measure == "dot" else -row[place])
    most, least = ("largest", "smallest") if measure == "dot" else ("smallest", "largest")
    return (
        f"With itself, position {position} has the {NAMES[measure]} {number(float(row[position]))}; with others it is "
        f"{most} for position {near} ({number(float(row[near]))}) and {least} for position {far} "
        f"({number(float(row[far]))})."
    )


def shift_picture(matrix: Matrix, offset: int, left: Residual, learned: bool, halves: bool = False) -> Picture:
    """The map M [D, D] from p to p + k, its first rows and columns, and what it leaves over.

    Args:
        matrix: M.
        offset: k.
        left: what was measured.
        learned: whether M was fitted to a table, or follows from the formula.
        halves: whether all sines come first: then no square holds a whole rotation.
    """
    size = len(matrix)
    drawn = matrix[:DRAWN, :DRAWN]
    limit = max(1.0, float(np.abs(drawn).max()))
    part = "" if size <= DRAWN else f" (the first {DRAWN} of {size})"
    axes = (f"Dimension of PE(p + {offset}){part}", "Dimension of PE(p)")
    figure = colored(drawn, axes, "entry of M", (-limit, limit))
    if not (learned or halves):
        square = {"type": "rect", "line": {"color": GREY, "width": 2}, "fillcolor": "rgba(0, 0, 0, 0)"}
        corners = [(corner - 0.5, corner + 1.5) for corner in range(0, len(drawn) - 1, 2)]
        figure.update_layout(shapes=[square | {"x0": a, "x1": b, "y0": a, "y1": b} for a, b in corners])
    columns = {f"Dimension {place}": matrix[:, place].tolist() for place in range(size)}
    caption = _fitted_caption(size, offset, left) if learned else _rotation_caption(matrix, offset, left)
    return Picture("shift-map", figure, caption, {"Row": list(range(size))} | columns)


def _rotation_caption(matrix: Matrix, offset: int, left: Residual) -> str:
    size = len(matrix)
    pairs = count(size // 2, "rotation")
    over = f"over {count(left.pairs, 'pair')} of positions"
    if left.largest < SAME:
        made = f"M is made of {pairs}" if size > 1 else "M is a single number"
        return (
            f"{made}, the first by the angle {offset}: cos {offset} = {number(float(matrix[0, 0]))}; max "
            f"|M PE(p) − PE(p + {offset})| = {small(left.largest)} {over}: the map is exact up to rounding."
        )
    rest = f"In the {pairs} it is {small(left.paired)}; the" if size > 1 else "The"
    return (
        f"max |M PE(p) − PE(p + {offset})| = {small(left.largest)} {over}, in dimension {left.dimension} at p = "
        f"{left.position}. {rest} last sine has no cosine beside it, so that no row of M can give its next value from "
        "the present one."
    )


def _fitted_caption(size: int, offset: int, left: Residual) -> str:
    start = (
        f"The best map by least squares leaves max |M PE(p) − PE(p + {offset})| = {small(left.largest)} over "
        f"{count(left.pairs, 'pair')} of positions"
    )
    if left.pairs <= size:
        return f"{start}; with no more pairs than the {size} numbers of a row nearly every table has an exact map."
    return f"{start}, in dimension {left.dimension} at p = {left.position}: nothing forces a learned table to have one."
