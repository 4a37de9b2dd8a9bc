"""Change the checkpoint together with what it can read: a tiny network knows letters, no dialogues."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core import checkpoints
from core.errors import CheckpointError
from pages.shared.session import decoding, selection

WAY = "way_before"
"""Session key: where the dialogue came from before an input of a checkpoint stood in its place."""


def known_input(name: str) -> str:
    """Return the input that a checkpoint's card names because it reads no dialogues; "" for a summarizer."""
    return str(_card(name).get("input") or "")


def fewest_speakers(card: Mapping[str, Any]) -> int:
    """Return how many people speak at least in the dialogues that a checkpoint was trained for; 0 without a limit."""
    fewest = _part(card, "groups").get("speakers")
    return fewest if isinstance(fewest, int) else 0


def better_for(name: str, speakers: int) -> str:
    """Return the checkpoint that was trained for so many people, where the chosen one was not; "" without one.

    One for groups is kept as its difference from another: these two belong together.
    """
    card = _card(name)
    if fewest_speakers(card):
        base = str(_part(card, "base").get("name"))
        return base if 0 < speakers < fewest_speakers(card) and base in decoding.available() else ""
    for other in decoding.available():
        fewest = fewest_speakers(_card(other))
        if 0 < fewest <= speakers and _part(_card(other), "base").get("name") == name:
            return other
    return ""


def _card(name: str) -> Mapping[str, Any]:
    """Return a card, an empty one instead of a damaged one: the page that shows it says so."""
    try:
        return checkpoints.read_card(name)
    except CheckpointError:
        return {}


def _part(card: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = card.get(name)
    return part if isinstance(part, dict) else {}


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
