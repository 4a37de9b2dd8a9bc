"""Start a session, start it over, and take that back."""

from collections.abc import Collection
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

STARTED, UPLOADS, RUNS, ROLE, LANGUAGE = "started", "uploads", "runs", "role", "language"
"""Session keys: set by the first run; how many files were taken, which gives each uploader a new key; how often a page
was drawn; what the session is in a class that follows; which language it chose."""
BEFORE = "before_reset"
"""Session key: what the last reset took away."""


def require_frame() -> None:
    """Run app.py instead if Streamlit started a page without it.

    A fresh server takes a folder named `pages` for the old kind of multipage app until `st.navigation` is called for
    the first time: a link to a page would run the page's file alone.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def is_new() -> bool:
    """Return whether this is the first run of a session, and start it."""
    if STARTED in st.session_state:
        return False
    st.session_state[STARTED] = True
    return True


def reset(choices: Collection[str] = ()) -> None:
    """Go back to the first example and the checkpoint's own settings; class and language stay. For a button.

    Args:
        choices: names of the fields, whose controls `undo` may set.
    """
    before, uploads = _settable(choices), st.session_state.get(UPLOADS, 0)
    kept = {key: st.session_state[key] for key in (ROLE, LANGUAGE) if key in st.session_state}
    st.session_state.clear()
    st.session_state.update({STARTED: True, UPLOADS: uploads + 1, BEFORE: before, **kept})
    st.query_params.clear()


def can_undo() -> bool:
    """Return whether a reset can be taken back."""
    return BEFORE in st.session_state


def undo() -> None:
    """Take the last reset back; class and language stay as they are now. For a button."""
    before = st.session_state.pop(BEFORE, {})
    uploads = st.session_state.get(UPLOADS, 0)
    st.session_state.update({**before, UPLOADS: uploads + 1})


def _settable(choices: Collection[str]) -> dict[str, Any]:
    """Return what of the session can be set again: no button, no uploader, no selection in a table or chart."""
    context = get_script_run_ctx()
    widgets = context.session_state._state._key_id_mapper if context else ()
    state = st.session_state
    return {
        str(key): state[key]
        for key in state
        if (key in choices or key not in widgets) and key not in (ROLE, LANGUAGE, BEFORE)
    }
