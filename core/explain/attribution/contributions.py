"""Contributions through all layers, of the dialogue and of the summary's own words (ALTI+, Ferrando et al. 2022)."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.explain.attention.inside import Kind
from core.explain.attribution import layers
from core.explain.attribution.attribution import Attribution, inputs_of, labels, rows_of
from core.explain.attribution.layers import Sublayer
from core.explain.shared.rollup import groups
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer


class Mixed(NamedTuple):
    """What decoder states are made of: `source` [T, S] and `prefix` [T, T]; a row of both sums to 1."""

    source: Array
    prefix: Array


def contributions(summarizer: "Summarizer", summary: Summary, step: int | None) -> Attribution:
    """Return which source and prefix tokens a written token is made of, through all layers.

    In a sub-layer c[i, j] = max(0, ||y_i||_1 - ||y_i - T_i(x_j)||_1), divided by the sum of its row (Ferrando et al.
    2022, arXiv 2203.04212, equations 8 and 9); T_i(x_j) is the vector of token j, residual included, under the norm
    of the whole. `roll` and `mix` multiply them through the layers (arXiv 2205.11631, section 3). Feed-forward
    sub-layers work on each position alone. Says what each token *carries*. Check: the parts of every sub-layer and
    its biases are the output of the block in the run, and every row of source and prefix sums to 1.

    Raises:
        SettingsError: the model has no blocks, or there is no such token.
    """
    rows = rows_of(summary, step)
    memory = layers.begin(summarizer, summary)
    encoder, worst = None, 0.0
    for layer, block in enumerate(summarizer.model.encoder.blocks):
        sublayer = layers.own_sublayer(summarizer, summary, "encoder", layer)
        total = sublayer.total()
        worst = max(worst, layers.apart(block, sublayer.after(total), summary.encoder_hidden[layer + 1]))
        encoder = roll(encoder, shared(sublayer, total)[0])
    state = Mixed(
        np.zeros((len(summary.steps), len(summary.source)), np.float32), np.eye(len(summary.steps), dtype=np.float32)
    )
    for layer, block in enumerate(summarizer.model.decoder.blocks):
        own = layers.own_sublayer(summarizer, summary, "decoder", layer)
        total = own.total()
        read = layers.cross_sublayer(summarizer, summary, layer, memory, own.after(total))
        whole = read.total()
        worst = max(worst, layers.apart(block, read.after(whole), summary.decoder_hidden[layer + 1]))
        looked, kept = shared(read, whole)
        state = mix(state, shared(own, total)[0], looked if encoder is None else looked @ encoder, kept)
    sums = state.source.sum(axis=-1) + state.prefix.sum(axis=-1)
    return Attribution(
        "contributions",
        say("what the decoder's last state is made of"),
        labels([summary.tokens[row] for row in rows]),
        summary.source,
        groups(summary.source, "token"),
        state.source[rows],
        "share",
        layers.sums_check(summarizer, max(worst, float(np.abs(sums - 1).max())), rows=True),
        state.prefix[rows],
        inputs_of(summary),
    )


def weights(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int) -> Array:
    """Return the contributions of one attention alone, [Q, N]; what a cross-attention keeps is missing to 1.

    Raises:
        SettingsError: there is no such layer.
    """
    sublayer = layers.sublayer(summarizer, summary, kind, layer)
    return shared(sublayer, sublayer.total())[0]


def shared(sublayer: Sublayer, total: Array) -> tuple[Array, Array]:
    """Return the share of each key in each query's output [Q, N], and that of the residual [Q] of cross-attention.

    In self-attention the residual belongs to the token itself. A row of which no part points towards the output is
    given to the residual: such rows are not divided, as rounding would decide.
    """
    queries, keys = sublayer.weights.shape[1:]
    output = sublayer.after(total)
    shares = np.zeros((queries, keys), dtype=np.float32)
    for places, parts in sublayer.pieces():
        if sublayer.kind != "cross":
            own = np.arange(places.start, places.stop)
            parts[own - places.start, own] += sublayer.x[own]
        shares[:, places] = towards(output, sublayer.frozen(parts, total)).T
    kept = np.zeros(queries, dtype=np.float32)
    if sublayer.kind == "cross":
        kept = towards(output, sublayer.frozen(sublayer.x, total))
    sums = shares.sum(axis=-1) + kept
    lost = sums <= np.finfo(np.float32).eps * np.abs(output).sum(axis=-1)
    shares[lost], kept[lost] = 0, 1
    if sublayer.kind != "cross":
        shares[lost, np.nonzero(lost)[0]], kept[lost] = 1, 0
    sums = np.where(lost, np.float32(1), sums)
    return np.asarray(shares / sums[:, None], np.float32), np.asarray(kept / sums, np.float32)


def towards(output: Array, parts: Array) -> Array:
    """Return max(0, ||y||_1 - ||y - part||_1) of parts [..., Q, D] of outputs y [Q, D]."""
    near = np.abs(output).sum(axis=-1) - np.abs(output - parts).sum(axis=-1)
    return np.asarray(np.maximum(near, 0), dtype=np.float32)


def roll(before: Array | None, layer: Array) -> Array:
    """Multiply the shares of a layer [S, S] to those of the layers below (the new one on the left)."""
    return layer if before is None else layer @ before


def mix(before: Mixed, own: Array, looked: Array, kept: Array) -> Mixed:
    """Add a decoder layer (arXiv 2205.11631, section 3.2); rows of both together keep their sum of 1.

    Args:
        before: of the layers below.
        own: [T, T] shares of its self-attention.
        looked: [T, S] shares of its cross-attention times those of the encoder.
        kept: [T] share of the residual in cross-attention.
    """
    scaled = kept[:, None] * own
    source, prefix = scaled @ before.source + looked, scaled @ before.prefix
    return Mixed(np.asarray(source, np.float32), np.asarray(prefix, np.float32))
