"""Slices: where a measure is high or low, with intervals; a bar opens its examples."""

from statistics import fmean

import streamlit as st

from core.evaluation import measures as measured
from core.evaluation.measures import OTHER, SLICES, having, interval, values
from core.figures.errors import corpus
from core.words import say
from pages.parts.errors import measures, table
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.session.fields import Number, Text
from pages.shared.session.notices import literal

MEASURE = Text("err_measure", 20, "rouge1")
"""Of the comparison, too."""
BY = Text("err_slice", 20, "turns")
PART = Number("err_part", 0, 99, 0)
FIELDS = (MEASURE, BY, PART)
BARS = "errors_slices_picture"
FEWEST = 5
"""Rows of a slice that get an interval: of fewer a bootstrap says nothing."""


def draw(run: Run) -> None:
    """Draw the mean of a measure in each slice, and the table of the chosen slice."""
    BY.fit(SLICES, say("the slices"), next(iter(SLICES)))
    with row():
        ways = {name: say(each.label) for name, each in SLICES.items()}
        by = select(say("Slices by"), ways, BY, width=220, on_change=_forget)
        name = measures.choose(say("Measure"), MEASURE, run)
    rows = having(run.rows, name)
    groups = measured.groups(by, rows)
    if not groups:
        missing = say("These dialogues do not have what the slices are made by. Choose another.")
        st.info(missing, icon=":material/info:")
        return
    bars = []
    for label, places in groups:
        found = interval(values(name, [rows[place] for place in places]))
        ends = (found.low, found.high) if found.count >= FEWEST else (None, None)
        bars.append(corpus.SliceBar(_named(by, label), found.count, found.mean, *ends))
    overall = fmean(values(name, rows.values()))
    chosen = PART.fit(range(len(groups) + 1), say("slice")) - 1 if run.complete else PART.value - 1
    chosen = chosen if 0 <= chosen < len(groups) else None
    pictures.show(corpus.slices(bars, measures.axis(name), overall, chosen), BARS, on_select=lambda: _pick(len(groups)))
    if any(bar.low is None for bar in bars):
        st.caption(say("A slice of fewer than {fewest} summaries gets no interval.", fewest=FEWEST))
    if chosen is None:
        st.info(say("Click a slice to list its summaries."), icon=":material/touch_app:")
        return
    label, places = groups[chosen]
    st.header(literal(_named(by, label)), anchor=False)  # a topic comes from a file
    table.table(run, places, f"errors_slice_{by}_{chosen}")


def _named(by: str, label: str) -> str:
    """Return a slice as it is shown; a topic comes from the data."""
    return say(label) if label in SLICES[by].order or label == OTHER else label


def _forget() -> None:
    PART.value = 0


def _pick(count: int) -> None:
    part = pictures.clicked(BARS)
    if part is not None and part < count:
        PART.value = part + 1
