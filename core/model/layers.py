"""Embeddings, layer normalisation, residual connections and feed-forward networks."""

import math
from typing import Any, get_args

import keras
from keras import ops

from core.config import Norm


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
        """Look up the tokens and scale their vectors."""
        return ops.take(self.table, tokens, axis=0) * math.sqrt(self.width)

    def logits(self, states: Any) -> Any:
        """Score every token: states [B, N, D] times the transposed table, [B, N, V]."""
        return ops.matmul(states, ops.transpose(ops.cast(self.table, states.dtype)))

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {**super().get_config(), "vocabulary": self.vocabulary, "width": self.width}


class LayerNormalization(keras.layers.Layer):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta over the last axis (Ba et al. 2016, equation 4).

    Args:
        epsilon: added to the variance.

    Call arguments:
        x: [..., D]; computed in float32.

    Returns:
        [..., D] in the dtype of `x`.
    """

    def __init__(self, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon

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
        """Return the input of the sub-layer, [B, N, D]."""
        return self.normalization(x) if self.norm == "pre" else x

    def after(self, x: Any, output: Any, training: bool = False) -> Any:
        """Add the sub-layer's output [B, N, D] to x [B, N, D]."""
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
