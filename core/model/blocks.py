"""Encoder and decoder blocks, and stacks of them (Vaswani et al. 2017, section 3.1)."""

from typing import Any, NamedTuple, Self

from core.config import ModelConfig
from core.model.attention import MultiHeadAttention
from core.model.layers import FeedForward, LayerNormalization, Residual, RMSNormalization, normalization
from core.model.positional import RelativeBias
from core.runtime.backend import keras, ops


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
        gate: a HeadGate or None.
        bias: of the scores, broadcastable to [B, H, S, S], or None.

    Returns:
        output [B, S, D] and self-attention weights float32 [B, H, S, S].
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        policy = self.dtype_policy
        self.self_attention = _attention(config, dtype=policy, name="self_attention")
        self.self_residual = _residual(config, dtype=policy, name="self_residual")
        self.feed_forward = _feed_forward(config, dtype=policy, name="feed_forward")
        self.feed_forward_residual = _residual(config, dtype=policy, name="feed_forward_residual")

    def build(self, input_shape: Any) -> None:
        """Build the sub-layers."""
        self.self_attention.build(input_shape, input_shape)
        for layer in (self.self_residual, self.feed_forward, self.feed_forward_residual):
            layer.build(input_shape)

    def call(
        self, x: Any, attention_mask: Any = None, gate: Any = None, training: bool = False, bias: Any = None
    ) -> tuple[Any, Any]:
        """Run the block."""
        inputs = self.self_residual.before(x)
        output, weights = self.self_attention(
            inputs, inputs, attention_mask=attention_mask, gate=gate, training=training, bias=bias
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
        self_gate, cross_gate: a HeadGate or None.
        bias: of the self-attention's scores, broadcastable to [B, H, T, T], or None.

    Returns:
        output [B, T, D], self-attention weights [B, H, T, T] and cross-attention weights [B, H, T, S].
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        policy = self.dtype_policy
        self.self_attention = _attention(config, dtype=policy, name="self_attention")
        self.self_residual = _residual(config, dtype=policy, name="self_residual")
        self.cross_attention = _attention(config, dtype=policy, name="cross_attention")
        self.cross_residual = _residual(config, dtype=policy, name="cross_residual")
        self.feed_forward = _feed_forward(config, dtype=policy, name="feed_forward")
        self.feed_forward_residual = _residual(config, dtype=policy, name="feed_forward_residual")

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
        bias: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Run the block over a whole target."""
        cross = self.cross_attention.project(memory)
        keys = self.self_attention.project(self.self_residual.before(x))
        return self.attend(x, keys, cross, attention_mask, memory_mask, self_gate, cross_gate, training, bias)

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
        bias: Any = None,
    ) -> tuple[Any, Any, Any]:
        """Run the block over x [B, T, D] with projected keys and values of both attentions, [B, H, N, K] each.

        Several rows of x may share one memory, see `by_source`.
        """
        x, self_weights = self.read_target(x, self_cache, mask, self_gate, training, bias)
        query = by_source(self.cross_residual.before(x), cross_cache[0])
        output, cross_weights = self.cross_attention.attend(
            query, *cross_cache, mask=memory_mask, gate=cross_gate, training=training
        )
        x = self.cross_residual.after(x, by_source(output, x), training)
        output = self.feed_forward(self.feed_forward_residual.before(x), training=training)
        return self.feed_forward_residual.after(x, output, training), self_weights, cross_weights

    def read_target(
        self,
        x: Any,
        cache: tuple[Any, Any],
        mask: Any = None,
        gate: Any = None,
        training: bool = False,
        bias: Any = None,
    ) -> tuple[Any, Any]:
        """Run the first sub-layer alone, self-attention: x [B, T, D] and the weights; see `attend`."""
        output, weights = self.self_attention.attend(
            self.self_residual.before(x), *cache, mask=mask, gate=gate, training=training, bias=bias
        )
        return self.self_residual.after(x, output, training), weights


class StackOutput(NamedTuple):
    """The output of a stack of blocks.

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


class _StackOfBlocks(_Configured):
    """Equal blocks, a bias by relative position that they share, and the norm after a pre-norm stack."""

    block: type[_Configured]
    both_ways: bool

    def __init__(self, config: ModelConfig, layers: int, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        policy = self.dtype_policy
        self.blocks = [self.block(config, dtype=policy, name=f"block{number}") for number in range(1, layers + 1)]
        self.relative_bias = _relative_bias(config, self.both_ways)
        self.final_norm = _final_norm(config, dtype=policy, name="norm")

    def _build(self, *shapes: Any) -> None:
        for block in self.blocks:
            block.build(*shapes)
        for layer in (self.relative_bias, self.final_norm):
            if layer:
                layer.build(shapes[0])

    def bias(self, queries: Any, keys: Any = None) -> Any:
        """Return the bias of every block's self-attention, [1, H, T, N], or None.

        Args:
            queries: their positions [T], or a number T of them.
            keys: the same of the keys; None: those of the queries.
        """
        if self.relative_bias is None:
            return None
        return self.relative_bias(queries=queries, keys=queries if keys is None else keys)

    def normalised(self, states: Any) -> Any:
        """Return hidden states [B, N, D] as if they were the stack's output.

        This applies the final normalisation of a pre-norm stack; a post-norm block ends with its own one.
        """
        return self.final_norm(states) if self.final_norm else states


class Encoder(_StackOfBlocks):
    """A stack of encoder blocks.

    Args:
        config: the model's shape.

    Call arguments:
        x: embedded source [B, S, D].
        attention_mask: padding mask [B, 1, 1, S].
        gates: a HeadGate with a leading layer axis, or None.
        places: int [S] position of each token, -1 for none; None means 0, 1, 2, … Only relative positions need them.
        start: number of the lowest blocks to leave out: `x` is what they returned.
    """

    block = EncoderBlock
    both_ways = True

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, config.encoder_layers, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Build every block."""
        self._build(input_shape)

    def call(
        self,
        x: Any,
        attention_mask: Any = None,
        gates: Any = None,
        training: bool = False,
        places: Any = None,
        start: int = 0,
    ) -> StackOutput:
        """Run the stack."""
        bias = self.bias(ops.shape(x)[1] if places is None else places)
        hidden, attention = [x], []
        for number, block in enumerate(self.blocks[start:], start):
            gate = gates and gates.layer(number)
            x, weights = block(x, attention_mask=attention_mask, gate=gate, training=training, bias=bias)
            hidden.append(x)
            attention.append(weights)
        return StackOutput(self.normalised(x), tuple(hidden), tuple(attention))


class Decoder(_StackOfBlocks):
    """A stack of decoder blocks.

    Args:
        config: the model's shape.

    Call arguments:
        x: embedded target [B, T, D].
        memory: [B, S, any width].
        attention_mask: target mask [B, 1, T, T].
        memory_mask: padding mask of the memory [B, 1, 1, S].
        self_gates, cross_gates: a HeadGate with a leading layer axis, or None.
        start: number of the lowest blocks to leave out: `x` is what they returned.
    """

    block = DecoderBlock
    both_ways = False

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(config, config.decoder_layers, **kwargs)

    def build(self, x_shape: Any, memory_shape: Any) -> None:
        """Build every block."""
        self._build(x_shape, memory_shape)

    def call(
        self,
        x: Any,
        memory: Any,
        attention_mask: Any = None,
        memory_mask: Any = None,
        self_gates: Any = None,
        cross_gates: Any = None,
        training: bool = False,
        start: int = 0,
    ) -> StackOutput:
        """Run the stack over a whole target."""
        bias = self.bias(ops.shape(x)[1])
        hidden, self_attention, cross_attention = [x], [], []
        for number, block in enumerate(self.blocks[start:], start):
            x, self_weights, cross_weights = block(
                x,
                memory,
                attention_mask=attention_mask,
                memory_mask=memory_mask,
                self_gate=self_gates and self_gates.layer(number),
                cross_gate=cross_gates and cross_gates.layer(number),
                training=training,
                bias=bias,
            )
            hidden.append(x)
            self_attention.append(self_weights)
            cross_attention.append(cross_weights)
        return StackOutput(self.normalised(x), tuple(hidden), tuple(self_attention), tuple(cross_attention))


def by_source(x: Any, other: Any) -> Any:
    """Reshape rows [N, T, D] to [B, N / B * T, D], B being that of `other`: beams of a source side by side, or back.

    Attention to a source does not depend on the row of a query, so that all beams of a source read its keys at once.
    """
    return x if x.shape[0] == other.shape[0] else ops.reshape(x, (other.shape[0], -1, x.shape[-1]))


def _attention(config: ModelConfig, **kwargs: Any) -> MultiHeadAttention:
    return MultiHeadAttention(
        config.num_heads,
        config.key_dim,
        config.d_model,
        config.attention_dropout,
        config.biases,
        config.score_scale,
        **kwargs,
    )


def _residual(config: ModelConfig, **kwargs: Any) -> Residual:
    return Residual(config.norm, config.dropout, config.normalization, config.epsilon, **kwargs)


def _feed_forward(config: ModelConfig, **kwargs: Any) -> FeedForward:
    return FeedForward(
        config.feed_forward_dim, config.dropout, config.activation, config.gated, config.biases, **kwargs
    )


def _final_norm(config: ModelConfig, **kwargs: Any) -> LayerNormalization | RMSNormalization | None:
    return normalization(config.normalization, config.epsilon, **kwargs) if config.norm == "pre" else None


def _relative_bias(config: ModelConfig, both_ways: bool) -> RelativeBias | None:
    if config.positions != "relative":
        return None
    length = max(config.max_source_length, config.max_target_length)
    shape = (config.num_heads, config.relative_buckets, config.relative_distance, length)
    return RelativeBias(*shape, both_ways, name="relative_bias")
