"""Masks: what each hides, on a batch of one's own; what happens without it; and the lesson of the look-ahead mask."""

import streamlit as st

from pages.parts.masks import batch, lesson, missing, training
from pages.shared import state, views
from pages.shared.state import Key

VIEWS = {
    "batch": (":material/grid_on: Your batch", batch.draw),
    "missing": (":material/visibility_off: What if it were missing?", missing.draw),
    "lesson": (":material/school: The lesson", lesson.draw),
}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("What a token may not see", anchor=False)
    _view(state.notes())


@st.fragment
def _view(above: tuple[str, ...]) -> None:
    """Controls and view; a change draws them alone again, not the page; `above` are the notes that stand there."""
    if state.notes() != above:
        st.rerun()  # a training draws the view again and again before it ends
    with views.part(above):
        views.choose(VIEWS, Key.MASKS_VIEW, on_change=training.stop)()


draw()
