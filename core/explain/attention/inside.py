"""Recompute one attention head: query, key, value, dot products, scale, bias, mask, softmax, weighted sum, output."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.config import PAD, START
from core.errors import SettingsError
from core.explain.shared.recomputing import check_place, check_writer
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.model.transformer import Transformer
    from core.service import Summarizer

Kind = Literal["cross", "encoder", "decoder"]
"""Cross-attention, encoder self-attention, decoder self-attention."""


@dataclass(frozen=True)
class HeadStages:
    """Every number of one head for one query token (Vaswani et al. 2017, equation 1).

    N keys, K width of a head, D width of the model.

    Args:
        kind: of attention.
        layer: 0-based.
        head: 0-based.
        row: the query token, 0-based.
        query: [K] q = x W_Q + b_Q; without b_Q in a model without biases.
        keys: [N, K] k of every key token.
        values: [N, K] v of every key token.
        dots: [N] q . k.
        scaled: [N] dots / sqrt(K), or the dots themselves in a model that does not divide.
        mask: [N] True where the query may attend.
        weights: [N] softmax over the unmasked scores; the attention of the trace.
        weighted: [K] sum of weights * v, the head's output.
        output: [D] the head's contribution to the residual stream: weighted times its slice of W_O, without the bias.
        bias: [N] learned bias of each key by its distance from the query, or None where none is added.
        divides: whether the model divides the dots by sqrt(K).
        biased: whether its projections have biases.
    """

    kind: Kind
    layer: int
    head: int
    row: int
    query: Array
    keys: Array
    values: Array
    dots: Array
    scaled: Array
    mask: NDArray[np.bool_]
    weights: Array
    weighted: Array
    output: Array
    bias: Array | None = None
    divides: bool = True
    biased: bool = True

    @property
    def scores(self) -> Array:
        """What the softmax reads before the mask, [N]: `scaled`, plus the bias by distance if there is one."""
        return self.scaled if self.bias is None else self.scaled + self.bias


def stages(summarizer: "Summarizer", summary: Summary, kind: Kind, layer: int, head: int, row: int) -> HeadStages:
    """Recompute one head for one query token, with the model's own layers.

    Only the part between the stored hidden states and the head is run: its block's normalisation and projections, and
    for cross-attention the block's self-attention before it.

    Args:
        summarizer: the checkpoint that wrote the summary.
        summary: a run with all heads on.
        kind: of attention.
        layer: 0-based.
        head: 0-based.
        row: the query: a source token for "encoder", otherwise the token that the decoder row predicts; 0-based.

    Returns:
        The stages; `weights` is the row of `summary.attention`.

    Raises:
        SettingsError: an unknown kind, layer, head or row, or a summary of another checkpoint.
    """
    stack = _stack(summarizer, summary, kind)
    tokens = summary.source if kind == "encoder" else summary.tokens
    sizes = {"layer": len(stack.blocks), "head": summarizer.model.config.num_heads, "row": len(tokens)}
    for (name, size), value in zip(sizes.items(), (layer, head, row), strict=True):
        check_place(name, value, size)
    attention, query, memory, mask = _inputs(summarizer.model, summary, kind, layer, row)
    bias = None if kind == "cross" else _bias(stack, row, len(mask))
    width = attention.key_dim
    columns = slice(head * width, (head + 1) * width)  # [B, N, H*K]: the heads are side by side
    vector = np.asarray(attention.query_projection(query))[0, 0, columns]
    keys, values = (np.asarray(each)[0, head] for each in attention.project(memory))  # [N, K]
    dots = keys @ vector
    scaled = dots / np.float32(math.sqrt(width)) if attention.scale else dots
    own = None if bias is None else np.asarray(bias)[0, head, 0]
    weights = _softmax(scaled if own is None else scaled + own, mask)
    weighted = weights @ values
    output = weighted @ np.asarray(attention.output_projection.kernel)[columns]
    found = (vector, keys, values, dots, scaled, mask, weights, weighted, output, own)
    return HeadStages(kind, layer, head, row, *found, divides=attention.scale, biased=attention.biases)


def _stack(summarizer: "Summarizer", summary: Summary, kind: Kind) -> Any:
    if kind not in get_args(Kind):
        allowed = ", ".join(get_args(Kind))
        raise SettingsError(
            "{name} must be one of {allowed}. Received: {value}", name="kind", allowed=allowed, value=f"kind={kind!r}"
        )
    check_writer(summarizer, summary)
    return summarizer.model.encoder if kind == "encoder" else summarizer.model.decoder


def _bias(stack: Any, row: int, keys: int) -> Any:
    """Return the bias by distance of one query's scores, [1, H, 1, N], or None."""
    return stack.relative_bias(queries=np.array([row], dtype=np.int32), keys=keys) if stack.relative_bias else None


def _inputs(
    model: "Transformer", summary: Summary, kind: Kind, layer: int, row: int
) -> tuple[Any, Any, Any, NDArray[np.bool_]]:
    """Return the attention layer, its query [1, 1, D], its memory [1, N, D] and the mask [N] of the row."""
    from core.runtime.backend import ops

    read = summary.encoder_hidden if kind == "encoder" else summary.decoder_hidden
    hidden = ops.convert_to_tensor(read[layer][None])  # [1, N, D]
    block = (model.encoder if kind == "encoder" else model.decoder).blocks[layer]
    states = block.self_residual.before(hidden)
    query = states[:, row : row + 1]
    whole = np.ones(len(summary.source), dtype=bool)
    if kind == "encoder":
        return block.self_attention, query, states, whole
    ids = np.array([START, *(token.id for token in summary.tokens[:-1])])
    seen = (np.arange(len(ids)) <= row) & (ids != PAD)
    if kind == "decoder":
        return block.self_attention, query, states, seen
    bias = _bias(model.decoder, row, len(ids))
    output, _ = block.self_attention(query, states, attention_mask=seen[None, None, None], bias=bias)
    x = block.self_residual.after(hidden[:, row : row + 1], output)
    memory = model.encoder.normalised(ops.convert_to_tensor(summary.encoder_hidden[-1][None]))
    return block.cross_attention, block.cross_residual.before(x), memory, whole


def _softmax(scores: Array, mask: NDArray[np.bool_]) -> Array:
    """Return the softmax over the last axis, exactly 0 where the mask is False."""
    powers = np.exp(np.where(mask, scores - scores[mask].max(), -np.inf))
    return np.asarray(powers / powers.sum(), dtype=np.float32)
