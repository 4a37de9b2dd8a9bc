"""Norm-weighted attention: how much vector travels (Kobayashi et al. 2020)."""

from typing import TYPE_CHECKING

import numpy as np

from core.explain.attention.inside import Kind
from core.explain.attribution import layers
from core.explain.attribution.attribution import Attribution, inputs_of, labels, rows_of
from core.explain.attribution.layers import Sublayer
from core.explain.shared.recomputing import check_blocks, check_place
from core.explain.shared.rollup import groups
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer


def norms(summarizer: "Summarizer", summary: Summary, step: int | None) -> Attribution:
    """Return ||sum over h of a_h[i, j] f_h(x_j)|| of the last layer, rows divided by their sum.

    f_h(x) = (x W_V^h + b_V^h) W_O^h (Kobayashi et al. 2020, equation 3): the vectors of the heads are added first,
    then measured. Says what each token *carries* to the decoder. Check: the vectors of all tokens, the residual and
    the biases are the block's output in the run.

    Raises:
        SettingsError: the model has no blocks, or there is no such token.
    """
    rows = rows_of(summary, step)
    memory = layers.begin(summarizer, summary)
    last = check_blocks(summarizer.config).decoder_layers - 1
    own = layers.own_sublayer(summarizer, summary, "decoder", last)
    read = layers.cross_sublayer(summarizer, summary, last, memory, own.after(own.total()))
    value = layers.apart(own.block, read.after(read.total()), summary.decoder_hidden[last + 1])
    return Attribution(
        "norms",
        say("vectors of the last layer, its heads together"),
        labels([summary.tokens[row] for row in rows]),
        summary.source,
        groups(summary.source, "token"),
        shares(lengths(read))[rows],
        "share",
        layers.sums_check(summarizer, value),
        shares(lengths(own))[rows],
        inputs_of(summary),
    )


def weights(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int, head: int | None = None) -> Array:
    """Return the norms of one attention [Q, N], rows divided by their sum; `head` None means all heads together.

    Raises:
        SettingsError: there is no such layer or head.
    """
    sublayer = layers.sublayer(summarizer, summary, kind, layer)
    if head is not None:
        check_place("head", head, len(sublayer.weights))
    return shares(lengths(sublayer, head))


def of_heads(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int) -> Array:
    """Return the norms of every head of an attention, [H, Q, N]; raises SettingsError for no such layer."""
    sublayer = layers.sublayer(summarizer, summary, kind, layer)
    return np.stack([shares(lengths(sublayer, head)) for head in range(len(sublayer.weights))])


def lengths(sublayer: Sublayer, head: int | None = None) -> Array:
    """Return the Euclidean norm of the vector that each key hands to each query, [Q, N]."""
    if head is not None:  # a[i, j] ||f(x_j)||
        vectors = sublayer.values[head] @ sublayer.output_kernel[head]
        return np.asarray(sublayer.weights[head] * np.linalg.norm(vectors, axis=-1))
    queries, keys = sublayer.weights.shape[1:]
    magnitudes = np.zeros((queries, keys), dtype=np.float32)
    for places, parts in sublayer.pieces():
        magnitudes[:, places] = np.linalg.norm(parts, axis=-1).T
    return magnitudes


def shares(values: Array) -> Array:
    """Divide rows by their sums; a row of zeros stays one: nothing is made of nothing."""
    sums = values.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(values, sums, out=np.zeros_like(values), where=sums > 0))
