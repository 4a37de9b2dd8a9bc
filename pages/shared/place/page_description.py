"""What the open page shows, in words: views say it while they are drawn, and `visited` takes it down afterwards."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

SEEN = "seen"
"""Session key."""


@dataclass(frozen=True)
class Seen:
    """What a page shows, said.

    Args:
        what: one entry for each: "branch “went” at step 5"; "" for the view as a whole.
        detail: what changes in small steps, of which the last one counts: "step 7".
        summary: what the model has written here.
        returnable: whether a link and the dialogue lead back to it.
    """

    what: str = ""
    detail: str = ""
    summary: str = ""
    returnable: bool = True


def begin() -> None:
    """Forget what was said; before the page is drawn."""
    st.session_state[SEEN] = Seen()


def say(**parts: Any) -> None:
    """Say one or several of the parts of `Seen`; the last word counts."""
    st.session_state[SEEN] = replace(said(), **parts)


def said() -> Seen:
    """Return what was said since the page began."""
    found: Seen = st.session_state.get(SEEN, Seen())
    return found
