"""Change the checkpoint together with what it can read: a tiny network knows letters, no dialogues."""

import streamlit as st

from core import checkpoints
from core.errors import CheckpointError
from pages.shared.session import decoding, selection


def known_input(name: str) -> str:
    """Return the input that a checkpoint's card names because it reads no dialogues; "" for a summariser.

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
    """Take the settings of the chosen checkpoint and, if it reads no dialogues, its input; for a callback."""
    decoding.restore()
    found = text or known_input(decoding.checkpoint())
    if found:
        selection.INPUT.value = "paste"
        st.session_state[selection.PASTE_BOX] = found
        selection.use_own(found)
    elif selection.current().text in _inputs():
        selection.INPUT.value = "example"


def _inputs() -> set[str]:
    return {found for name in checkpoints.installed() if (found := known_input(name))}
