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
from pages.parts.positions.table import code_line, within
from pages.shared.controls import picker
from pages.shared.controls.choices import one_of
from pages.shared.figures import pictures
from pages.shared.frame import family, loading
from pages.shared.frame.fields import Choice, Number
from pages.shared.frame.notices import literal

OF = {"tokens": "Your tokens", "slides": "The slides’ example"}
SUM = Choice("pos_sum", list(OF))
TOKEN = Number("pos_token", 1, 9999, 1, of_dialogue=True)
FIELDS = (SUM, TOKEN)
LACKING = "positions, because it reads one token after the other and so knows their order"
"""What a recurrent model does not have."""
AROUND = 2
"""Neighbours on each side of the chosen token."""
ROW, DIGITS = 1, 8
"""Which row of the sum the slides print, and with how many digits."""


def draw() -> None:
    """Draw the sum of embedding and position, for the slides' words or for the tokens of the dialogue."""
    st.markdown(
        "The first layer of the encoder reads **embedding + position**. The sum has the same width; the network has to "
        "learn which part of it is meaning and which is position."
    )
    if one_of("On", OF, SUM) == "slides":
        _slides()
    elif family.has_or_note("positions", LACKING):
        _tokens()


def _slides() -> None:
    """Draw the sum of the slides: five words of width 5 with base 100."""
    words = np.array(positions.SLIDES_WORDS, dtype=np.float32)
    places = positions.encoding(*positions.SLIDES).astype(np.float32)
    labels = [f"word {row}" for row in range(len(words))]
    pictures.show(figures.sum_maps(words, places, labels, 0, scaled=False), "pos_slides_picture")
    total = (words + places)[ROW]
    same = [agrees(float(ours), printed, DIGITS) for ours, printed in zip(total, positions.PRINTED_SUM, strict=True)]
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
    """Draw the sum for the tokens of the dialogue, with the checkpoint's embedding and positions."""
    picker.bar()
    summary = loading.require_trace()
    summarizer = loading.current_job().summarizer
    if summarizer is None:
        return
    found = first_input(summarizer, summary)
    tokens = [token_text(token) for token in summary.source]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = within("Token", TOKEN, len(tokens), "token", 180) - 1
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
    st.header("Which counts more?", anchor=False)
    pictures.show(figures.norms(*found.norms, tokens), "pos_norms_picture")
    _root(found)


def _root(found: FirstInput) -> None:
    """Say where √d comes from, with the lengths in this dialogue."""
    width = found.embedded.shape[1]
    lengths, places = (float(each.mean()) for each in found.norms)
    st.markdown(
        f"**Where does √d come from?** The paper multiplies the embedding by √d (Vaswani et al. 2017, section 3.4) and "
        f"gives no reason. Here d = {width} and √d = {number(math.sqrt(width))}. In the mean of these tokens, the rows "
        f"of the table have length {number(lengths / math.sqrt(width))} and the positions {number(places)}. Without "
        f"the factor the positions would be {number(places * math.sqrt(width) / max(lengths, 1e-9))} times as long as "
        f"the embeddings; with it they are {number(places / max(lengths, 1e-9))} times as long."
    )
    code_line("embedding")
