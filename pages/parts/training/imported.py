"""A checkpoint that was trained elsewhere: what its card says in place of a training."""

import streamlit as st

from core import checkpoints
from core.figures.shared import card_facts
from core.words import say
from pages.shared.session import decoding
from pages.shared.session.notices import literal


def said(lacking: str) -> bool:
    """Say of an imported checkpoint in the sidebar what it lacks; return whether it is one.

    Args:
        lacking: in words, said: "curves".
    """
    name = decoding.checkpoint()
    if not card_facts.is_imported(checkpoints.read_card(name)):
        return False
    text = say(
        "“{name}” was trained elsewhere: its weights were imported, and nothing of its training came with them: "
        "there are no {lacking}.",
        name=literal(name),
        lacking=lacking,
    )
    st.info(text, icon=":material/move_to_inbox:")
    return True


def draw() -> None:
    """Draw what is known of an imported checkpoint in the sidebar."""
    facts, files = card_facts.origin(checkpoints.read_card(decoding.checkpoint()))
    with st.container(border=True, key="imported"):
        st.markdown("  \n".join(f"**{name}:** {literal(value)}" for name, value in facts.items()))
        if files:
            with st.popover(say("Files"), icon=":material/folder:"):
                table = {say("File"): list(files), "SHA-256": list(files.values())}
                st.dataframe(table, hide_index=True, width=720, alt=say("The imported files"))
