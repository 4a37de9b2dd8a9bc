"""Four ways to score how well a key fits a query, on the same matrices."""

import streamlit as st

from core.errors import SettingsError
from core.explain.lab import Scoring, attention
from core.explain.lab_steps import Step
from core.figures import lab_words
from pages.parts.attention_lab import boards, matrices
from pages.shared.errors import literal
from pages.shared.matrix_board import Group

ABOUT: dict[Scoring, str] = {
    "scaled": "q·k ÷ √d. No weights of its own; queries and keys of one width. The Transformer's.",
    "dot": "sᵀh, with s a query and h a key. The same without the division.",
    "multiplicative": "sᵀWh. W is learnt, and lets queries and keys have different widths.",
    "additive": "vᵀ tanh(W₁h + W₂s). A small network with one hidden layer; v, W₁ and W₂ are learnt.",
}


HIDDEN = ("query", "key", "value", "mask", "masked", "output")
"""Stages that are the same for every score; the view Attention shows them."""


def draw() -> None:
    """Draw the view."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        matrices.choose_preset()
        matrices.choose_mark()
    st.caption("The matrices are those of the view Attention, with their mask. Here the learnt parts can be edited.")
    inputs = matrices.current()
    parameters = matrices.parameters(inputs, draw=True)
    found: dict[Scoring, tuple[Step, ...]] = {}
    for scoring in matrices.ALL_SCORINGS:
        try:
            found[scoring] = attention(inputs, scoring, parameters, group=scoring)
        except SettingsError as error:
            st.warning(f"{matrices.SCORINGS[scoring]}: {literal(str(error))}.", icon=":material/block:")
    if not found:
        return
    groups = [
        Group(
            matrices.SCORINGS[scoring],
            [boards.grid(step, scoring=scoring) for step in steps if step.stage not in HIDDEN],
            ABOUT[scoring],
        )
        for scoring, steps in found.items()
    ]
    everything = [step for steps in found.values() for step in steps]
    caption = lab_words.scoring_caption({matrices.SCORINGS[name].lower(): steps for name, steps in found.items()})
    boards.show(groups, "scoring", caption, lambda: lab_words.step_table(everything))
