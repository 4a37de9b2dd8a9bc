"""Scaled dot-product and multi-head attention (Vaswani et al. 2017, section 3.2)."""

import math
from typing import Any

from core.model.layers import PlainLayer
from core.runtime.backend import keras, ops

BLOCKED = -1e9
"""Added to a masked score, or replacing it; its softmax weight is exactly 0 in float32.

Scores below 32 vanish in the sum, so that a fully masked row gets equal weights.
"""


def attention_weights(query: Any, key: Any, mask: Any = None, bias: Any = None, scale: bool = True) -> Any:
    """Compute softmax(Q K^T / sqrt(d_k)) (equation 1), in float32 for any precision of the arguments.

    Args:
        query: [..., T, K].
        key: [..., S, K].
        mask: broadcastable to [..., T, S]; 1 or True = attend.
        bias: added to the scores, broadcastable to [..., T, S]; see `core.model.positional.RelativeBias`.
        scale: whether the scores are divided by sqrt(d_k).

    Returns:
        float32 [..., T, S]; every row sums to 1.
    """
    scores = ops.cast(ops.matmul(query, ops.swapaxes(key, -1, -2)), "float32")  # [..., T, S]
    scaled = scores / math.sqrt(query.shape[-1]) if scale else scores
    biased = scaled if bias is None else scaled + bias
    masked = biased if mask is None else biased + ops.where(ops.cast(mask, "bool"), 0.0, BLOCKED)
    return ops.softmax(masked, axis=-1)


def scaled_dot_product_attention(query: Any, key: Any, value: Any, mask: Any = None) -> tuple[Any, Any]:
    """Compute Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V (equation 1).

    Args:
        query: [..., T, K].
        key: [..., S, K].
        value: [..., S, W].
        mask: broadcastable to [..., T, S]; 1 or True = attend, 0 or False = blocked.

    Returns:
        output [..., T, W] in the dtype of `value`, and weights float32 [..., T, S].

    Raises:
        ValueError: query and key differ in width, or key and value in length.
    """
    query, key, value = (ops.convert_to_tensor(tensor) for tensor in (query, key, value))
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must have the same width. Received: query {tuple(query.shape)}, key {tuple(key.shape)}"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"key and value must have the same length. Received: key {tuple(key.shape)}, value {tuple(value.shape)}"
        )
    weights = attention_weights(query, key, mask)
    return ops.matmul(ops.cast(weights, value.dtype), value), weights


class MultiHeadAttention(PlainLayer):
    """Multi-head attention with separate query, key, value and output projections (section 3.2.2).

    Args:
        num_heads: H.
        key_dim: K, width of one head's queries, keys and values; need not be D / H.
        output_dim: width of the output.
        dropout: rate on the weights, in training only; the returned weights are those before dropout.
        biases: whether the projections have biases.
        scale: whether the scores are divided by sqrt(K).

    Call arguments:
        query: [B, T, any width].
        memory: [B, S, any width], the input of keys and values.
        attention_mask: broadcastable to [B, H, T, S]; True = attend.
        gate: a HeadGate, or None to leave all heads on.
        bias: added to the scores, broadcastable to [B, H, T, S], or None.

    Returns:
        output [B, T, output_dim] and weights float32 [B, H, T, S].
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        output_dim: int,
        dropout: float = 0.0,
        biases: bool = True,
        scale: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if num_heads < 1 or key_dim < 1 or output_dim < 1:
            raise ValueError(
                "num_heads, key_dim and output_dim must be at least 1. "
                f"Received: num_heads={num_heads}, key_dim={key_dim}, output_dim={output_dim}"
            )
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.output_dim = output_dim
        self.dropout = dropout
        self.biases = biases
        self.scale = scale
        inner = num_heads * key_dim
        self.query_projection = self._map(inner, "query")
        self.key_projection = self._map(inner, "key")
        self.value_projection = self._map(inner, "value")
        self.output_projection = self._map(output_dim, "output")
        self.weight_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, query_shape: Any, memory_shape: Any) -> None:
        """Make the four projections."""
        self.query_projection.build(query_shape)
        self.key_projection.build(memory_shape)
        self.value_projection.build(memory_shape)
        self.output_projection.build((*query_shape[:-1], self.num_heads * self.key_dim))

    def call(
        self,
        query: Any,
        memory: Any,
        attention_mask: Any = None,
        gate: Any = None,
        training: bool = False,
        bias: Any = None,
    ) -> tuple[Any, Any]:
        """Attend from `query` to `memory`."""
        key, value = self.project(memory)
        return self.attend(query, key, value, attention_mask, gate, training, bias)

    def project(self, memory: Any) -> tuple[Any, Any]:
        """Project a memory [B, S, any width] to keys and values, each [B, H, S, K], for a cache."""
        return self._split(self.key_projection(memory)), self._split(self.value_projection(memory))

    def attend(
        self,
        query: Any,
        key: Any,
        value: Any,
        mask: Any = None,
        gate: Any = None,
        training: bool = False,
        bias: Any = None,
    ) -> tuple[Any, Any]:
        """Attend from `query` [B, T, any width] to projected keys and values [B, H, S, K]."""
        weights = self.weigh(query, key, mask, bias)  # [B, H, T, S]
        dropped = self.weight_dropout(ops.cast(weights, value.dtype), training=training)
        outputs = ops.matmul(dropped, value)  # [B, H, T, K]
        if gate is not None:
            share = ops.cast(gate.open, outputs.dtype)[..., None, None]  # [H, 1, 1] or [B, H, 1, 1]
            fill = ops.cast(gate.fill, outputs.dtype)
            outputs = outputs * share + (1 - share) * (fill if len(fill.shape) == 4 else fill[..., None, :])
        outputs = ops.transpose(outputs, (0, 2, 1, 3))  # [B, T, H, K]
        shape = ops.shape(query)
        joined = ops.reshape(outputs, (shape[0], shape[1], self.num_heads * self.key_dim))
        return self.output_projection(joined), weights

    def weigh(self, query: Any, key: Any, mask: Any = None, bias: Any = None) -> Any:
        """Return the weights alone, float32 [B, H, T, S]; see `attend`."""
        heads = self._split(self.query_projection(query))  # [B, H, T, K]
        return attention_weights(heads, key, mask, bias, self.scale)

    def _split(self, x: Any) -> Any:
        """Split the heads: [B, N, H*K] -> [B, H, N, K]."""
        shape = ops.shape(x)
        heads = ops.reshape(x, (shape[0], shape[1], self.num_heads, self.key_dim))
        return ops.transpose(heads, (0, 2, 1, 3))

    def _map(self, width: int, name: str) -> keras.layers.Dense:
        return keras.layers.Dense(width, use_bias=self.biases, dtype=self.dtype_policy, name=name)
