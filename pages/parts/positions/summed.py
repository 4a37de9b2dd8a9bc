"""Embedding and position added up: the slides' example, and the current dialogue's tokens."""

import math

import numpy as np
import streamlit as st

from core.experiments.positions import FirstInput, first_input
from core.explain import positions
from core.explain.lab_presets import agrees
from core.figures import positions_runs as figures
from core.figures.positions_map import single
from core.figures.positions_pairs import small
from core.figures.wording import number, token_text
from pages.parts.positions import runs, table
from pages.parts.positions.code_line import code_line
from pages.shared import family, picker, pictures
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import Key

OF = {"tokens": "Your tokens", "slides": "The slides’ example"}
AROUND = 2
"""Neighbours on each side of the chosen token."""
ROW, DIGITS = 1, 8
"""Which row of the sum the slides print, and with how many digits."""


def draw() -> None:
    """Draw the view."""
    st.markdown(
        "The first layer of the encoder reads **embedding + position**. Adding keeps the width; the network has to "
        "tell what is meaning and what is place."
    )
    of = one_of("On", OF, Key.POS_SUM)
    if of == "slides":
        _slides()
    else:
        _tokens()


def _slides() -> None:
    """Five words of width 5 with base 100."""
    words = np.array(positions.SLIDES_WORDS, dtype=np.float32)
    places = positions.encoding(*positions.SLIDES).astype(np.float32)
    labels = [f"word {row}" for row in range(len(words))]
    pictures.show(figures.sum_maps(words, places, labels, 0, scaled=False), "pos_slides_picture")
    total = (words + places)[ROW]
    same = [
        agrees(float(ours), printed, DIGITS) for ours, printed in zip(total, positions.PRINTED_SUM, strict=True)
    ]
    st.markdown(f"**Row {ROW}: {sum(same)} of {len(same)} sums are as the lecture slides print them.**")
    st.table(
        {
            "Dimension": list(range(len(total))),
            "Word": [f"{value:g}" for value in positions.SLIDES_WORDS[ROW]],
            "Position": [single(value) for value in places[ROW]],
            "Sum": [single(value) for value in total],
            "Printed": [
                f"{single(value)} {'✓' if agree else '✗'}"
                for value, agree in zip(positions.PRINTED_SUM, same, strict=True)
            ],
        }
    )
    code_line("position sum")


def _tokens() -> None:
    """The current dialogue's tokens, with the checkpoint's embedding and positions."""
    if not family.transformer_or_note(runs.LACKING):
        return
    picker.bar()
    summarizer, summary = runs.model_and_summary()
    found = first_input(summarizer, summary)
    tokens = [token_text(token) for token in summary.source]
    table.fit(Key.POS_TOKEN, len(tokens), "token")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.number_input(
            f"Token, 1 to {len(tokens):,}", 1, len(tokens), key=Key.POS_TOKEN, persist_state="session", width=180
        )
        place = int(chosen) - 1
        st.markdown(literal(f"“{tokens[place]}” stands at position {place}: positions count from 0"))
    rows = slice(max(0, place - AROUND), place + AROUND + 1)
    maps = figures.sum_maps(found.embedded[rows], found.positions[rows], tokens[rows], rows.start, scaled=True)
    pictures.show(maps, "pos_sum_picture")
    pictures.show(
        figures.token_sum(found.embedded[place], found.positions[place], tokens[place], place), "pos_token_picture"
    )
    st.caption(
        f"Largest distance of these sums from what the first layer of this run really read, over all "
        f"{len(tokens):,} tokens: {small(found.difference)}."
    )
    code_line("position sum")
    st.subheader("Which counts more?", anchor=False)
    pictures.show(figures.norms(*found.norms, tokens), "pos_norms_picture")
    _root(found)


def _root(found: FirstInput) -> None:
    """Where √d comes from."""
    width = found.embedded.shape[1]
    lengths, places = (float(each.mean()) for each in found.norms)
    st.markdown(
        f"**Where does √d come from?** The paper multiplies the embedding by √d (Vaswani et al. 2017, section 3.4) and "
        f"gives no reason. Here d = {width} and √d = {number(math.sqrt(width))}: the rows of the table itself have "
        f"length {number(lengths / math.sqrt(width))} in the mean of these tokens, the positions {number(places)}. "
        f"Without the factor the positions would be {number(places * math.sqrt(width) / max(lengths, 1e-9))} times as "
        f"long as the embeddings; with it they are {number(places / max(lengths, 1e-9))} times as long."
    )
    code_line("embedding")
