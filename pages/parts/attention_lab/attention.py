"""Attention on small matrices: every stage with its arithmetic, and the printed numbers of the sources beside ours."""

import streamlit as st

from core.explain.attention_lab.lab import attention
from core.figures.attention_lab import words
from core.figures.attention_lab.board import Grid, Group
from core.words import say
from pages.parts.attention_lab import boards, matrices
from pages.shared.controls.choices import row


def draw() -> None:
    """Draw the matrices of one example, from queries and keys to the output."""
    preset = matrices.preset()
    with row():
        matrices.choose_preset()
        matrices.choose_scoring()
        matrices.choose_convention()
    inputs, scoring = matrices.edited(), matrices.scoring()
    learnt = scoring in ("multiplicative", "additive")
    steps = attention(inputs, scoring, matrices.parameters(inputs, draw=learnt))
    convention = say(matrices.CONVENTIONS["attend" if inputs.attend else "blocked"])
    formulas = {"query": say("queries"), "key": say("keys"), "value": say("values"), "mask": convention}
    grids = [Grid(step, scoring, preset, formula=formulas.get(step.name)) for step in steps]
    caption = words.attention_caption(steps)
    boards.show([Group("", grids)], "attention-lab", caption, steps, preset=preset)
    agreeing, total = words.printed_counts(steps, preset)
    if total:
        agreement = say(
            "**{agreeing} of {total}** numbers of the original agree with ours, in all digits that it shows.",
            agreeing=agreeing,
            total=total,
        )
        st.markdown(agreement)
    st.caption(say(preset.source))
