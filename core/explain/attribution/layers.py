"""Take attention sub-layers of a run apart: which vector came from which token (Kobayashi et al. 2020, equation 3).

Q queries, N keys, H heads, K width of a head, D width of the model. The vector that key j hands to query i is
sum over h of a_h[i, j] (x_j W_V^h + b_V^h) W_O^h; the bias of the output projection is nobody's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from core.config import KEPT_ATTENTION
from core.errors import SettingsError
from core.explain.attention.inside import Kind
from core.explain.attribution.attribution import Check
from core.explain.shared.recomputing import check_blocks, check_place, check_writer
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer

PIECE = KEPT_ATTENTION // 4
"""Most bytes of the vectors that are in memory at once."""
BOUNDS = {"float32": 1e-4, "float16": 5e-3, "bfloat16": 5e-2}
"""Largest difference between a block put together again and the run, as a share of the largest state."""


@dataclass(frozen=True, eq=False)
class Sublayer:
    """An attention sub-layer of a run.

    Args:
        kind: of attention.
        layer: 0-based.
        block: the block of the network that it is in.
        weights: [H, Q, N].
        values: [H, N, K], biases included.
        x: [Q, D] what the residual connection adds.
    """

    kind: Kind
    layer: int
    block: Any
    weights: Array
    values: Array
    x: Array

    @property
    def attention(self) -> Any:
        """The layer of the network."""
        return self.block.cross_attention if self.kind == "cross" else self.block.self_attention

    @property
    def residual(self) -> Any:
        """The residual connection around it."""
        return self.block.cross_residual if self.kind == "cross" else self.block.self_residual

    @property
    def output_kernel(self) -> Array:
        """W_O by heads, [H, K, D]."""
        heads, _, width = self.values.shape
        return np.asarray(self.attention.output_projection.kernel, dtype=np.float32).reshape(heads, width, -1)

    @property
    def output_bias(self) -> Array:
        """The bias of the output projection [D], 0 in a model without."""
        bias = self.attention.output_projection.bias
        return np.zeros(self.x.shape[1], dtype=np.float32) if bias is None else np.asarray(bias, dtype=np.float32)

    def taken(self, keys: Sequence[int] | None = None) -> Array:
        """Return the vector that each head takes from some keys, or from all, [H, Q, D]."""
        places = slice(None) if keys is None else list(keys)
        return np.asarray(self.weights[..., places] @ (self.values[:, places] @ self.output_kernel))

    def pieces(self, room: int | None = None) -> Iterator[tuple[slice, Array]]:
        """Yield the vectors of some keys at a time: their places, and [n, Q, D] without the residual.

        Args:
            room: bytes for each key that the caller needs; None means those of its vectors alone.
        """
        queries, width = self.x.shape
        step = max(1, PIECE // (room or 4 * queries * width))
        by_key = self.weights.transpose(2, 1, 0)  # [N, Q, H]
        for first in range(0, len(by_key), step):
            keys = slice(first, min(first + step, len(by_key)))
            yield keys, by_key[keys] @ (self.values[:, keys] @ self.output_kernel).transpose(1, 0, 2)

    def total(self) -> Array:
        """Return the residual, all vectors and the bias together, [Q, D]: what a post-norm block normalises."""
        sums = self.x + self.output_bias
        for _, parts in self.pieces():
            sums = sums + parts.sum(axis=0)
        return np.asarray(sums, dtype=np.float32)

    def after(self, total: Array) -> Array:
        """Return what the sub-layer hands on, [..., D]."""
        return np.asarray(self.residual.normalization(total)) if self.residual.norm == "post" else total

    def frozen(self, part: Array, total: Array) -> Array:
        """Return the share [..., Q, D] of a part in what is handed on: the norm of the whole, kept, is linear.

        A post-norm block divides by the spread of `total` [Q, D]; gamma (v - mean(v)) / sigma, beta is nobody's
        (Kobayashi et al. 2021, equation 8). A pre-norm block hands on the sum itself.
        """
        return frozen_norm(self.residual.normalization, part, total) if self.residual.norm == "post" else part


def frozen_norm(norm: Any, part: Array, total: Array) -> Array:
    """Apply a normalisation to a part [..., D] of `total` [Q, D] with the spread of the whole, without beta."""
    gamma = np.asarray(norm.gamma, dtype=np.float32)
    if getattr(norm, "beta", None) is None:  # root mean square alone
        return np.asarray(part * gamma / np.sqrt((total**2).mean(axis=-1, keepdims=True) + norm.epsilon))
    spread = np.sqrt(total.var(axis=-1, keepdims=True) + norm.epsilon)
    return np.asarray((part - part.mean(axis=-1, keepdims=True)) * gamma / spread)


def feed_forward(block: Any, x: Array) -> Array:
    """Run the last sub-layer of a block on states [..., Q, D]."""
    residual = block.feed_forward_residual
    return np.asarray(residual.after(x, block.feed_forward(residual.before(x))), dtype=np.float32)


def begin(summarizer: "Summarizer", summary: Summary) -> Array:
    """Return the encoder's output [S, D] as cross-attention reads it.

    Raises:
        SettingsError: the model has no blocks of attention, or another one wrote the summary.
    """
    check_blocks(summarizer.config)
    check_writer(summarizer, summary)
    model = summarizer.model
    return np.asarray(model.encoder.normalised(summary.encoder_hidden[-1][None])[0], dtype=np.float32)


def own_sublayer(
    summarizer: "Summarizer", summary: Summary, kind: Literal["encoder", "decoder"], layer: int
) -> Sublayer:
    """Return a self-attention of the encoder or the decoder."""
    x, block = getattr(summary, f"{kind}_hidden")[layer], getattr(summarizer.model, kind).blocks[layer]
    _, values = block.self_attention.project(block.self_residual.before(x[None]))
    weights = _weights(getattr(summary.attention, f"{kind}_self"), layer)
    return Sublayer(kind, layer, block, weights, _float(values[0]), _float(x))


def cross_sublayer(summarizer: "Summarizer", summary: Summary, layer: int, memory: Array, x: Array) -> Sublayer:
    """Return a cross-attention; `x` [T, D] is what the self-attention before it hands on, `memory` [S, D]."""
    block = summarizer.model.decoder.blocks[layer]
    _, values = block.cross_attention.project(memory[None])
    return Sublayer("cross", layer, block, _weights(summary.attention.cross, layer), _float(values[0]), x)


def sublayer(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int) -> Sublayer:
    """Return one attention sub-layer of a run.

    Raises:
        SettingsError: there is no such layer, the model has no blocks, or another one wrote the summary.
    """
    memory = begin(summarizer, summary)
    stack = summarizer.model.encoder if kind == "encoder" else summarizer.model.decoder
    check_place("layer", layer, len(stack.blocks))
    own = own_sublayer(summarizer, summary, "encoder" if kind == "encoder" else "decoder", layer)
    return own if kind != "cross" else cross_sublayer(summarizer, summary, layer, memory, own.after(own.total()))


def apart(block: Any, x: Array, states: Array) -> float:
    """Return how far a block, put together again from its parts, lies from the run, as a share of its largest state.

    Args:
        block: of the network.
        x: [Q, D] sum of the parts of its last attention.
        states: [Q, D] what the block handed on in the run.
    """
    size = max(float(np.abs(states).max()), 1.0)
    return float(np.abs(feed_forward(block, x) - states).max()) / size


def sums_check(summarizer: "Summarizer", value: float, *, rows: bool = False) -> Check:
    """Return the check that all methods of vectors share."""
    name = (
        say("vectors of all tokens and biases add up to the output of each block, shares of a row to 1")
        if rows
        else say("vectors of all tokens and biases add up to the output of the block")
    )
    return Check(name, value, BOUNDS.get(summarizer.model.compute_dtype, BOUNDS["bfloat16"]))


def block_check(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int) -> Check:
    """Return the check of one block: put together again from the vectors of an attention, it is that of the run."""
    attention = sublayer(summarizer, summary, "encoder" if kind == "encoder" else "cross", layer)
    hidden = summary.encoder_hidden if kind == "encoder" else summary.decoder_hidden
    return sums_check(summarizer, apart(attention.block, attention.after(attention.total()), hidden[layer + 1]))


def _weights(weights: Any, layer: int) -> Array:
    if weights is None:
        raise SettingsError("the run has no attention weights of this kind: it was saved without them. Summarize again")
    return _float(weights[layer])


def _float(values: Any) -> Array:
    return np.asarray(values, dtype=np.float32)
