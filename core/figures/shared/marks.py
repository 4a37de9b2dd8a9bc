"""What pictures draw their values with: bars, lines, points, words and cells, each as all pictures have it.

A hover is a text for each value, escaped; or one text with plotly's places, such as `%{x}`; or None. `more` are further
properties of plotly's trace.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Bar, Heatmap, Scatter

from core.figures.shared.palette import FONT, INVERSE

Hover = Sequence[Any] | str | None


def bars(name: str | None, color: str, x: Sequence[Any], y: Sequence[Any], hover: Hover, **more: Any) -> Bar:
    """Return bars of one colour, without an edge unless `more` has a marker with one."""
    marker = {"color": color, "line": {"width": 0}, **more.pop("marker", {})}
    return Bar(x=x, y=y, name=name, marker=marker, **_hover_text(hover), **more)


def line(
    name: str | None,
    style: Mapping[str, Any],
    x: Sequence[Any],
    y: Sequence[Any],
    hover: Hover = None,
    marked: Mapping[str, Any] | None = None,
    **more: Any,
) -> Scatter:
    """Return a line of a style (color, width, dash, shape); `marked` marks its points, in the same colour."""
    more |= {"marker": {"color": style["color"], **marked}} if marked else {}
    mode = "lines+markers" if marked else "lines"
    return Scatter(**{"x": x, "y": y, "name": name, "mode": mode, "line": style} | _hover_text(hover) | more)


def points(
    name: str | None, x: Sequence[Any], y: Sequence[Any], hover: Hover, marker: Mapping[str, Any], **more: Any
) -> Scatter:
    """Return points with a marker each."""
    return Scatter(**{"x": x, "y": y, "name": name, "mode": "markers", "marker": marker} | _hover_text(hover) | more)


def words(x: Sequence[Any], y: Sequence[Any], texts: Sequence[str], size: float, color: str | None = None) -> Scatter:
    """Return texts at places, in the page's ink if no colour is given."""
    font = {"size": size} | ({"color": color} if color else {})
    return Scatter(x=x, y=y, text=texts, mode="text", textfont=font, hoverinfo="skip", showlegend=False)


def squares(
    name: str,
    color: str,
    places: Sequence[tuple[float, float]],
    hover: Sequence[str],
    texts: Sequence[str] | None = None,
    size: tuple[float, float] = (0.94, 0.88),
    **more: Any,
) -> Bar:
    """Return cells of one meaning around their places.

    Args:
        name: in the legend.
        color: of the ground.
        places: row and column of each cell.
        hover: text of each.
        texts: what stands in each, white; None: nothing.
        size: width and height of a cell.
        more: further properties.
    """
    if texts is not None:
        more = {"insidetextfont": {"size": FONT - 2, "color": INVERSE}, "text": texts} | more
        more |= {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0, "constraintext": "none"}
    left, rows = [column - size[0] / 2 for _, column in places], [row for row, _ in places]
    return bars(name, color, [size[0]] * len(places), rows, hover, base=left, orientation="h", width=size[1], **more)


def heat(
    values: Any,
    places: tuple[Sequence[int], Sequence[int]],
    limits: tuple[float, float],
    colors: Sequence[Any],
    hover: Hover,
    gap: int = 0,
    **more: Any,
) -> Heatmap:
    """Return a map of numbers.

    Args:
        values: [R, C].
        places: of its rows and columns on the axes.
        limits: ends of the scale.
        colors: the scale.
        hover: a text for each cell.
        gap: pixels between two cells.
        more: further properties, such as the colour bar.
    """
    more |= {"x": places[1], "y": places[0]} | ({"xgap": gap, "ygap": gap} if gap else {})
    z = np.asarray(values, dtype=np.float32)
    return Heatmap(z=z, zmin=limits[0], zmax=limits[1], colorscale=colors, **_hover_text(hover), **more)


def side_bar(title: str, **more: Any) -> dict[str, Any]:
    """Return a colour bar beside a map."""
    return {"title": {"text": title, "side": "right", "font": {"size": FONT - 1}}, "thickness": 14, **more}


def top_bar(title: str, ticks: Mapping[float, str]) -> dict[str, Any]:
    """Return a colour bar above a picture, where a phone has room; the toolbar stands at its right."""
    return {
        "orientation": "h", "yref": "container", "y": 0.999, "yanchor": "top", "x": 0.41, "len": 0.82, "thickness": 12,
        "title": {"text": title, "side": "bottom", "font": {"size": FONT - 1}}, "tickvals": list(ticks),
        "ticktext": list(ticks.values()), "tickangle": 0, "tickfont": {"size": FONT - 2},
    }  # fmt: skip


def _hover_text(hover: Hover) -> dict[str, Any]:
    if hover is None:
        return {"hoverinfo": "skip"}
    if isinstance(hover, str):
        return {"hovertemplate": f"{hover}<extra></extra>"}
    return {"hovertext": hover, "hoverinfo": "text"}
