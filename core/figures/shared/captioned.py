"""A picture as one figure, for a notebook: its sentence above it, readable on any page."""

import textwrap

from plotly.graph_objects import Figure

from core.figures.shared.palette import themed
from core.figures.shared.picture import Picture
from core.figures.shared.wording import escape

INK, GROUND = "#1b1f24", "#ffffff"
LINE = 110
"""Characters of a line of the sentence."""


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
