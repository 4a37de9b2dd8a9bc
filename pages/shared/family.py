"""What a recurrent model has not, said in one way on every page."""

import streamlit as st

from core import checkpoints
from core.config import ModelConfig
from core.figures.wording import listed
from pages.shared import state
from pages.shared.errors import literal

NO_ATTENTION = (
    "This model has no attention: its encoder hands **one vector** to its decoder, however long the dialogue is. That "
    "is the bottleneck that attention was invented to open, and there is nothing to draw."
)


def is_transformer(name: str | None = None) -> bool:
    """Whether a checkpoint, the chosen one unless another is named, is a Transformer; raises CheckpointError."""
    return isinstance(checkpoints.read_config(name or state.checkpoint()), ModelConfig)


def transformer_or_note(lacking: str) -> bool:
    """Whether the chosen checkpoint is a Transformer; if not, say what it lacks and what to choose instead.

    Args:
        lacking: what is shown here, in words: "attention heads".
    """
    if is_transformer():
        return True
    others = [f"“{literal(name)}”" for name in checkpoints.installed() if is_transformer(name)]
    choose = f"Choose a Transformer in the sidebar: {listed(others)}." if others else "No Transformer is installed."
    st.info(
        f"“{literal(state.checkpoint())}” is a recurrent model: it has no {lacking}. {choose}", icon=":material/info:"
    )
    return False
