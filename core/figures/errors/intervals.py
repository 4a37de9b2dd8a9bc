"""Rows of means with their intervals: slices of a corpus, agreement of readers."""

from collections.abc import Sequence
from typing import NamedTuple

from plotly.graph_objects import Figure

from core.figures.shared.marks import points
from core.figures.shared.palette import AMOUNT, CHOSEN, FAINT, GREY, annotate, base
from core.figures.shared.rows import FRAME, head, row_bars, upright, write

ROW = 44
"""Pixels of a row: its name above its interval."""


class Row(NamedTuple):
    """A mean with its interval.

    Args:
        name: of the row.
        text: at the upper end, as markup.
        hover: escaped.
        mean: None where it is not defined.
        low: lower end; None where there are too few for an interval.
        high: upper end.
    """

    name: str
    text: str
    hover: str
    mean: float | None
    low: float | None
    high: float | None


def intervals(
    found: Sequence[Row],
    legend: tuple[str, str],
    title: str,
    limits: tuple[float, float],
    dashed: float,
    chosen: int | None,
) -> Figure:
    """Return a figure of rows, each of whose marks has the row as its customdata.

    Args:
        found: the rows.
        legend: names of the means with an interval and of those without, escaped.
        title: of the x axis.
        limits: its ends.
        dashed: where the dashed line stands.
        chosen: the row that is outlined.
    """
    figure, rows, hover = Figure(), list(range(len(found))), [each.hover for each in found]
    edge = {"color": CHOSEN, "width": [3 * (row == chosen) for row in rows]}
    more = {"base": limits[0], "customdata": rows, "marker": {"line": edge}, "showlegend": False}
    figure.add_trace(row_bars(None, FAINT, [limits[1] - limits[0]] * len(rows), rows, hover, 0, 0.92, **more))
    for name, known in zip(legend, (True, False), strict=True):
        ends = {
            row: (each.low, each.mean, each.high)
            for row, each in enumerate(found)
            if each.mean is not None and (each.low is not None) == known
        }
        if ends:
            means = [mean for _, mean, _ in ends.values()]
            reach = {
                "type": "data", "symmetric": False, "thickness": 2, "width": 6, "color": AMOUNT,
                "array": [(high or 0.0) - mean for _, mean, high in ends.values()],
                "arrayminus": [mean - (low or 0.0) for low, mean, _ in ends.values()],
            }  # fmt: skip
            symbol = "circle" if known else "circle-open"
            marker = {"color": AMOUNT, "size": 10, "symbol": symbol, "line": {"width": 2}}
            ups, hover_texts = [row + 0.18 for row in ends], [hover[row] for row in ends]
            error = reach if known else None
            figure.add_trace(points(name, means, ups, hover_texts, marker, customdata=list(ends), error_x=error))
    upright(figure, dashed, len(rows), -0.02, color=GREY, dash="dash", width=2)
    base(figure, title, "", ROW * len(rows) + FRAME)
    figure.update_xaxes(range=limits, fixedrange=True)
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], fixedrange=True, showgrid=False, showticklabels=False)
    notes = []
    for row, each in enumerate(found):
        notes.append(head(row, each.name, 0.24))
        notes.append(write(each.high if each.high is not None else each.mean or 0.0, row + 0.18, each.text))
    annotate(figure, notes)
    return figure
