"""Embeddings, normalisation, residual connections and feed-forward networks."""

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args

from core.config import Activation, Norm, Normalization
from core.runtime.backend import keras, ops

ACTIVATIONS: Mapping[Activation, Callable[[Any], Any]] = {
    "relu": ops.relu,
    "gelu": lambda x: ops.gelu(x, approximate=False),
    "gelu_tanh": lambda x: ops.gelu(x, approximate=True),
    "silu": ops.silu,
}
"""The functions of `ModelConfig.activation`."""


class PlainLayer(keras.layers.Layer):
    """A layer whose init arguments are numbers and words; each is also an attribute of the same name."""

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        own = [name for name, each in inspect.signature(type(self)).parameters.items() if each.kind != each.VAR_KEYWORD]
        return {**super().get_config(), **{name: getattr(self, name) for name in own}}


class Blend(NamedTuple):
    """Embeddings on the way from a common vector to their own.

    Args:
        factors: [B, N]; 0 = the common vector, 1 = their own.
        common: [D].
    """

    factors: Any
    common: Any


def scaled(embedded: Any, scale: Any) -> Any:
    """Return embeddings [B, N, D] times factors [B, N], or a `Blend` of them; None leaves them as they are."""
    if scale is None:
        return embedded
    factors = ops.cast(scale.factors if isinstance(scale, Blend) else scale, embedded.dtype)[..., None]
    if not isinstance(scale, Blend):
        return embedded * factors
    return embedded * factors + (1 - factors) * ops.cast(scale.common, embedded.dtype)


class TokenEmbedding(keras.layers.Layer):
    """Token vectors times sqrt(D), and the output layer that shares them (Vaswani et al. 2017, section 3.4).

    Args:
        vocabulary: V.
        width: D.
        scale: whether the vectors are multiplied by sqrt(D).
        bias: whether `logits` adds a bias to each token.

    Call arguments:
        tokens: int [B, N].

    Returns:
        [B, N, D].
    """

    def __init__(self, vocabulary: int, width: int, scale: bool = True, bias: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.vocabulary = vocabulary
        self.width = width
        self.scale = scale
        self.has_bias = bias

    def build(self, input_shape: Any) -> None:
        """Make the table [V, D], drawn so that a scaled vector has unit variance, and the bias [V]."""
        start = keras.initializers.RandomNormal(stddev=self.width**-0.5)
        self.table = self.add_weight(shape=(self.vocabulary, self.width), initializer=start, name="table")
        if self.has_bias:
            self.bias = self.add_weight(shape=(self.vocabulary,), initializer="zeros", name="bias")

    def call(self, tokens: Any) -> Any:
        """Look up the tokens and scale their vectors."""
        return ops.take(self.table, tokens, axis=0) * (math.sqrt(self.width) if self.scale else 1.0)

    def mean(self) -> Any:
        """Return the mean vector of all tokens [D], as `call` gives vectors."""
        return ops.mean(self.table, axis=0) * (math.sqrt(self.width) if self.scale else 1.0)

    def logits(self, states: Any) -> Any:
        """Score every token: states [B, N, D] times the transposed table, [B, N, V], plus the bias."""
        logits = ops.matmul(states, ops.transpose(ops.cast(self.table, states.dtype)))
        return logits + ops.cast(self.bias, states.dtype) if self.has_bias else logits

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        own = {"vocabulary": self.vocabulary, "width": self.width, "scale": self.scale, "bias": self.has_bias}
        return {**super().get_config(), **own}


class BaseNormalization(PlainLayer):
    """What the two kinds of normalisation share: their epsilon.

    Args:
        epsilon: added below the root by which the values are divided.
    """

    def __init__(self, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon


class LayerNormalization(BaseNormalization):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta over the last axis (Ba et al. 2016, equation 4).

    Args:
        epsilon: added to the variance.

    Call arguments:
        x: [..., D]; computed in float32.

    Returns:
        [..., D] in the dtype of `x`.
    """

    def build(self, input_shape: Any) -> None:
        """Make gamma and beta [D]."""
        width = (input_shape[-1],)
        self.gamma = self.add_weight(shape=width, initializer="ones", autocast=False, name="gamma")
        self.beta = self.add_weight(shape=width, initializer="zeros", autocast=False, name="beta")

    def call(self, x: Any) -> Any:
        """Normalise."""
        values = ops.cast(x, "float32")
        mean = ops.mean(values, axis=-1, keepdims=True)
        centred = values - mean
        variance = ops.mean(ops.square(centred), axis=-1, keepdims=True)
        normal = centred * ops.rsqrt(variance + self.epsilon)
        return ops.cast(normal * self.gamma + self.beta, x.dtype)


class RMSNormalization(BaseNormalization):
    """gamma * x / sqrt(mean of x^2 + epsilon) over the last axis (Zhang and Sennrich 2019, equation 4).

    Args:
        epsilon: added to the mean square.

    Call arguments:
        x: [..., D]; computed in float32.

    Returns:
        [..., D] in the dtype of `x`.
    """

    def build(self, input_shape: Any) -> None:
        """Make gamma [D]."""
        self.gamma = self.add_weight(shape=(input_shape[-1],), initializer="ones", autocast=False, name="gamma")

    def call(self, x: Any) -> Any:
        """Normalise."""
        values = ops.cast(x, "float32")
        square = ops.mean(ops.square(values), axis=-1, keepdims=True)
        normal = values * ops.rsqrt(square + self.epsilon)
        return ops.cast(normal * self.gamma, x.dtype)


def normalization(kind: Normalization, epsilon: float, **kwargs: Any) -> BaseNormalization:
    """Make the normalisation that a model uses everywhere; `kwargs` are those of a Keras layer."""
    return (RMSNormalization if kind == "rms" else LayerNormalization)(epsilon, **kwargs)


class Residual(PlainLayer):
    """Residual connection with dropout and layer normalisation around a sub-layer.

    "post": LayerNorm(x + Dropout(Sublayer(x))), the paper's section 3.1.
    "pre": x + Dropout(Sublayer(LayerNorm(x))) (Xiong et al. 2020, figure 1b).
    Call `before(x)`, apply the sub-layer, then `after(x, output)`.

    Args:
        norm: "post" or "pre".
        dropout: rate on the sub-layer's output.
        kind: of the normalisation, "layer" or "rms".
        epsilon: of the normalisation.
    """

    def __init__(
        self, norm: Norm, dropout: float, kind: Normalization = "layer", epsilon: float = 1e-6, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if norm not in get_args(Norm):
            raise ValueError(f"norm must be one of {', '.join(get_args(Norm))}. Received: norm={norm!r}")
        self.norm = norm
        self.dropout = dropout
        self.kind = kind
        self.epsilon = epsilon
        self.normalization = normalization(kind, epsilon, dtype=self.dtype_policy, name="normalization")
        self.output_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, input_shape: Any) -> None:
        """Make the normalisation."""
        self.normalization.build(input_shape)

    def before(self, x: Any) -> Any:
        """Return the input of the sub-layer, [B, N, D]."""
        return self.normalization(x) if self.norm == "pre" else x

    def after(self, x: Any, output: Any, training: bool = False) -> Any:
        """Add the sub-layer's output [B, N, D] to x [B, N, D]."""
        x = x + self.output_dropout(output, training=training)
        return x if self.norm == "pre" else self.normalization(x)


class FeedForward(PlainLayer):
    """max(0, x W1 + b1) W2 + b2 at every position (Vaswani et al. 2017, equation 2), or one of its variants.

    Gated, the activation is multiplied with a second map of the input: (act(x W1) * x W3) W2 (Shazeer 2020, section 2).

    Args:
        inner: F, width between the two maps.
        dropout: rate after the activation.
        activation: see `ModelConfig.activation`.
        gated: whether there is a second map.
        biases: whether the maps have biases.

    Call arguments:
        x: [B, N, D].

    Returns:
        [B, N, D].
    """

    def __init__(
        self,
        inner: int,
        dropout: float = 0.0,
        activation: Activation = "relu",
        gated: bool = False,
        biases: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.inner = inner
        self.dropout = dropout
        self.activation = activation
        self.gated = gated
        self.biases = biases
        self.expand = self._map(inner, "expand")
        self.gate = self._map(inner, "gate") if gated else None
        self.inner_dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy, name="dropout")

    def build(self, input_shape: Any) -> None:
        """Make the maps; the last one returns to the width of the input."""
        self.contract = self._map(input_shape[-1], "contract")
        self.expand.build(input_shape)
        if self.gate:
            self.gate.build(input_shape)
        self.contract.build((*input_shape[:-1], self.inner))

    def call(self, x: Any, training: bool = False) -> Any:
        """Apply the network."""
        active = ACTIVATIONS[self.activation](self.expand(x))  # [B, N, F]
        gated = active * self.gate(x) if self.gate else active
        return self.contract(self.inner_dropout(gated, training=training))

    def _map(self, width: int, name: str) -> keras.layers.Dense:
        return keras.layers.Dense(width, use_bias=self.biases, dtype=self.dtype_policy, name=name)
