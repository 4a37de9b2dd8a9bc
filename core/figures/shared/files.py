"""What a picture and its table are saved as, and a picture as one figure for a notebook."""

import html
import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.figures.shared.palette import themed
from core.figures.shared.picture import Picture
from core.figures.shared.wording import escape
from core.files import csv_of
from core.words import language

Table = Mapping[str, Sequence[Any]]
CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"]}
"""What plotly offers beside a chart, on the page and in a file."""
INK, GROUND = "#1b1f24", "#ffffff"
LINE = 110
"""Characters of a line of the sentence."""


def to_html(picture: Picture, ink: str, ground: str) -> str:
    """Return the picture as a web page on white, with its sentence, and with plotly in it: it needs no network.

    Args:
        picture: what is saved.
        ink: colour of texts.
        ground: colour around words inside the plot.
    """
    figure = Figure(themed(picture.figure, ink, ground)).update_layout(template="plotly_white")
    chart = figure.to_html(full_html=False, include_plotlyjs=True, config=CONFIG)
    name, caption = html.escape(picture.name), html.escape(picture.caption)
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{name}</title>\n</head>\n'
        f'<body style="background: #fff; color: #10161f; font-family: sans-serif">\n{chart}\n<p>{caption}</p>\n'
        "</body>\n</html>\n"
    )


def captioned(picture: Picture) -> Figure:
    """Return a picture's figure on a white ground, with its sentence above it."""
    figure = themed(picture.figure, INK, GROUND)
    lines = textwrap.wrap(picture.caption, LINE)
    room = 22 * len(lines) + 24
    figure.update_layout(
        height=figure.layout.height + room,
        margin_t=figure.layout.margin.t + room,
        paper_bgcolor=GROUND,
        plot_bgcolor=GROUND,
        title={
            "text": "<br>".join(map(escape, lines)),
            "font": {"size": 14, "color": INK},
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": 1 - 16 / (figure.layout.height + room),
            "yref": "container",
            "yanchor": "top",
        },
    )
    return figure


def to_csv(table: Table) -> str:
    """Return a table, one line a row, headings first; what is missing is empty."""
    return csv_of([table, *zip(*table.values(), strict=True)])


def table_of(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Return rows as a table: their columns by heading; a row may be longer than the headings."""
    return {heading: [row[place] for row in rows] for place, heading in enumerate(headings)}


class MatrixTable(dict[str, Sequence[Any]]):
    """A table with a row for each cell of matrices, row by row: the labels of its axes, and then its values.

    A file of arrays holds the matrices themselves, [R, C], with their labels [R] and [C]; so of three axes.

    Args:
        axes: labels of each axis, by heading; an axis may have more than one.
        values: of the cells, [R, C], by heading.
    """

    def __init__(self, axes: Sequence[Table], values: Mapping[str, Any]) -> None:
        self.labels = {name: labels for axis in axes for name, labels in axis.items()}
        self.shape = [len(next(iter(axis.values()))) for axis in axes]
        super().__init__()
        for axis, places in zip(axes, np.indices(self.shape), strict=True):
            self.update({name: [labels[place] for place in places.flat] for name, labels in axis.items()})
        self.update({name: np.reshape(matrix, self.shape).ravel().tolist() for name, matrix in values.items()})


def to_npz(table: Table) -> bytes:
    """Return the columns as arrays without pickle: numbers (NaN where one is missing), truth values, or texts.

    The values of a `MatrixTable` become a matrix each, [R, C]; its labels stand once.
    """
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {name: _array(values) for name, values in table.items()}
    if isinstance(table, MatrixTable):
        labels = {name: _array(column) for name, column in table.labels.items()}
        arrays = {name: column.reshape(table.shape) for name, column in arrays.items() if name not in labels} | labels
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _array(values: Sequence[Any]) -> NDArray[Any]:
    if all(isinstance(value, (bool, int, float)) for value in values if value is not None):
        return np.array([np.nan if value is None else value for value in values])
    return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)
