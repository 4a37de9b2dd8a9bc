"""Compute the four masks of a small batch with the model's functions, and their effect on the scores of a head."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import SettingsError
from core.explain.masks.masks import Batch, HeadScores, Masks, Name
from core.model.masks import look_ahead_mask, padding_mask, target_mask
from core.runtime.queue import CALLS
from core.words import say

if TYPE_CHECKING:
    from core.model.attention import MultiHeadAttention
    from core.model.transformer import Encoded, Transformer
    from core.service import Summarizer


def make_masks(batch: Batch) -> Masks:
    """Compute every mask of a batch with the model's functions."""
    masks = (
        padding_mask(batch.source, batch.pad),
        padding_mask(batch.target, batch.pad),
        look_ahead_mask(batch.target.shape[1]),
        target_mask(batch.target, batch.pad),
    )
    return Masks(*(np.asarray(mask, dtype=bool) for mask in masks))


def head_scores(summarizer: "Summarizer", batch: Batch, name: Name, row: int, head: int) -> HeadScores:
    """Compute scores and weights of one head of the first layer that uses a mask, for one text of the batch.

    The scores are those that the mask changes, a bias by distance included.

    The padding mask is used by the encoder's self-attention, the cross padding mask by cross-attention, the other two
    by the decoder's self-attention; there the look-ahead mask is applied alone, without the padding mask.

    Args:
        summarizer: the checkpoint.
        batch: its ids.
        name: the mask.
        row: of the text, from 0.
        head: from 0.

    Raises:
        SettingsError: the model has no such head, no embedding for an id, or fewer positions than the batch.
    """
    model, masks = summarizer.model, make_masks(batch)
    _check(model, batch, head)
    with CALLS.turn():
        encoded = model.encode(batch.source, mask=masks.padding)
        if name == "padding":
            block = model.encoder.blocks[0]
            states = block.self_residual.before(encoded.hidden[0])
            bias = model.encoder.bias(batch.source.shape[1])
            found = block.self_attention, states, states, bias, encoded.attention[0]
        else:
            found = _decoder(model, batch, encoded, masks, name)
    attention, query, memory, bias, weights = found
    scores = _scores(attention, query, memory, row, head)
    return HeadScores(scores if bias is None else scores + np.asarray(bias)[0, head], np.asarray(weights)[row, head])


def _decoder(
    model: "Transformer", batch: Batch, encoded: "Encoded", masks: Masks, name: Name
) -> tuple["MultiHeadAttention", Any, Any, Any, Any]:
    """Return the attention layer of the first decoder block that uses a mask: query, memory, bias and weights."""
    mask = masks.look_ahead[None, None] if name == "look_ahead" else masks.target
    stack = model.decode(batch.target, encoded, mask=mask).stack
    block, hidden = model.decoder.blocks[0], stack.hidden[0]
    states, length = block.self_residual.before(hidden), batch.target.shape[1]
    bias = model.decoder.bias(length)
    if name != "cross":
        return block.self_attention, states, states, bias, stack.self_attention[0]
    output, _ = block.self_attention(states, states, attention_mask=mask, bias=bias)
    query = block.cross_residual.before(block.self_residual.after(hidden, output))
    return block.cross_attention, query, encoded.states, None, stack.cross_attention[0]


def _scores(attention: "MultiHeadAttention", query: Any, memory: Any, row: int, head: int) -> Any:
    """Compute q . k of one head and one text, [R, C], over sqrt(K) if the model divides (equation 1)."""
    width = attention.key_dim
    columns = slice(head * width, (head + 1) * width)  # [B, N, H*K]: the heads are side by side
    queries = np.asarray(attention.query_projection(query))[row, :, columns]
    keys = np.asarray(attention.project(memory)[0])[row, head]
    dots = queries @ keys.T
    return dots / np.float32(math.sqrt(width)) if attention.scale else dots


def _check(model: "Transformer", batch: Batch, head: int) -> None:
    config = model.config
    if not 0 <= head < config.num_heads:
        raise SettingsError(
            "head must be from 0 to {last} for this model. Received: {received}",
            last=config.num_heads - 1,
            received=f"head={head}",
        )
    sides = (
        (say("encoder"), batch.source, config.source_vocabulary, config.max_source_length),
        (say("decoder"), batch.target, config.target_vocabulary, config.max_target_length),
    )
    for side, ids, vocabulary, places in sides:
        if ids.max() >= vocabulary:
            raise SettingsError(
                "the {side} has no embedding for an id beyond its vocabulary, so there are no scores. Received: "
                "{id}; allowed: 0 to {last}",
                side=side,
                id=ids.max(),
                last=vocabulary - 1,
            )
        if ids.shape[1] > places:
            raise SettingsError(
                "the {side} has {places} positions. Received: {tokens} tokens in a row",
                side=side,
                places=places,
                tokens=ids.shape[1],
            )
