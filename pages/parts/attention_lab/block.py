"""One whole encoder or decoder block on a small matrix, stage by stage; post-norm beside pre-norm."""

from dataclasses import replace
from typing import get_args

import numpy as np
import streamlit as st

from core.config import Norm
from core.explain.attention_lab.block import BlockMaps, NormMaps, block, random_maps
from core.explain.attention_lab.matrix_text import resized, write
from core.explain.attention_lab.presets import WORDS
from core.explain.attention_lab.steps import Matrix
from core.figures.attention_lab import block as lab_block
from core.figures.attention_lab.board import grouped
from core.figures.shared.wording import count
from core.words import later, say
from pages.parts.attention_lab import boards, matrices, tokens
from pages.parts.attention_lab.editors import Box, Editor
from pages.shared.controls.choices import number, one_of, options, row
from pages.shared.figures import pictures
from pages.shared.session.fields import Choice, Number, Text

INNER = 6
"""Inner width of the feed-forward network."""
OF = {"matrix": later("A small matrix"), "tokens": later("Your tokens")}
STACKS = {"encoder": later("Encoder block"), "decoder": later("Decoder block")}
BLOCK_OF, STACK = Choice("lab_block_of", OF), Choice("lab_stack", STACKS)
NORM, HEADS = Choice("lab_norm", lab_block.NAMES), Number("lab_heads", 1, 2, 1)
BLOCK = Text("lab_block", 3000)
FIELDS = (BLOCK_OF, STACK, NORM, HEADS, BLOCK, tokens.LAYER, tokens.TOKEN)
EDITOR = Editor(BLOCK, 6)
WEIGHTS, INSIDE = "lab_show_weights", "lab_show_inside"
NORMS = ("self", "cross", "feed")
PLAIN = np.array([[1.0], [0.0]]).repeat(WORDS.shape[1], axis=1)
STANDARD = {"x": WORDS, "memory": WORDS[:3]} | {name: PLAIN for name in NORMS}
"""What comes in, the memory, and γ and β of each sub-layer."""
BOXES = {
    "x": Box("x"),
    "memory": Box(later("Memory")),
    "self": Box(later("γ, β self"), fixed=("γ", "β")),
    "cross": Box(later("γ, β cross"), fixed=("γ", "β")),
    "feed": Box(later("γ, β feed"), fixed=("γ", "β")),
}
ENCODER = ("x", "self", "feed")


def draw() -> None:
    """Draw a block on a small matrix that can be edited, or on the tokens of the dialogue."""
    with row():
        of = one_of(say("Computed on"), BLOCK_OF, on_change=boards.clear_cell)
        tip = say("The decoder's has a third sub-layer: cross-attention.")
        stack = one_of(say("Block"), STACK, tip=tip, on_change=boards.clear_cell)
        if of == "matrix":
            tip = say("Post: LayerNorm(x + sub-layer(x)), as in the paper. Pre: x + sub-layer(LayerNorm(x)).")
            one_of(say("Normalisation"), NORM, tip=tip, on_change=boards.clear_cell)
    if of == "matrix":
        with options():
            heads = {amount: count(amount, "head") for amount in (1, 2)}
            one_of(say("Attention"), heads, HEADS, on_change=boards.clear_cell)
            number(say("Seed of the weights"), matrices.SEED, width=170)
    if of == "tokens":
        tokens.draw(stack)
    else:
        _small(stack == "decoder", NORM.value)  # type: ignore[arg-type]


def _small(decoder: bool, norm: Norm) -> None:
    """Draw the block on matrices that can be edited."""
    _fit()
    edited = EDITOR.draw(STANDARD, {name: box for name, box in BOXES.items() if decoder or name in ENCODER})
    x, memory = edited["x"], edited["memory"] if decoder else None
    masks = [np.ones((len(x), len(x)))]
    if memory is not None:
        masks = [np.tril(masks[0]), np.ones((len(x), len(memory)))]
    maps = _maps(edited, decoder)
    blocks = {kind: block(replace(maps, norm=kind), x, masks, memory) for kind in get_args(Norm)}
    with options():
        inside = st.toggle(say("Inside the attention"), key=INSIDE, persist_state="session")
        weights = st.toggle(say("Weights and biases"), key=WEIGHTS, persist_state="session")
    about = say("The weights are drawn at random, with one decimal; nothing is masked.")
    if decoder:
        about = say(
            "The weights are drawn at random, with one decimal; the decoder's self-attention has the look-ahead mask."
        )
    steps = [step for step in blocks[norm] if lab_block.is_shown(step, inside, weights)]
    name = f"{'decoder' if decoder else 'encoder'}-block"
    boards.show(boards.parts(grouped(steps), options()), name, lab_block.block_caption(blocks[norm]), steps)
    st.caption(about)
    with st.expander(say("Post-norm beside pre-norm")):
        pictures.show(lab_block.norms_picture(blocks), "norms_picture")


def _fit() -> None:
    """Let γ and β follow the width of x."""
    now = EDITOR.held(STANDARD)
    width = now["x"].shape[1]
    if any(now[name].shape != (2, width) for name in NORMS):
        for name in NORMS:
            fitted = resized(now[name], 2, width, 0.0)
            fitted[0, now[name].shape[1] :] = 1.0
            now[name] = fitted
        BLOCK.value = write(now)


def _maps(edited: dict[str, Matrix], decoder: bool) -> BlockMaps:
    """Return random weights of the block, with the γ and β that were edited."""
    memory = edited["memory"].shape[1] if decoder else None
    maps = random_maps(edited["x"].shape[1], HEADS.value, INNER, matrices.SEED.value, memory)
    return replace(maps, norms=tuple(NormMaps(*edited[name]) for name in NORMS if decoder or name != "cross"))
