"""Attention of recurrent models: from one sequence of states to another.

Shape letters: B sources, S source, T target, U units, A inner width of the additive score.
"""

from typing import Any, get_args

from core.config import Scoring
from core.model.attention import BLOCKED
from core.model.layers import PlainLayer
from core.runtime.backend import keras, ops


class SequenceAttention(PlainLayer):
    """Attend from the decoder's states s to the encoder's states h (Bahdanau et al. 2015; Luong et al. 2015).

    Scores: "dot" s·h and "multiplicative" s W h (Luong et al. 2015, section 3.1); "additive" v tanh(W1 h + W2 s)
    (Bahdanau et al. 2015, section A.1.2). Their softmax weighs the h (Luong, equation 7); the weighted mean c joins
    the state: tanh(W [c; s]) (Luong, equation 5). As with Luong, the query is the state after reading the current
    word, not the state before it, so that all positions of a target attend at once.

    Args:
        units: U.
        scoring: "dot", "multiplicative" or "additive".
        width: A, inner width of the additive score.

    Call arguments:
        query: s, [B, T, U].
        keys: output of `project` for `memory`.
        memory: h, [B, S, U].
        mask: [B, 1, 1, S]; True = attend.

    Returns:
        output [B, T, U] and weights float32 [B, T, S].
    """

    def __init__(self, units: int, scoring: Scoring, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        allowed = [name for name in get_args(Scoring) if name != "none"]
        if scoring not in allowed:
            raise ValueError(f"scoring must be one of {', '.join(allowed)}. Received: scoring={scoring!r}")
        self.units = units
        self.scoring = scoring
        self.width = width
        inner = width if scoring == "additive" else units
        plain = {"use_bias": False, "dtype": self.dtype_policy}
        self.key_map = None if scoring == "dot" else keras.layers.Dense(inner, name="key_map", **plain)
        self.query_map = keras.layers.Dense(inner, name="query_map", **plain) if scoring == "additive" else None
        self.join = keras.layers.Dense(units, activation="tanh", name="join", **plain)

    def build(self, query_shape: Any, *_: Any) -> None:
        """Make the projections of the score, and the one that combines context and state."""
        for layer in (self.key_map, self.query_map):
            if layer is not None:
                layer.build(query_shape)
        if self.scoring == "additive":
            self.vector = self.add_weight(shape=(self.width,), initializer="glorot_uniform", name="vector")
        self.join.build((*query_shape[:-1], 2 * self.units))

    def project(self, memory: Any) -> Any:
        """Project the memory to keys, [B, S, U or A], which serve the whole target."""
        return memory if self.key_map is None else self.key_map(memory)

    def call(self, query: Any, keys: Any, memory: Any, mask: Any) -> tuple[Any, Any]:
        """Attend to the memory."""
        scores = ops.where(mask[:, 0], ops.cast(self._scores(query, keys), "float32"), BLOCKED)
        weights = ops.softmax(scores, axis=-1)  # [B, T, S]
        context = ops.matmul(ops.cast(weights, memory.dtype), memory)  # [B, T, U]
        return self.join(ops.concatenate([context, query], axis=-1)), weights

    def _scores(self, query: Any, keys: Any) -> Any:
        """Compute the scores, [B, T, S]."""
        if self.query_map is None:
            return ops.matmul(query, ops.swapaxes(keys, -1, -2))
        inner = ops.tanh(self.query_map(query)[:, :, None] + keys[:, None])  # [B, T, S, A]
        return ops.matmul(inner, ops.cast(self.vector, inner.dtype)[:, None])[..., 0]
