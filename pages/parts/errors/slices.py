"""Slices: where a measure is high or low, with intervals; a bar opens its examples."""

from statistics import fmean

import streamlit as st

from core.evaluation.measures import having, values
from core.evaluation.slices import FEWEST, Sliced, means
from core.figures.errors import corpus
from core.figures.shared.wording import count
from core.words import say
from pages.parts.errors import columns, hints, labels, table
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.session.fields import Number, Text
from pages.shared.session.notices import literal

MEASURE = Text("err_measure", 20, "rouge1")
"""Of the comparison, too."""
BY = Text("err_slice", 120, "turns")
AND = Text("err_slice_and", 120)
"""What the slices are crossed with, "" for nothing."""
PART = Number("err_part", 0, 99, 0)
FIELDS = (MEASURE, BY, AND, PART)
BARS = "errors_slices_picture"


def draw(run: Run) -> None:
    """Draw the mean of a measure in each slice, and the table of the chosen slice."""
    sliced = Sliced(run.rows, hints.of_rows(run), labels.book())
    ways = sliced.ways()
    by, and_by = BY.fit(ways, say("the slices"), next(iter(ways))), AND.fit(("", *ways), say("the slices"))
    with row():
        select(say("Slices by"), ways, BY, width=190, on_change=_forget)
        select(say("Crossed with"), {"": say("nothing")} | ways, AND, width=190, on_change=_forget)
        name = columns.choose_measure(say("Measure"), MEASURE, run, 190)
    groups = sliced.groups(by, and_by)
    parts = means(groups, run.rows, name)
    if not parts:
        missing = say("These dialogues do not have what the slices are made by. Choose another.")
        st.info(missing, icon=":material/info:")
        return
    bars = [corpus.SliceBar(mean.name, len(mean.places), mean.interval.mean, *mean.ends) for mean in parts]
    overall = fmean(values(name, having(run.rows, name).values()))
    chosen = PART.fit(range(len(bars) + 1), say("slice")) - 1 if run.complete else PART.value - 1
    chosen = chosen if 0 <= chosen < len(bars) else None
    pictures.show(corpus.slices(bars, columns.axis(name), overall, chosen), BARS, on_select=lambda: _pick(len(bars)))
    sentences = [say("A slice of fewer than {fewest} summaries gets no interval.", fewest=FEWEST)]
    inside = {place for _, places in groups for place in places}
    if outside := len(run.rows) - len(inside):
        sentences.append(say("{rows} in no slice.", rows=count(outside, "row")))
    if any(bar.low is None for bar in bars) or outside:
        st.caption(" ".join(sentences))
    if chosen is None:
        st.info(say("Click a slice to list its summaries."), icon=":material/touch_app:")
        return
    part = parts[chosen]
    st.header(literal(part.name), anchor=False)  # a topic comes from a file
    table.table(run, part.places, f"errors_slice_{chosen}")


def _forget() -> None:
    PART.value = 0


def _pick(amount: int) -> None:
    part = pictures.clicked(BARS)
    if part is not None and part < amount:
        PART.value = part + 1
