"""The dialogs of the frame: a page can have one at a time, so one key of the session names the one that is open."""

from collections.abc import Callable
from typing import Any

import streamlit as st

OPEN = "open_dialog"
"""Session key."""


def show(name: str = "") -> None:
    """Open a dialog, "" for none; any other closes."""
    st.session_state[OPEN] = name


def is_open(name: str) -> bool:
    """Return whether a dialog is open."""
    return bool(st.session_state.get(OPEN) == name)


def draw(name: str, title: str, content: Callable[[], None], **options: Any) -> None:
    """Draw a dialog if it is open; `options` are further ones of `st.dialog`."""
    if is_open(name):
        st.dialog(title, on_dismiss=show, **options)(content)()
