"""Training: losses epoch by epoch, what came of it, a time-lapse, a tiny training now, and schedules."""

import streamlit as st

from pages.parts.training import curves, lapse, schedule, scores, tiny
from pages.shared import state, views
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
    with views.part():
        views.choose(VIEWS, Key.TRAIN_VIEW, on_change=lapse.stop)()


draw()
