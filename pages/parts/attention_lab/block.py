"""One whole encoder or decoder block on a small matrix, stage by stage; post-norm beside pre-norm."""

from dataclasses import replace
from typing import get_args

import numpy as np
import streamlit as st

from core.config import Norm
from core.explain.block_lab import BlockMaps, NormMaps, block, random_maps, with_norm
from core.explain.lab_presets import WORDS
from core.explain.lab_steps import Matrix
from core.explain.matrix_text import resized, write
from core.figures import lab_block, lab_words
from pages.parts.attention_lab import boards, editors, tokens
from pages.parts.attention_lab.editors import Box
from pages.shared import pictures
from pages.shared.state import Key

MOST, INNER = 6, 6
"""Rows and columns that can be edited; inner width of the feed-forward network."""
OF = {"matrix": "A small matrix", "tokens": "Your tokens"}
STACKS = {"encoder": "Encoder block", "decoder": "Decoder block"}
HEADS = {1: "1 head", 2: "2 heads"}
WEIGHTS, INSIDE = "lab_show_weights", "lab_show_inside"
PLAIN = np.array([[1.0], [0.0]]).repeat(WORDS.shape[1], axis=1)
STANDARD = {"x": WORDS, "memory": WORDS[:3], "self": PLAIN, "cross": PLAIN, "feed": PLAIN}
"""What comes in, the memory, and γ and β of each sub-layer."""
BOXES = {
    "x": Box("x"),
    "memory": Box("Memory"),
    **{name: Box(f"γ, β {name}", fixed=("γ", "β")) for name in ("self", "cross", "feed")},
}
ENCODER = ("x", "self", "feed")


def draw() -> None:
    """Draw the view."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of = boards.choice("On", OF, Key.LAB_BLOCK_OF)
        stack = boards.choice("Block", STACKS, Key.LAB_STACK, "The decoder's has a third sub-layer: cross-attention.")
        if of == "matrix":
            tip = "Post: LayerNorm(x + sub-layer(x)), as in the paper. Pre: x + sub-layer(LayerNorm(x))."
            boards.choice("Normalisation", lab_block.NAMES, Key.LAB_NORM, tip)
            boards.choice("Attention", HEADS, Key.LAB_HEADS)
            st.number_input("Seed of the weights", 0, 9999, key=Key.LAB_SEED, persist_state="session", width=170)
    if of == "tokens":
        tokens.draw(stack)
    else:
        _small(stack == "decoder", st.session_state[Key.LAB_NORM])


def _small(decoder: bool, norm: Norm) -> None:
    """The block on matrices that can be edited."""
    _fit()
    boxes = {name: box for name, box in BOXES.items() if decoder or name in ENCODER}
    found = editors.edit(Key.LAB_BLOCK, STANDARD, boxes, MOST)
    x, memory = found["x"], found["memory"] if decoder else None
    masks = [np.ones((len(x), len(x)))]
    if memory is not None:
        masks = [np.tril(masks[0]), np.ones((len(x), len(memory)))]
    blocks = {each: block(with_norm(_maps(found, decoder), each), x, masks, memory) for each in get_args(Norm)}
    with st.container(horizontal=True):
        inside = st.toggle("Inside the attention", key=INSIDE, persist_state="session")
        weights = st.toggle("Weights and biases", key=WEIGHTS, persist_state="session")
    masked = "the decoder's self-attention has the look-ahead mask" if decoder else "nothing is masked"
    st.caption(f"The weights are drawn at random, with one decimal; {masked}.")
    steps = [step for step in blocks[norm] if lab_block.is_shown(step, inside, weights)]
    name = f"{'decoder' if decoder else 'encoder'}-block"
    caption = lab_block.block_caption(blocks[norm])
    boards.show(boards.grouped(steps, boards.grid), name, caption, lambda: lab_words.step_table(steps))
    st.subheader("Post-norm beside pre-norm", anchor=False)
    pictures.show(lab_block.norms_picture(blocks), "norms_picture")


def _fit() -> None:
    """γ and β follow the width of x."""
    now = editors.held(Key.LAB_BLOCK, STANDARD, MOST)
    width = now["x"].shape[1]
    if any(now[name].shape != (2, width) for name in ("self", "cross", "feed")):
        for name in ("self", "cross", "feed"):
            fitted = resized(now[name], 2, width, 0.0)
            fitted[0, now[name].shape[1] :] = 1.0
            now[name] = fitted
        st.session_state[Key.LAB_BLOCK] = write(now)


def _maps(found: dict[str, Matrix], decoder: bool) -> BlockMaps:
    session = st.session_state
    memory = found["memory"].shape[1] if decoder else None
    maps = random_maps(found["x"].shape[1], int(session[Key.LAB_HEADS]), INNER, int(session[Key.LAB_SEED]), memory)
    names = ("self", "cross", "feed") if decoder else ("self", "feed")
    return replace(maps, norms=tuple(NormMaps(*found[name]) for name in names))
