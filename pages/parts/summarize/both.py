"""The dialogue on the left, its summary on the right."""

import streamlit as st

from core.words import say
from pages.parts.summarize import before, dialogue, parts, written
from pages.shared.controls import picker
from pages.shared.session import notices, selection


def draw() -> None:
    """Draw the choice of a dialogue, the dialogue and its summary."""
    picker.draw(folded=True)
    dialogue.reading()
    parts.choose()
    chosen = selection.current()
    if not chosen.text.strip():
        st.info(say("Your dialogue and its summary will appear here."), icon=":material/arrow_upward:")
        return
    before.text()
    if st.context.is_embedded:  # a narrow frame: the summary first, so that two models are compared at a glance
        right, left = st.container(), st.container()
    else:
        with st.container(key="summarize_columns"):
            left, right = st.columns([5, 6], gap="large")
    summary = None
    with right, notices.boundary("summary"):
        summary = written.draw()
    with left:
        dialogue.draw(chosen, summary)
    parts.draw_all()
