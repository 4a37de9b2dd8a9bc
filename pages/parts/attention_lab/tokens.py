"""One block of the loaded model on the tokens of the current dialogue: one token's numbers, stage by stage."""

import streamlit as st

from core.explain.attention_lab.steps import Step
from core.explain.attention_lab.token_block import Stack, token_block
from core.figures.attention_lab import block
from core.figures.attention_lab.board import Grid, grouped
from core.figures.shared.wording import count, figures, token_text
from core.words import say
from pages.parts.attention_lab import boards
from pages.shared.controls import picker
from pages.shared.controls.choices import options, row, select
from pages.shared.model import loading, model_parts
from pages.shared.session.fields import Number

LAYER = Number("lab_layer", 1, 99, 1)
TOKEN = Number("lab_token", 1, 9999, 1, of_dialogue=True)
SHOWN = 8
"""Components of a vector that are drawn."""
SAME = 1e-4
"""Largest distance that single precision explains."""


def draw(stack: Stack) -> None:
    """Draw the numbers of one token in one block of the model, first in to last out."""
    if not model_parts.has_or_note("blocks", say("such blocks")):
        return
    with row():
        picker.bar()
    summarizer, summary = loading.require_run()
    tokens, hidden = summary.tokens, summary.decoder_hidden
    if stack == "encoder":
        tokens, hidden = summary.source, summary.encoder_hidden
    layers, width = len(hidden) - 1, hidden.shape[-1]
    layer, token = _choose(layers, [token_text(token) for token in tokens], stack)
    name, place, column = (boards.CELL.value.rsplit(".", 2) + ["", ""])[:3]
    if place == str(token + 1):  # of a link from when every token had a row
        boards.CELL.value = f"{name}.1.{column}"
    computed = token_block(summarizer, summary, stack, layer, token)
    label = token_text(tokens[token])
    steps = [step for step in computed.steps if _is_shown(step)]
    drawn = say(
        "Layer {layer} of {layers}, {numbers} a token, the first {shown} drawn.",
        layer=layer + 1,
        layers=layers,
        numbers=count(width, "number"),
        shown=SHOWN,
    )
    boards.show(
        boards.parts(grouped(steps, lambda step: _grid(step, label)), options(), most=3),
        f"{stack}-block-token",
        block.token_caption(label, computed.steps),
        steps,
    )
    distance = figures(computed.difference)
    agreement = (
        say(
            "What leaves the block is the same as the model's own output: largest distance {distance}.",
            distance=distance,
        )
        if computed.difference < SAME
        else say(
            "What leaves the block is not the same as the model's own output: largest distance {distance}.",
            distance=distance,
        )
    )
    st.markdown(f"{drawn} {agreement}")


def _is_shown(step: Step) -> bool:
    """Return whether a step is one of the token's own vectors, γ or β; heads are shown on the Attention page."""
    if step.stage in ("weights", "memory"):
        return False
    return step.stage == "heads" or block.is_shown(step, inside=False, weights=False)


def _grid(step: Step, label: str) -> Grid:
    return Grid(step, rows=["" if step.stage in ("gamma", "beta") else label], shown=((0,), SHOWN))


def _choose(layers: int, labels: list[str], stack: Stack) -> tuple[int, int]:
    """Draw the choice of a layer and a token, both returned from 0."""
    LAYER.fit(range(1, layers + 1), say("layer"))
    TOKEN.fit(range(1, len(labels) + 1), say("token"))
    with row():
        layer = select(say("Layer"), {number: str(number) for number in range(1, layers + 1)}, LAYER, width=90)
        what = say("Token") if stack == "encoder" else say("Token to be written")
        token = select(what, {place: f"{place} · {text}" for place, text in enumerate(labels, 1)}, TOKEN, width=170)
    return layer - 1, token - 1
