"""Pictures of pairs of positions: how alike their vectors are, and the map that leads from one to the other."""

from typing import Literal

import numpy as np
from plotly.graph_objects import Figure

from core.explain.attention_lab.steps import Matrix
from core.explain.positions import Residual, deviation
from core.figures.positions.encoding import POINTS
from core.figures.positions.heatmap import colored, scale_end
from core.figures.shared.marks import line, points
from core.figures.shared.palette import AMOUNT, GREY, NOTHING, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import SUPERSCRIPTS, count, number
from core.words import later, say

Measure = Literal["dot", "distance"]
NAMES = {
    "dot": (later("dot product"), later("Dot product")),
    "distance": (later("Euclidean distance"), later("Euclidean distance")),
}
"""In a sentence and as a title; marked with `later`."""
SAME = 1e-6
"""Differences below come from rounding alone."""
DRAWN = 8
"""Rows and columns of a map from p to p + k that are drawn."""


def pair_map(matrix: Matrix, measure: Measure) -> Picture:
    """Dot products or distances [L, L] of all positions."""
    end = scale_end(matrix)
    limits = (-end, end) if float(matrix.min()) < -SAME else (0.0, end)
    figure = colored(matrix, (say("Position p"), say("Position q")), say(NAMES[measure][0]), limits)
    table: dict[str, list[float]] = {"p": list(range(len(matrix)))}
    table |= {f"q = {place}": matrix[:, place].tolist() for place in range(len(matrix))}
    return Picture(f"position-{measure}s", figure, _map_caption(matrix, measure), table)


def _map_caption(matrix: Matrix, measure: Measure) -> str:
    name = say(NAMES[measure][0])
    if len(matrix) == 1:
        return say(
            "There is one position, and no other to compare with; its {measure} with itself is {value}.",
            measure=name,
            value=number(float(matrix[0, 0])),
        )
    largest, offset = deviation(matrix)
    if largest < SAME * max(1.0, float(np.abs(matrix).max())):
        return say(
            "The {measure} of p and q depends on q − p alone: two pairs as far apart differ by at most {largest}, "
            "which is rounding; along every diagonal the picture has one colour.",
            measure=name,
            largest=small(largest),
        )
    return say(
        "The {measure} of p and q does not depend on q − p alone: two pairs with q − p = {offset} differ by up to "
        "{largest}.",
        measure=name,
        offset=offset,
        largest=number(largest),
    )


def small(value: float) -> str:
    """A tiny number: 3.6e-15 as 3.6 · 10⁻¹⁵."""
    if value == 0:
        return "0"
    if value >= 0.001:
        return f"{value:.4f}"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits} · 10{str(int(power)).translate(SUPERSCRIPTS)}"


def pair_curve(matrix: Matrix, position: int, measure: Measure) -> Picture:
    """One row of such a matrix: a position against all others."""
    row, size, title = matrix[position], len(matrix), NAMES[measure][1]
    name = say("{measure} with position {position}", measure=say(NAMES[measure][0]), position=position)
    hover = say("position {position}: {value}", position="%{x}", value="%{y:.4f}")
    mode, style = "lines+markers" if size <= POINTS else "lines", {"color": AMOUNT, "width": 2.5}
    figure = Figure(line(name, style, list(range(size)), row.tolist(), hover, mode=mode))
    itself, marker = (
        say("with itself: {value}", value="%{y:.4f}"),
        {"size": 12, "color": SERIES[0], "symbol": "diamond"},
    )
    name = say("position {position} itself", position=position)
    figure.add_trace(points(name, [position], [float(row[position])], itself, marker))
    base(figure, say("Position"), say(title), 360)
    figure.update_yaxes(rangemode="tozero")
    if size <= POINTS:
        figure.update_xaxes(dtick=max(1, size // 12))
    table = {later("Position"): list(range(size)), title: row.tolist()}
    return Picture(f"position-{position}", figure, _curve_caption(row, position, measure), table)


def _curve_caption(row: Matrix, position: int, measure: Measure) -> str:
    if len(row) == 1:
        return say(
            "There is no other position; with itself the {measure} is {value}.",
            measure=say(NAMES[measure][0]),
            value=number(float(row[0])),
        )
    others = [place for place in range(len(row)) if place != position]
    near = max(others, key=lambda place: row[place] if measure == "dot" else -row[place])
    far = min(others, key=lambda place: row[place] if measure == "dot" else -row[place])
    values = {
        "position": position,
        "own": number(float(row[position])),
        "near": near,
        "near_value": number(float(row[near])),
        "far": far,
        "far_value": number(float(row[far])),
    }
    if measure == "dot":
        return say(
            "With itself, position {position} has the dot product {own}; with others it is largest for position {near} "
            "({near_value}) and smallest for position {far} ({far_value}).",
            **values,
        )
    return say(
        "With itself, position {position} has the Euclidean distance {own}; with others it is smallest for position "
        "{near} ({near_value}) and largest for position {far} ({far_value}).",
        **values,
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
    down = (
        say("Dimension of PE(p + {offset})", offset=offset)
        if size <= DRAWN
        else say("Dimension of PE(p + {offset}) (the first {drawn} of {size})", offset=offset, drawn=DRAWN, size=size)
    )
    figure = colored(drawn, (down, say("Dimension of PE(p)")), say("entry of M"), (-limit, limit))
    if not (learned or halves):
        square = {"type": "rect", "line": {"color": GREY, "width": 2}, "fillcolor": NOTHING}
        corners = [(corner - 0.5, corner + 1.5) for corner in range(0, len(drawn) - 1, 2)]
        figure.update_layout(shapes=[square | {"x0": a, "x1": b, "y0": a, "y1": b} for a, b in corners])
    columns = {say("Dimension {place}", place=place): matrix[:, place].tolist() for place in range(size)}
    caption = _fitted_caption(size, offset, left) if learned else _rotation_caption(matrix, offset, left)
    return Picture("shift-map", figure, caption, {later("Row"): list(range(size))} | columns)


def _rotation_caption(matrix: Matrix, offset: int, left: Residual) -> str:
    size = len(matrix)
    rotations = count(size // 2, "rotation")
    values = {"offset": offset, "largest": small(left.largest), "pairs": count(left.pairs, "pair")}
    if left.largest < SAME:
        first = number(float(matrix[0, 0]))
        if size == 1:
            return say(
                "M is a single number, cos {offset} = {cosine}; max |M PE(p) − PE(p + "
                "{offset})| = {largest} over {pairs} of positions: the map is exact up to rounding.",
                **values,
                cosine=first,
            )
        return say(
            "M is made of {rotations}, the first by the angle {offset}: cos {offset} = {cosine}; max |M PE(p) − PE(p + "
            "{offset})| = {largest} over {pairs} of positions: the map is exact up to rounding.",
            **values,
            rotations=rotations,
            cosine=first,
        )
    worst = say(
        "max |M PE(p) − PE(p + {offset})| = {largest} over {pairs} of positions, in dimension {dimension} at p = "
        "{place}.",
        **values,
        dimension=left.dimension,
        place=left.position,
    )
    why = (
        say(
            "In the {rotations} it is {paired}; the last sine has no cosine beside it, so that no row of M can give "
            "its next value from the present one.",
            rotations=rotations,
            paired=small(left.paired),
        )
        if size > 1
        else say(
            "The last sine has no cosine beside it, so that no row of M can give its next value from the present one."
        )
    )
    return f"{worst} {why}"


def _fitted_caption(size: int, offset: int, left: Residual) -> str:
    values = {"offset": offset, "largest": small(left.largest), "pairs": count(left.pairs, "pair")}
    if left.pairs <= size:
        return say(
            "The best map by least squares leaves max |M PE(p) − PE(p + {offset})| = {largest} over {pairs} of "
            "positions; with no more pairs than the {size} numbers of a row nearly every table has an exact map.",
            **values,
            size=size,
        )
    return say(
        "The best map by least squares leaves max |M PE(p) − PE(p + {offset})| = {largest} over {pairs} of positions, "
        "in dimension {dimension} at p = {place}: nothing forces a learned table to have one.",
        **values,
        dimension=left.dimension,
        place=left.position,
    )
