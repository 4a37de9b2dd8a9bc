"""Padding, look-ahead and target masks: True = attend, False = blocked.

Shape letters of core.model: B batch, S source, T target, N either, H heads, D d_model, K width of a head.
"""

from collections.abc import Collection
from typing import Any

from core.config import PAD
from core.runtime.backend import ops


def padding_mask(tokens: Any, pad: int | Collection[int] = PAD) -> Any:
    """Mark the tokens that are not padding.

    Args:
        tokens: ids [B, N].
        pad: the padding id, or a set of ids that all count as padding.

    Returns:
        bool [B, 1, 1, N]; the ones broadcast over heads and queries.
    """
    tokens = ops.convert_to_tensor(tokens)
    if len(tokens.shape) != 2:
        raise ValueError(f"tokens must be a matrix [batch, length]. Received: shape {tuple(tokens.shape)}")
    keep = ops.ones_like(tokens, dtype="bool")
    for value in pad if isinstance(pad, Collection) else (pad,):
        keep = ops.logical_and(keep, ops.not_equal(tokens, value))
    return keep[:, None, None, :]


def look_ahead_mask(n: int) -> Any:
    """Let position i attend to positions j <= i (Vaswani et al. 2017, section 3.2.3).

    Args:
        n: length.

    Returns:
        bool [n, n], lower triangular with the diagonal.
    """
    positions = ops.arange(n)
    return positions[None, :] <= positions[:, None]


def target_mask(tokens: Any, pad: int | Collection[int] = PAD) -> Any:
    """Combine padding and look-ahead masks for decoder self-attention.

    Args:
        tokens: ids [B, T].
        pad: the padding id, or a set of ids that all count as padding.

    Returns:
        bool [B, 1, T, T].
    """
    tokens = ops.convert_to_tensor(tokens)
    return ops.logical_and(padding_mask(tokens, pad), look_ahead_mask(ops.shape(tokens)[1])[None, None])
