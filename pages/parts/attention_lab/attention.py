"""Attention on small matrices: every stage with its arithmetic, and the printed numbers of the sources beside ours."""

import streamlit as st

from core.explain.lab import attention
from core.figures import lab_words
from pages.parts.attention_lab import boards, matrices
from pages.shared.matrix_board import Group


def draw() -> None:
    """Draw the view."""
    preset = matrices.preset()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        matrices.choose_preset()
        matrices.choose_scoring()
        matrices.choose_mark()
    st.caption(preset.source)
    inputs = matrices.edited()
    scoring = matrices.scoring()
    learnt = scoring in ("multiplicative", "additive")
    steps = attention(inputs, scoring, matrices.parameters(inputs, draw=learnt))
    mark = matrices.MARKS["attend" if inputs.attend else "blocked"]
    grids = [
        boards.grid(
            step, scoring=scoring, preset=preset, formula={"query": "queries", "key": "keys", "value": "values",
            "mask": mark}.get(step.name),
        )
        for step in steps
    ]  # fmt: skip
    caption = lab_words.attention_caption(steps)
    agreeing, total = lab_words.printed_counts(steps, preset)
    if total:
        st.markdown(f"**{agreeing} of {total}** printed numbers of the source agree with ours, to their digits.")
    boards.show([Group("", grids)], "attention-lab", caption, lambda: lab_words.step_table(steps, preset))
