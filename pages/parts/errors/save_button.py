"""A button that saves work: what its file holds counts as saved once the file has been made, not when it is pressed.

While the page is being drawn anew, a press may ask for the file of the button that stood there before. The server has
dropped that one, and makes no file.
"""

from collections.abc import Callable
from queue import Empty, SimpleQueue

import streamlit as st

from core.words import say

MADE, NONE_MADE = "err_files_made", "err_no_file_made"
"""Session keys: what to do for each file that was made; the key of the button that got none, until one is made."""
LONGEST = 5.0
"""Seconds that a press waits for its file; one that is made later counts from the next run on."""


def draw(
    label: str,
    make: Callable[[], str],
    name: str,
    kind: str,
    *,
    key: str,
    mark: Callable[[], None],
    icon: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw the button.

    Args:
        label: of the button.
        make: gives the content; it runs without a session.
        name: of the file.
        kind: of the file, a MIME type.
        key: of the button.
        mark: notes that what the file holds was saved.
        icon: of the button.
        help: of the button.
        disabled: whether there is nothing to save.
    """
    made: SimpleQueue[Callable[[], None]] = st.session_state.setdefault(MADE, SimpleQueue())

    def content() -> str:
        written = make()
        made.put(mark)
        return written

    st.download_button(
        label, content, name, kind, key=key, on_click=_wait, args=(key,), icon=icon, help=help, disabled=disabled
    )
    if st.session_state.get(NONE_MADE) == key:
        st.warning(say("No file was made. Press the button again."), icon=":material/warning:")


def settle() -> None:
    """Note what was saved by a file that came too late for its press; the others are left to their presses."""
    if NONE_MADE not in st.session_state:
        return
    made: SimpleQueue[Callable[[], None]] = st.session_state[MADE]
    while not made.empty():
        made.get()()
        st.session_state.pop(NONE_MADE, None)


def _wait(key: str) -> None:
    """Wait for the file of a press, which is made beside the run; for a callback."""
    try:
        st.session_state[MADE].get(timeout=LONGEST)()
        st.session_state.pop(NONE_MADE, None)
    except Empty:
        st.session_state[NONE_MADE] = key
