"""How a measure is spread over the summaries, and two measures against each other; a click opens an example."""

import streamlit as st

from core.evaluation.measures import having, values
from core.figures.errors import corpus
from core.words import say
from pages.parts.errors import columns, table
from pages.parts.errors.data import ROW
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import row
from pages.shared.figures import pictures
from pages.shared.session.fields import Text

ACROSS = Text("err_x", 20, "turns")
UP = Text("err_y", 20, "rouge1")
FIELDS = (ACROSS, UP)
POINTS = "errors_scatter_picture"
BARS = "errors_spread_picture"


def draw(run: Run) -> None:
    """Draw two measures against each other, and how one of them is spread."""
    with row():
        across = columns.choose_measure(say("Across"), ACROSS, run)
        up = columns.choose_measure(say("Up"), UP, run)
    opened = run.place(ROW.value)
    rows = having(run.rows, across, up)
    if not rows:
        st.info(say("No summary has both measures."), icon=":material/info:")
        return
    places = list(rows)
    xs, ys = (values(name, rows.values()) for name in (across, up))
    chosen = places.index(opened) if opened in rows else None
    axes = (columns.axis(across), columns.axis(up))
    picture = corpus.scatter([row.id for row in rows.values()], xs, ys, axes, chosen)
    pictures.show(picture, POINTS, on_select=lambda: table.open_clicked(run, places, POINTS))
    value = None if chosen is None else ys[chosen]
    with st.expander(say("How one of them is spread")):
        pictures.show(corpus.distribution(ys, axes[1], value), BARS)
