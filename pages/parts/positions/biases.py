"""Biases by distance, which some models have in place of a table of positions: by bucket, by head, and on scores."""

from typing import TYPE_CHECKING

import streamlit as st

from core.experiments.positions import bias_matrix, distance_biases
from core.explain.positions import Side
from core.figures.positions import bias as figures
from core.figures.shared.wording import count, token_text
from core.words import say
from pages.parts.positions.table import SIDE, code_line
from pages.shared.controls import picker
from pages.shared.controls.choices import one_of, row, select
from pages.shared.figures import pictures
from pages.shared.model import loading
from pages.shared.session.fields import Number

if TYPE_CHECKING:
    from core.service import Summarizer

HEAD = Number("pos_head", 1, 999, 1)
FIELDS = (HEAD,)
DRAWN = 64
"""Tokens whose biases are drawn: every diagonal is one distance, so that more show nothing new."""


def by_distance() -> None:
    """Draw the bucket of each distance and the bias of each head."""
    summarizer = loading.current_model()
    if summarizer is None:
        return
    with row():
        side = one_of(say("Self-attention of the"), SIDE)
        head = _head(summarizer)
    biases = distance_biases(summarizer, side)
    pictures.show(figures.head_map(biases), "pos_biases_picture")
    st.markdown(
        say(
            "This model has no vectors for positions: it adds a learned **bias by distance** to the scores of "
            "self-attention, before the softmax; one for each head, the same in every layer of a stack. Distant tokens "
            "share a bucket, and so a bias (Raffel et al. 2020, section 2.1). Cross-attention has none."
        )
    )
    code_line("bias by distance")
    with st.expander(say("The bias of one head")):
        pictures.show(figures.head_line(biases, head), "pos_bias_picture")
    with st.expander(say("Which bucket?")):
        pictures.show(figures.buckets(biases), "pos_buckets_picture")
        code_line("buckets")


def on_scores() -> None:
    """Draw what is added to the scores of a head for the tokens of the dialogue."""
    with row():
        picker.bar()
    summarizer, summary = loading.require_run()
    with row():
        side: Side = one_of(say("Self-attention of the"), SIDE)
        head = _head(summarizer)
    tokens = summary.source if side == "encoder" else summary.tokens
    labels = ["[SOS]", *(token_text(token) for token in tokens)][: len(tokens)] if side == "decoder" else [
        token_text(token) for token in tokens
    ]  # fmt: skip
    shown = labels[:DRAWN]
    matrix = bias_matrix(summarizer, side, head, len(shown))
    pictures.show(figures.score_map(matrix, shown, side, head, len(tokens)), "pos_scores_picture")
    st.markdown(
        say(
            "This model compares no vectors of positions: to the score of each query and key it adds the bias of their "
            "distance. Here it is for the tokens of your dialogue."
        )
    )
    layers = len(summary.encoder_hidden if side == "encoder" else summary.decoder_hidden) - 1
    st.caption(
        say(
            "The same matrix is added in {layers}; the dot products differ from layer to layer.",
            layers=count(layers, "layer"),
        )
    )
    code_line("biased")


def _head(summarizer: "Summarizer") -> int:
    """Draw the choice of a head; return it from 0."""
    heads = range(1, summarizer.config.has.heads + 1)
    HEAD.fit(heads, say("head"))
    return int(select(say("Head"), {number: str(number) for number in heads}, HEAD, width=110)) - 1
