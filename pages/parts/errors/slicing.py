"""Slices: where a measure is high or low, with intervals; a bar opens its examples."""

import streamlit as st

from core.faults import slices
from core.figures import corpus
from pages.parts.errors import examples, measures
from pages.parts.errors.runs import Run
from pages.shared import pictures
from pages.shared.state import Key

BARS = "errors_slices_picture"
FEWEST = 5
"""Rows of a slice that get an interval: of fewer a bootstrap says nothing."""


def draw(run: Run) -> None:
    """Draw the view."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = _by()
        name = measures.choose("Measure", Key.ERR_MEASURE, measures.known(run))
    rows = {place: row for place, row in run.rows.items() if measures.value(name, row) is not None}
    groups = measures.groups(by, rows)
    if not groups:
        st.info("Nothing to slice by: these dialogues do not have it.", icon=":material/info:")
        return
    bars = []
    for label, places in groups:
        values = [measures.number(name, rows[place]) for place in places]
        mean, low, high = measures.interval(values)
        known = len(values) >= FEWEST
        bars.append(corpus.SliceBar(label, len(values), mean, low if known else None, high if known else None))
    overall = measures.mean([measures.number(name, row) for row in rows.values()])
    part = int(st.session_state[Key.ERR_PART])
    chosen = part - 1 if 1 <= part <= len(groups) else None
    pictures.show(corpus.slices(bars, measures.axis(name), overall, chosen), BARS, on_select=lambda: _pick(len(groups)))
    if any(bar.low is None for bar in bars):
        st.caption(f"A slice of fewer than {FEWEST} summaries gets no interval.")
    if chosen is None:
        st.info("Click a slice to list its summaries.", icon=":material/touch_app:")
        return
    label, places = groups[chosen]
    st.subheader(label, anchor=False)
    examples.table(run, places, f"errors_slice_{by}_{chosen}")


def _by() -> str:
    names = {name: each.label for name, each in slices.SLICES.items()}
    if st.session_state[Key.ERR_SLICE] not in names:
        st.session_state[Key.ERR_SLICE] = next(iter(names))
    return str(
        st.selectbox(
            "Slices by", list(names), format_func=names.get, key=Key.ERR_SLICE, persist_state="session", width=240,
            on_change=_forget_part,
        )
    )  # fmt: skip


def _forget_part() -> None:
    st.session_state[Key.ERR_PART] = 0


def _pick(count: int) -> None:
    part = pictures.clicked(BARS)
    if part is not None and part < count:
        st.session_state[Key.ERR_PART] = part + 1
