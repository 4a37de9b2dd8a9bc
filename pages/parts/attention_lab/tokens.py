"""One block of the loaded model on the tokens of the current dialogue: one token's numbers, stage by stage."""

import streamlit as st

from core.experiments.token_block import Stack, token_block
from core.explain.lab_steps import Step
from core.figures import lab_block, lab_words
from core.figures.wording import count, token_text
from pages.parts.attention_lab import boards
from pages.shared import family, picker, state
from pages.shared.head_sums import figures
from pages.shared.matrix_board import Grid
from pages.shared.state import Key

SHOWN = 8
"""Components of a vector that are drawn."""
SAME = 1e-4
"""Largest distance that single precision explains."""


def draw(stack: Stack) -> None:
    """Draw the view."""
    if not family.transformer_or_note("such blocks"):
        return
    picker.bar()
    summary = state.require_trace()
    summarizer = state.current_job().summarizer
    if summarizer is None:
        return
    config = summarizer.config
    layers = config.encoder_layers if stack == "encoder" else config.decoder_layers
    tokens = summary.source if stack == "encoder" else summary.tokens
    labels = [token_text(token) for token in tokens]
    layer, row = _choose(layers, labels, stack)
    found = token_block(summarizer, summary, stack, layer)
    label = labels[row]
    steps = [step for step in found.steps if _is_shown(step)]
    difference = found.difference(row)
    agrees = "the same" if difference < SAME else "not the same"
    st.markdown(
        f"Layer {layer + 1} of {layers}, {count(config.d_model, 'number')} a token, the first {SHOWN} drawn. "
        f"What leaves the block is {agrees} as the model's own output: largest distance {figures(difference)}."
    )
    rows = [lab_block.only_row(step, row) for step in steps]
    boards.show(
        boards.grouped(steps, lambda step: _grid(step, row, label)),
        f"{stack}-block-token",
        lab_block.token_caption(label, found.steps, row),
        lambda: lab_words.step_table(rows),
    )


def _is_shown(step: Step) -> bool:
    """The token's own vectors, γ and β; heads are shown on the Attention page."""
    if step.stage in ("weights", "memory"):
        return False
    return step.stage == "heads" or lab_block.is_shown(step, inside=False, weights=False)


def _grid(step: Step, row: int, label: str) -> Grid:
    size = len(step.values)
    alone = step.stage in ("gamma", "beta")
    return boards.grid(step, rows=[""] if alone else [label] * size, shown=((0 if alone else row,), SHOWN))


def _choose(layers: int, labels: list[str], stack: Stack) -> tuple[int, int]:
    """The layer and the token, both from 0; a link's impossible ones are noted."""
    session = st.session_state
    for key, most in ((Key.LAB_LAYER, layers), (Key.LAB_TOKEN, len(labels))):
        if not 1 <= session[key] <= most:
            state.note(f"The link asks for {key}={session[key]}, which is not possible here (allowed: 1 to {most}).")
            session[key] = 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        layer = st.selectbox("Layer", range(1, layers + 1), key=Key.LAB_LAYER, persist_state="session", width=150)
        row = st.selectbox(
            "Token" if stack == "encoder" else "The token that is about to be written",
            range(1, len(labels) + 1),
            format_func=lambda place: f"{place} · {labels[place - 1]}",
            key=Key.LAB_TOKEN,
            persist_state="session",
            width=320,
        )
    return int(layer) - 1, int(row) - 1
