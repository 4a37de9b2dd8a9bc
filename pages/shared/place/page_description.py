"""What the open page shows, in words: views describe it while they are drawn, `visited` takes it down afterwards."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

DESCRIPTION = "page_description"
"""Session key."""


@dataclass(frozen=True)
class Description:
    """What a page shows, in the language of its visitor.

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
    """Forget what was described; before the page is drawn."""
    st.session_state[DESCRIPTION] = Description()


def describe(**parts: Any) -> None:
    """Give one or several of the parts of `Description`; the last word counts."""
    st.session_state[DESCRIPTION] = replace(described(), **parts)


def described() -> Description:
    """Return what was described since the page began."""
    description: Description = st.session_state.get(DESCRIPTION, Description())
    return description
