"""Change the checkpoint together with what it can read: a tiny network knows letters, no dialogues."""

import streamlit as st

from core import checkpoints
from core.errors import CheckpointError
from pages.shared.session import decoding, selection

WAY = "way_before"
"""Session key: where the dialogue came from before an input of a checkpoint stood in its place."""


def known_input(name: str) -> str:
    """Return the input that a checkpoint's card names because it reads no dialogues; "" for a summarizer.

    A damaged card names none: the page that shows it says so.
    """
    try:
        return str(checkpoints.read_card(name).get("input") or "")
    except CheckpointError:
        return ""


def to(name: str, text: str = "") -> None:
    """Choose a checkpoint, its decoding settings and an input, by default the one that its card names."""
    decoding.CHECKPOINT.value = name
    follow(text)


def follow(text: str = "") -> None:
    """Take the settings of the chosen checkpoint and, if it reads no dialogues, its input; for a callback.

    A dialogue of one's own is kept meanwhile.
    """
    decoding.restore()
    brought = text or known_input(decoding.checkpoint())
    if brought:
        if not selection.is_lent():
            st.session_state[WAY] = selection.INPUT.value
        selection.lend(brought)
        selection.INPUT.value = "paste"
    elif selection.origin() == selection.OWN and selection.is_lent() and selection.is_aside():
        selection.bring_back()
        selection.INPUT.value = st.session_state.get(WAY, "paste")
    elif selection.current().text in _inputs():
        selection.INPUT.value = "example"


def _inputs() -> set[str]:
    return {text for name in checkpoints.installed() if (text := known_input(name))}
