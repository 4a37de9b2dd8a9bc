"""Training: losses epoch by epoch, what came of it, a time-lapse, a tiny training now, and schedules."""

import streamlit as st

from pages.parts.training import curves, lapse, schedule, scores, tiny
from pages.shared import address, errors, state
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "curves": (":material/show_chart: Curves", curves.draw),
    "scores": (":material/straighten: Scores", scores.draw),
    "lapse": (":material/movie: Time-lapse", lapse.draw),
    "tiny": (":material/model_training: Train a tiny one", tiny.draw),
    "schedule": (":material/trending_down: Schedules", schedule.draw),
}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Watch it learn", anchor=False)
    _view()


@st.fragment
def _view() -> None:
    """Controls and view; a change draws them alone again, not the page."""
    before = state.notes()
    view = one_of(
        "View", {name: label for name, (label, _) in VIEWS.items()}, Key.TRAIN_VIEW, hidden=True, on_change=lapse.stop
    )
    address.write()
    with errors.boundary("view"):
        VIEWS[view][1]()
    address.write()
    if state.notes() != before:
        st.rerun()  # the notes stand above the page


draw()
