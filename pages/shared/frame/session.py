"""Start a session and start it over."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

STARTED, UPLOADS, RUNS, ROLE, LANGUAGE = "started", "uploads", "runs", "role", "language"
"""Session keys: set by the first run; how many files were taken, which gives each uploader a new key; how often a page
was drawn; what the session is in a class that follows; which language it chose."""


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


def reset() -> None:
    """Go back to the first example and the checkpoint's own settings; class and language stay. For a button."""
    uploads = st.session_state.get(UPLOADS, 0)
    kept = {key: st.session_state[key] for key in (ROLE, LANGUAGE) if key in st.session_state}
    st.session_state.clear()
    st.session_state.update({STARTED: True, UPLOADS: uploads + 1, **kept})
    st.query_params.clear()
