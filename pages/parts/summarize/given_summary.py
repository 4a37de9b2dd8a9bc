"""The box for another summary of the dialogue, which every page then explains."""

import streamlit as st

from core.errors import DialoscopeError, SettingsError
from core.words import say
from pages.shared.model import loading, models
from pages.shared.session import decoding, notices, selection
from pages.shared.session.selection import GIVEN

BOX, REFUSED = "given_box", "given_refused"
"""Session keys: the text in the box; why the last one was refused."""


def draw() -> None:
    """Draw the box, folded."""
    with st.expander(say("Explain another summary"), icon=":material/history_edu:"):
        with st.form("given_form", border=False):
            label = say("A summary of this dialogue that you or another system wrote")
            st.text_area(label, key=BOX, height=100, persist_state="session")
            st.form_submit_button(say("Explain it"), on_click=_take)
        if refused := st.session_state.get(REFUSED):
            notices.show(refused)


def _take() -> None:
    st.session_state[REFUSED] = None
    try:
        _explain(str(st.session_state[BOX]).strip())
    except DialoscopeError as error:
        st.session_state[REFUSED] = error


def _explain(text: str) -> None:
    """Explain a summary; raises SettingsError if it is empty, or longer than a link or the model takes."""
    if not text:
        raise SettingsError("there is no summary to explain yet. Write or paste one: at least a word")
    if not GIVEN.holds(text):
        most = GIVEN.longest
        raise SettingsError(
            "the summary is too long. Received: {got:,} characters; allowed: {most:,}", got=len(text), most=most
        )
    if summarizer := loading.current_job().summarizer:
        models.forced(summarizer, selection.current().text, text, decoding.settings())
    GIVEN.value = text
    st.session_state[selection.BROUGHT] = st.session_state.get(selection.BROUGHT, 0) + 1  # the summary comes into view
