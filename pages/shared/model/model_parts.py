"""Ask which parts the chosen model has, and say in one way on every page that one is missing."""

from typing import Literal

import streamlit as st

from core import checkpoints
from core.config import ModelConfig
from core.figures.shared.wording import listed
from core.words import later, say
from pages.shared.session import decoding
from pages.shared.session.notices import literal

Part = Literal["heads", "positions", "blocks"]

NO_ATTENTION = later(
    "This model has no attention: its encoder hands **one vector** to its decoder, however long the dialogue is. That "
    "is the bottleneck that attention was invented to open, and there is nothing to draw."
)
"""In English, and translated when shown."""


def has(part: Part, name: str | None = None) -> bool:
    """Return whether a checkpoint, the chosen one unless another is named, has a part; raises CheckpointError."""
    return bool(getattr(checkpoints.read_config(name or decoding.checkpoint()).has, part))


def has_or_note(part: Part, lacking: str) -> bool:
    """Return whether the chosen checkpoint has a part; if not, say what it lacks and what to choose instead.

    Args:
        part: one of `core.config.Capabilities`.
        lacking: what is shown here, said: "attention heads".
    """
    if has(part):
        return True
    family = checkpoints.read_config(decoding.checkpoint()).has.family
    others = [f"“{literal(name)}”" for name in decoding.available() if has(part, name)]
    choose = (
        say("Choose another model in the sidebar: {models}.", models=listed(others))
        if others
        else say("No installed model has that.")
    )
    lacks = say(
        "“{model}” is a {family}: it has no {lacking}.",
        model=literal(decoding.checkpoint()), family=family, lacking=lacking,
    )  # fmt: skip
    st.info(f"{lacks} {choose}", icon=":material/info:")
    return False


def blocks_or_note(lacking: str) -> ModelConfig | None:
    """Return the shape of the chosen checkpoint's blocks; if it has none, say what it lacks and return None.

    Args:
        lacking: what is shown here, said: "attention heads".
    """
    has_or_note("blocks", lacking)
    return shape()


def shape() -> ModelConfig | None:
    """Return the shape of the chosen checkpoint's blocks, None if it has none."""
    return checkpoints.read_config(decoding.checkpoint()).has.blocks
