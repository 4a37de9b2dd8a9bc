"""Embeddings, layer normalisation, residual connections, feed-forward networks, blocks and stacks."""

import math
from typing import Any, NamedTuple, Self, get_args

import keras
from keras import ops

from core.config import ModelConfig, Norm
from core.model.attention import MultiHeadAttention


class TokenEmbedding(keras.layers.Layer):
    """Token vectors times sqrt(D), and the output layer that shares them (Vaswani et al. 2017, section 3.4).

    Args:
        vocabulary: V.
        width: D.

    Call arguments:
        tokens: int [B, N].

    Returns:
        [B, N, D].
    """

    def __init__(self, vocabulary: int, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.vocabulary = vocabulary
        self.width = width

    def build(self, input_shape: Any) -> None:
        """Make the table [V, D], drawn so that a scaled vector has unit variance."""
        start = keras.initializers.RandomNormal(stddev=self.width**-0.5)
        self.table = self.add_weight(shape=(self.vocabulary, self.width), initializer=start, name="table")

    def call(self, tokens: Any) -> Any:
        """Look the tokens up and scale."""
        return ops.take(self.table, tokens, axis=0) * math.sqrt(self.width)

    def logits(self, states: Any) -> Any:
        """Scores of every token: states [B, N, D] times the transposed table, [B, N, V]."""
        return ops.matmul(states, ops.transpose(ops.cast(self.table, states.dtype)))

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "vocabulary": self.vocabulary, "width": self.width}


class LayerNormalization(keras.layers.Layer):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta over the last axis (Ba et al. 2016, equation 4).

    Args:
        epsilon: added to the variance.

    Call arguments:
        x: [..., D]; statistics are taken in float32.

    Returns:
        [..., D] in the dtype of `x`.
    """

    def __init__(self, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon

    def build(self, input_shape: Any) -> None:
        """Make gamma and beta [D]."""
        self.gamma = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="gamma")
        self.beta = self.add_weight(shape=(input_shape[-1],), initializer="zeros", name="beta")

    def call(self, x: Any) -> Any:
        """Normalise."""
        values = ops.cast(x, "float32")
        mean = ops.mean(values, axis=-1, keepdims=True)
        centred = values - mean
        variance = ops.mean(ops.square(centred), axis=-1, keepdims=True)
        normal = ops.cast(centred * ops.rsqrt(variance + self.epsilon), x.dtype)
        return normal * ops.cast(self.gamma, x.dtype) + ops.cast(self.beta, x.dtype)

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "epsilon": self.epsilon}


class Residual(keras.layers.Layer):
    """Residual connection with dropout and layer normalisation around a sub-layer.

    "post": LayerNorm(x + Dropout(Sublayer(x))), the paper's section 3.1.
    "pre": x + Dropout(Sublayer(LayerNorm(x))) (Xiong et al. 2020, figure 1b).
    Call `before(x)`, apply the sub-layer, then `after(x, output)`.

    Args:
        norm: "post" or "pre".
        dropout: rate on the sub-layer's output.
    """

    def __init__(self, norm: Norm, dropout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if norm not in get_args(Norm):
            raise ValueError(f"norm must be one of {', '.join(get_args(Norm))}. Received: norm={norm!r}")
        self.norm = norm
        self.dropout = dropout
        self.normalization = LayerNormalization(dtype=self.dtype_policy, name="normalization")
        self.output_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, input_shape: Any) -> None:
        """Make the normalisation."""
        self.normalization.build(input_shape)

    def before(self, x: Any) -> Any:
        """What the sub-layer reads, [B, N, D]."""
        return self.normalization(x) if self.norm == "pre" else x

    def after(self, x: Any, output: Any, training: bool = False) -> Any:
        """Join the sub-layer's output [B, N, D] to x [B, N, D]."""
        x = x + self.output_dropout(output, training=training)
        return x if self.norm == "pre" else self.normalization(x)

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "norm": self.norm, "dropout": self.dropout}


class FeedForward(keras.layers.Layer):
    """max(0, x W1 + b1) W2 + b2 at every position (Vaswani et al. 2017, equation 2).

    Args:
        inner: width between the two maps.
        dropout: rate after the ReLU.

    Call arguments:
        x: [B, N, D].

    Returns:
        [B, N, D].
    """

    def __init__(self, inner: int, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = inner
        self.dropout = dropout
        self.expand = keras.layers.Dense(inner, dtype=self.dtype_policy, name="expand")
        self.inner_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, input_shape: Any) -> None:
        """Make both maps; the second one returns to the width of the input."""
        self.contract = keras.layers.Dense(input_shape[-1], dtype=self.dtype_policy, name="contract")
        self.expand.build(input_shape)
        self.contract.build((*input_shape[:-1], self.inner))

    def call(self, x: Any, training: bool = False) -> Any:
        """Apply the network."""
        return self.contract(self.inner_dropout(ops.relu(self.expand(x)), training=training))

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "inner": self.inner, "dropout": self.dropout}


class _Configured(keras.layers.Layer):
    """A layer whose init argument is the model's configuration."""

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "config": self.config.to_dict()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Build from what `get_config` returned."""
        return cls(**{**config, "config": ModelConfig.from_dict(config["config"])})


class EncoderBlock(_Configured):
    """Self-attention and feed-forward network, each inside a residual connection.

    Args:
        config: the model's shape.

    Call arguments:
        x: [B, S, D].
        attention_mask: [B, 1, 1, S], True = attend.
        gate: [H] or None.

    Returns:
        output [B, S, D] and self-attention weights float32 [B, H, S, S].
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        policy = self.dtype_policy
        self.self_attention = _attention(config, dtype=policy, name="self_attention")
        self.self_residual = Residual(config.norm, config.dropout, dtype=policy, name="self_residual")
        self.feed_forward = FeedForward(config.feed_forward_dim, config.dropout, dtype=policy, name="feed_forward")
        self.feed_forward_residual = Residual(config.norm, config.dropout, dtype=policy, name="feed_forward_residual")

    def build(self, input_shape: Any) -> None:
        """Build the sub-layers."""
        self.self_attention.build(input_shape, input_shape)
        for layer in (self.self_residual, self.feed_forward, self.feed_forward_residual):
            layer.build(input_shape)

    def call(self, x: Any, attention_mask: Any = None, gate: Any = None, training: bool = False) -> tuple[Any, Any]:
        """Run the block."""
        inputs = self.self_residual.before(x)
        output, weights = self.self_attention(
            inputs, inputs, attention_mask=attention_mask, gate=gate, training=training
        )
        x = self.self_residual.after(x, output, training)
        output = self.feed_forward(self.feed_forward_residual.before(x), training=training)
        return self.feed_forward_residual.after(x, output, training), weights


class DecoderBlock(_Configured):
    """Masked self-attention, cross-attention over a memory, and feed-forward network.

    Args:
        config: the model's shape.

    Call arguments:
        x: [B, T, D].
        memory: [B, S, any width].
        attention_mask: [B, 1, T, T] target mask, True = attend.
        memory_mask: [B, 1, 1, S].
        self_gate, cross_gate: [H] or None.

    Returns:
        output [B, T, D], self-attention weights [B, H, T, T] and cross-attention weights [B, H, T, S].
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        policy = self.dtype_policy
        self.self_attention = _attention(config, dtype=policy, name="self_attention")
        self.self_residual = Residual(config.norm, config.dropout, dtype=policy, name="self_residual")
        self.cross_attention = _attention(config, dtype=policy, name="cross_attention")
        self.cross_residual = Residual(config.norm, config.dropout, dtype=policy, name="cross_residual")
        self.feed_forward = FeedForward(config.feed_forward_dim, config.dropout, dtype=policy, name="feed_forward")
        self.feed_forward_residual = Residual(config.norm, config.dropout, dtype=policy, name="feed_forward_residual")

    def build(self, x_shape: Any, memory_shape: Any) -> None:
        """Build the sub-layers."""
        self.self_attention.build(x_shape, x_shape)
        self.cross_attention.build(x_shape, memory_shape)
        for layer in (self.self_residual, self.cross_residual, self.feed_forward, self.feed_forward_residual):
            layer.build(x_shape)

    def call(
        self,
        x: Any,
        memory: Any,
        attention_mask: Any = None,
        memory_mask: Any = None,
        self_gate: Any = None,
        cross_gate: Any = None,
        training: bool = False,
    ) -> tuple[Any, Any, Any]:
        """Run the block over a whole target."""
        cross = self.cross_attention.project(memory)
        keys = self.self_attention.project(self.self_residual.before(x))
        return self.attend(x, keys, cross, attention_mask, memory_mask, self_gate, cross_gate, training)

    def attend(
        self,
        x: Any,
        self_cache: tuple[Any, Any],
        cross_cache: tuple[Any, Any],
        mask: Any = None,
        memory_mask: Any = None,
        self_gate: Any = None,
        cross_gate: Any = None,
        training: bool = False,
    ) -> tuple[Any, Any, Any]:
        """Run the block over x [B, T, D] with projected keys and values of both attentions, [B, H, N, K] each."""
        output, self_weights = self.self_attention.attend(
            self.self_residual.before(x), *self_cache, mask=mask, gate=self_gate, training=training
        )
        x = self.self_residual.after(x, output, training)
        output, cross_weights = self.cross_attention.attend(
            self.cross_residual.before(x), *cross_cache, mask=memory_mask, gate=cross_gate, training=training
        )
        x = self.cross_residual.after(x, output, training)
        output = self.feed_forward(self.feed_forward_residual.before(x), training=training)
        return self.feed_forward_residual.after(x, output, training), self_weights, cross_weights


class StackOutput(NamedTuple):
    """What a stack of blocks returns.

    Args:
        states: [B, N, D], normalised once more after a pre-norm stack.
        hidden: L+1 tensors [B, N, D]: the stack's input and the output of every block.
        self_attention: L tensors [B, H, N, N].
        cross_attention: L tensors [B, H, N, S]; empty for an encoder.
    """

    states: Any
    hidden: tuple[Any, ...]
    self_attention: tuple[Any, ...]
    cross_attention: tuple[Any, ...] = ()


class Encoder(_Configured):
    """A stack of encoder blocks.

    Args:
        config: the model's shape.

    Call arguments:
        x: embedded source [B, S, D].
        attention_mask: padding mask [B, 1, 1, S].
        gates: [L, H] head gates, or None.
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        self.blocks = [
            EncoderBlock(config, dtype=self.dtype_policy, name=f"block{number}")
            for number in range(1, config.encoder_layers + 1)
        ]
        self.final_norm = LayerNormalization(dtype=self.dtype_policy, name="norm") if config.norm == "pre" else None

    def build(self, input_shape: Any) -> None:
        """Build every block."""
        for block in self.blocks:
            block.build(input_shape)
        if self.final_norm:
            self.final_norm.build(input_shape)

    def call(self, x: Any, attention_mask: Any = None, gates: Any = None, training: bool = False) -> StackOutput:
        """Run the stack."""
        hidden, attention = [x], []
        for number, block in enumerate(self.blocks):
            gate = None if gates is None else gates[number]
            x, weights = block(x, attention_mask=attention_mask, gate=gate, training=training)
            hidden.append(x)
            attention.append(weights)
        states = self.final_norm(x) if self.final_norm else x
        return StackOutput(states, tuple(hidden), tuple(attention))


class Decoder(_Configured):
    """A stack of decoder blocks.

    Args:
        config: the model's shape.

    Call arguments:
        x: embedded target [B, T, D].
        memory: [B, S, any width].
        attention_mask: target mask [B, 1, T, T].
        memory_mask: padding mask of the memory [B, 1, 1, S].
        self_gates, cross_gates: [L, H] head gates, or None.
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        self.blocks = [
            DecoderBlock(config, dtype=self.dtype_policy, name=f"block{number}")
            for number in range(1, config.decoder_layers + 1)
        ]
        self.final_norm = LayerNormalization(dtype=self.dtype_policy, name="norm") if config.norm == "pre" else None

    def build(self, x_shape: Any, memory_shape: Any) -> None:
        """Build every block."""
        for block in self.blocks:
            block.build(x_shape, memory_shape)
        if self.final_norm:
            self.final_norm.build(x_shape)

    def call(
        self,
        x: Any,
        memory: Any,
        attention_mask: Any = None,
        memory_mask: Any = None,
        self_gates: Any = None,
        cross_gates: Any = None,
        training: bool = False,
    ) -> StackOutput:
        """Run the stack over a whole target."""
        hidden, self_attention, cross_attention = [x], [], []
        for number, block in enumerate(self.blocks):
            x, self_weights, cross_weights = block(
                x,
                memory,
                attention_mask=attention_mask,
                memory_mask=memory_mask,
                self_gate=None if self_gates is None else self_gates[number],
                cross_gate=None if cross_gates is None else cross_gates[number],
                training=training,
            )
            hidden.append(x)
            self_attention.append(self_weights)
            cross_attention.append(cross_weights)
        states = self.final_norm(x) if self.final_norm else x
        return StackOutput(states, tuple(hidden), tuple(self_attention), tuple(cross_attention))


def _attention(config: ModelConfig, **kwargs: Any) -> MultiHeadAttention:
    return MultiHeadAttention(config.num_heads, config.key_dim, config.d_model, config.attention_dropout, **kwargs)
