"""Errors: which summaries fail, how, and because of what."""

import streamlit as st

from pages.parts.errors import calibrating, comparing, data, detail, examples, hints, measures, runs, slicing, spread
from pages.shared import address, errors, state, views
from pages.shared.state import Key

VIEWS = {
    "examples": (":material/table_rows: Examples", examples.draw),
    "spread": (":material/scatter_plot: Spread", spread.draw),
    "slices": (":material/pie_chart: Slices", slicing.draw),
    "hints": (":material/fact_check: Hints", hints.draw),
    "compare": (":material/compare_arrows: Compare", comparing.draw),
    "calibration": (":material/speed: Calibration", calibrating.draw),
}
ABOUT = (
    "A score says that a summary differs from a reference, not what is wrong with it. Look at many summaries at once, "
    "find the ones that fail, and open them: every hint shows its evidence, and you decide."
)


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Find what went wrong", anchor=False)
    st.markdown(ABOUT)
    _view()


@st.fragment
def _view() -> None:
    """Everything that a choice changes; it is drawn again without the page's head."""
    before = state.notes()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = data.draw()
    errors.show_complaint()
    data.show_skipped(chosen)
    run = runs.current(chosen)
    address.write()
    if run is None:
        return
    runs.controls(run)
    runs.score_controls(run)
    if run.rows:
        measures.overview(run)
        draw_view = views.choose(VIEWS, Key.ERR_VIEW)
        with errors.boundary("view"):
            draw_view(run)
        _opened(run)
    if state.notes() != before:
        st.rerun()  # the notes stand above the page
    runs.advance(run)
    runs.advance_scores(run)


def _opened(run: runs.Run) -> None:
    """The row that was opened, under every view."""
    place = run.place(st.session_state[Key.ERR_ROW])
    if place is None:
        if st.session_state[Key.ERR_ROW] and run.complete:
            state.note(f"These examples have no row {st.session_state[Key.ERR_ROW][:40]}.")
            st.session_state[Key.ERR_ROW] = ""
        return
    st.divider()
    with errors.boundary("detail"):
        detail.draw(run, place)


draw()
