"""Start a session, start it over, and take that back."""

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

STARTED, UPLOADS, RUNS, ROLE, LANGUAGE = "started", "uploads", "runs", "role", "language"
"""Session keys: set by the first run; how many files were taken, which gives each uploader a new key; how often a page
was drawn; what the session is in a class that follows; which language it chose."""
BEFORE, AFTER, CHOICES = "before_reset", "after_reset", "choices"
"""Session keys: what each of the last resets took away, the newest last; what the last `undo` took away; names of the
fields that were given a value, whose controls can be set."""
KEPT = 5
"""Most resets that can be taken back: what they took away takes memory."""


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
    """Go back to the first example and the checkpoint's own settings; class and language stay. For a button.

    The whole app is drawn anew: a dialog or the body of a page would draw itself alone, without what it stands in.
    """
    _change({}, {BEFORE: (*st.session_state.get(BEFORE, ()), _settable())[-KEPT:]})
    st.query_params.clear()
    st.rerun()


def can_undo() -> bool:
    """Return whether a reset can be taken back."""
    return bool(st.session_state.get(BEFORE))


def undo() -> None:
    """Take the last reset back; class and language stay as they are now. For a button."""
    if can_undo():
        *others, last = st.session_state[BEFORE]
        _change(last, {BEFORE: tuple(others), AFTER: _settable()})


def can_redo() -> bool:
    """Return whether what was there before the last `undo` can come back."""
    return AFTER in st.session_state


def redo() -> None:
    """Take the last `undo` back, with what was made between it and the reset. For a button."""
    if can_redo():
        _change(st.session_state[AFTER], {BEFORE: (*st.session_state.get(BEFORE, ()), _settable())[-KEPT:]})


def _change(new: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    """Put a state in the place of the session's; class and language stay, and every uploader is a new one.

    Args:
        new: the state.
        others: what can be brought back.
    """
    state = st.session_state
    kept = {key: state[key] for key in (ROLE, LANGUAGE) if key in state}
    uploads = state.get(UPLOADS, 0) + 1
    state.clear()
    state.update({**new, **kept, **others, STARTED: True, UPLOADS: uploads})


def _settable() -> dict[str, Any]:
    """Return what of the session can be set again: no button, no uploader, no selection in a table or chart."""
    context, state = get_script_run_ctx(), st.session_state
    widgets = context.session_state._state._key_id_mapper if context else ()
    choices, left_out = state.get(CHOICES, ()), (ROLE, LANGUAGE, BEFORE, AFTER)
    return {str(key): state[key] for key in state if (key in choices or key not in widgets) and key not in left_out}
