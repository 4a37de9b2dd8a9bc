"""Copy from the source (See et al. 2017): with heads of the cross-attention, or with an attention head of its own."""

import math
from typing import Any, NamedTuple

import numpy as np

from core.config import TURN
from core.model.attention import BLOCKED
from core.model.layers import PlainLayer
from core.runtime.backend import keras, ops

SMALLEST = 1e-9
"""Smallest probability inside a logarithm that is differentiated."""
SMALLEST_GENERATED = 1e-6
"""Smallest probability of generating; 1 - 1e-9 would be 1 in float32."""
NOT_COPIED = 1e-30
"""Probability of copying a token that is not in the source."""


class Pointer(NamedTuple):
    """The copy distribution and its weight at each decoder position, all float32.

    Args:
        weights: [B, T, S] distribution over the source positions.
        log_generate: [B, T] log of p_gen, the probability of generating.
        log_copy: [B, T] log of 1 - p_gen.
    """

    weights: Any
    log_generate: Any
    log_copy: Any

    def log_of(self, tokens: Any, source: Any, smallest: float = SMALLEST) -> Any:
        """Return log-probabilities [B, T] of copying `tokens` [B, T] from `source` [B, S], at least log `smallest`."""
        same = ops.cast(tokens[:, :, None] == source[:, None, :], "float32")  # [B, T, S]
        return ops.log(ops.maximum(ops.sum(self.weights * same, axis=-1), smallest))

    def mix(self, generator: Any, source: Any) -> Any:
        """Return the log of the mixture over the whole vocabulary (See et al. 2017, equation 9).

        Args:
            generator: log-probabilities of generating, float32 [B, T, V].
            source: ids [B, S].

        Returns:
            float32 [B, T, V]; its exponentials sum to 1.
        """
        copied = ops.log(ops.maximum(self._copied(source, generator.shape[-1]), NOT_COPIED))
        return ops.logaddexp(self.log_generate[..., None] + generator, self.log_copy[..., None] + copied)

    def _copied(self, source: Any, vocabulary: int) -> Any:
        """Return the copy probability of each token, [B, T, V]: the sum over its positions in the source."""
        batch, length, size = ops.shape(self.weights)
        rows = ops.broadcast_to(ops.reshape(ops.arange(batch * length), (batch, length, 1)), (batch, length, size))
        places = ops.broadcast_to(source[:, None], (batch, length, size))
        return ops.reshape(
            ops.scatter(
                ops.reshape(ops.stack([rows, places], axis=-1), (-1, 2)),
                ops.reshape(self.weights, (-1,)),
                (batch * length, vocabulary),
            ),
            (batch, length, vocabulary),
        )


class CopyHead(PlainLayer):
    """One attention head over the source that points at the token to copy, and the switch p_gen.

    Padding, [TURN], [EOS] and other special tokens are never copied. Everything is float32.

    Args:
        width: D.

    Call arguments:
        states: decoder states after the last normalisation, [B, T, D].
        embedded: embeddings of the decoder's input tokens, [B, T, D].
        memory: encoder states [B, S, D].
        source: ids [B, S].

    Returns:
        Pointer.
    """

    def __init__(self, width: int, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.width = width
        self.query = keras.layers.Dense(width, use_bias=False, dtype="float32", name="query")
        self.key = keras.layers.Dense(width, use_bias=False, dtype="float32", name="key")
        self.switch = keras.layers.Dense(
            1, bias_initializer=keras.initializers.Constant(1.0), dtype="float32", name="switch"
        )

    def build(self, states_shape: Any, embedded_shape: Any, memory_shape: Any, source_shape: Any) -> None:
        """Make the projections."""
        self.query.build(states_shape)
        self.key.build(memory_shape)
        self.switch.build((*states_shape[:-1], 3 * self.width))

    def call(self, states: Any, embedded: Any, memory: Any, source: Any) -> Pointer:
        """Point at the source."""
        states, embedded, memory = (ops.cast(x, "float32") for x in (states, embedded, memory))
        scores = ops.matmul(self.query(states), ops.swapaxes(self.key(memory), -1, -2)) / math.sqrt(self.width)
        weights = ops.softmax(ops.where((source > TURN)[:, None, :], scores, BLOCKED), axis=-1)  # [B, T, S]
        context = ops.matmul(weights, memory)  # [B, T, D]
        switch = self.switch(ops.concatenate([states, context, embedded], axis=-1))[..., 0]  # [B, T]
        return Pointer(weights, -ops.softplus(-switch), -ops.softplus(switch))


class CrossCopy(PlainLayer):
    """Copying with heads of the decoder's cross-attention: each step generates, or copies what a head attends to.

    A switch gives every head and the generator its share; the shares sum to 1. What a head attends to in special
    tokens is generated, and so is the share of a head that may not copy. Everything is float32.

    Args:
        width: D.
        heads: C, number of heads that copy.

    Call arguments:
        states: decoder states after the last normalisation, [B, T, D].
        embedded: embeddings of the decoder's input tokens, [B, T, D].
        attention: cross-attention weights of the last layer [B, at least C, T, S]; its first heads copy.
        source: ids [B, S].
        gate: HeadGate of that layer, or None.

    Returns:
        Pointer.
    """

    def __init__(self, width: int, heads: int, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.width = width
        self.heads = heads
        generate = np.zeros(1 + heads, dtype=np.float32)
        generate[0] = 1 + math.log(heads)  # 0.73 of the shares at the beginning
        self.switch = keras.layers.Dense(
            1 + heads, bias_initializer=keras.initializers.Constant(generate), dtype="float32", name="switch"
        )

    def build(self, states_shape: Any) -> None:
        """Make the switch."""
        self.switch.build((*states_shape[:-1], 2 * self.width))

    def call(self, states: Any, embedded: Any, attention: Any, source: Any, gate: Any = None) -> Pointer:
        """Point at the source."""
        states, embedded = ops.cast(states, "float32"), ops.cast(embedded, "float32")
        switch = ops.softmax(self.switch(ops.concatenate([states, embedded], axis=-1)), axis=-1)  # [B, T, 1 + C]
        shares = switch[..., 1:]
        if gate is not None:
            shares = shares * ops.cast(gate.copying, "float32")[..., None, : self.heads]
        seen = ops.einsum("bth,bhts->bts", shares, attention[:, : self.heads])
        words = seen * ops.cast(source > TURN, "float32")[:, None, :]  # [B, T, S]
        copied = ops.clip(ops.sum(words, axis=-1), SMALLEST, 1 - SMALLEST_GENERATED)  # [B, T]
        weights = words / copied[..., None]
        log_generate, log_copy = ops.log1p(-copied), ops.log(copied)
        return Pointer(weights, log_generate, log_copy)
