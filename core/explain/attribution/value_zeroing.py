"""Value zeroing: what changes in a state without the value of a token (Mohebbi et al. 2023)."""

from typing import TYPE_CHECKING

import numpy as np

from core.explain.attention.inside import Kind
from core.explain.attribution import layers
from core.explain.attribution.attribution import Attribution, Check, inputs_of, labels, rows_of
from core.explain.attribution.layers import Sublayer
from core.explain.shared.recomputing import check_blocks
from core.explain.shared.rollup import groups
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer

BOUND = 1e-5
"""Largest cosine distance that rounding makes of nothing, in float32; of other precisions see `layers.BOUNDS`."""


def value_zeroing(summarizer: "Summarizer", summary: Summary, step: int | None) -> Attribution:
    """Return 1 - cos(h_i, h_i without the value of j), h the output of the last block (Mohebbi et al. 2023, section 3).

    The weights of attention stay as they are: a key is still looked at and hands over a vector of zeros. For the
    prefix the cross-attention behind is computed again. Rows are not divided by their sums: small ones stay small.
    Says what a state *depends on*, inside one block. Check: with nothing zeroed the states are those of the run.

    Raises:
        SettingsError: the model has no blocks, or there is no such token.
    """
    rows, memory = rows_of(summary, step), layers.begin(summarizer, summary)
    number = check_blocks(summarizer.config).decoder_layers - 1
    own = layers.own_sublayer(summarizer, summary, "decoder", number)
    read = layers.cross_sublayer(summarizer, summary, number, memory, own.after(own.total()))
    states = summary.decoder_hidden[number + 1]
    return Attribution(
        "value-zeroing",
        say("the decoder's last state before each token"),
        labels([summary.tokens[row] for row in rows]),
        summary.source,
        groups(summary.source, "token"),
        changes(read, states, memory)[rows],
        "cosine distance",
        check(summarizer, summary, "cross", number),
        changes(own, states, memory)[rows],
        inputs_of(summary),
    )


def weights(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int) -> Array:
    """Return the changes of one attention [Q, N], as cosine distances of its block's output.

    Raises:
        SettingsError: there is no such layer.
    """
    sublayer = layers.sublayer(summarizer, summary, kind, layer)
    hidden = summary.encoder_hidden if kind == "encoder" else summary.decoder_hidden
    return changes(sublayer, hidden[layer + 1], layers.begin(summarizer, summary))


def check(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int) -> Check:
    """Return the check of one attention: with nothing zeroed the states are those of the run."""
    sublayer = layers.sublayer(summarizer, summary, kind, layer)
    hidden = summary.encoder_hidden if kind == "encoder" else summary.decoder_hidden
    memory, dtype = layers.begin(summarizer, summary), summarizer.model.compute_dtype
    nothing = distance(_rest(sublayer, sublayer.total()[None], memory), hidden[layer + 1])
    bound = BOUND if dtype == "float32" else layers.BOUNDS[dtype]
    return Check(say("with no value zeroed nothing changes"), float(np.abs(nothing).max()), bound)


def changes(sublayer: Sublayer, states: Array, memory: Array) -> Array:
    """Return how far each state [Q, D] of a block moves without the value of each key, [Q, N]."""
    queries, keys = sublayer.weights.shape[1:]
    total = sublayer.total()
    inner = sublayer.block.feed_forward.inner
    wide = max(inner, 2 * len(sublayer.weights) * len(memory)) if sublayer.kind == "decoder" else inner
    distances = np.zeros((queries, keys), dtype=np.float32)
    for places, parts in sublayer.pieces(room=8 * queries * wide):
        distances[:, places] = distance(_rest(sublayer, total - parts, memory), states).T
    return distances


def distance(one: Array, other: Array) -> Array:
    """Return 1 minus the cosine of vectors [..., D], at least 0, in double precision."""
    left, right = one.astype(np.float64), other.astype(np.float64)
    size = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    dissimilarity = np.maximum(1 - (left * right).sum(axis=-1) / np.maximum(size, np.finfo(np.float64).tiny), 0)
    return np.asarray(dissimilarity, dtype=np.float32)


def _rest(sublayer: Sublayer, totals: Array, memory: Array) -> Array:
    """Run the block from a sub-layer's sums [n, Q, D] on."""
    block, x = sublayer.block, sublayer.after(totals)
    if sublayer.kind == "decoder":
        keys = [np.repeat(np.asarray(each), len(x), axis=0) for each in block.cross_attention.project(memory[None])]
        output, _ = block.cross_attention.attend(block.cross_residual.before(x), *keys)
        x = block.cross_residual.after(x, output)
    return layers.feed_forward(block, x)
