"""The training objective: label-smoothed cross-entropy over the tokens that are not padding."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import PAD, START, TrainConfig
from core.model.families import Network
from core.model.transformer import decoder_input
from core.runtime.backend import keras, ops


class TeacherForcing(keras.Model):
    """Wraps a model of any family for `fit`: shifted targets in, log-probabilities of the targets out.

    Args:
        transformer: the model to train.
        config: the training settings.
        content: [V] 1 for token ids that guided copying may reward, 0 for frequent ones; None for all.

    Call arguments:
        source: ids [B, S].
        target: ids [B, T], [EOS] last, then padding.
        states: that the frozen layers return [B, S, D], if they are kept (`core.training.states`).

    Returns:
        `target` log P(y) [B, T]; `smooth` mean log-probability over the vocabulary [B, T]; `copy` log-probability
        of copying y [B, T] and `found` 1 where y occurs in the source (both only for a copying model).
    """

    def __init__(self, transformer: Network, config: TrainConfig, content: NDArray[np.float32] | None = None) -> None:
        super().__init__(name="teacher_forcing")
        self.transformer = transformer
        self.config = config
        self.content = content
        self.guidance = self.add_weight(shape=(), initializer="zeros", trainable=False, name="guidance")
        self.token_loss = keras.metrics.Mean(name="token_loss")
        self.built = True

    def call(self, inputs: tuple[Any, ...], training: bool = False) -> dict[str, Any]:
        """Score every target token under teacher forcing."""
        source, target, *states = inputs
        read = self.transformer
        if states:
            encoded = read.remember(source, *states, self.config.frozen, training)
        else:
            encoded = read.encode(source, training=training)
        result = self.score(encoded, target, training)
        if "copy" in result:
            result["found"] = ops.cast(ops.any(target[:, :, None] == source[:, None, :], axis=-1), "float32")
        return result

    def score(self, encoded: Any, target: Any, training: bool) -> dict[str, Any]:
        """Return the model's `target_scores` of targets [N, T], one target for each of N encoded sources."""
        decoded = self.transformer.decode(decoder_input(target, START), encoded, training=training)
        return self.transformer.target_scores(decoded, encoded.source, target)  # type: ignore[no-any-return]

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Return the mean loss of the tokens that are not padding (smoothing: Szegedy et al. 2016, section 7)."""
        keep = ops.cast(y != PAD, "float32")
        count = ops.maximum(ops.sum(keep), 1.0)
        loss = self.cross_entropy(ops.sum(y_pred["target"] * keep), ops.sum(y_pred["smooth"] * keep), count)
        if "copy" in y_pred and self.config.guided_copy:
            found = y_pred["found"] * keep
            if self.content is not None:
                found = found * ops.take(ops.convert_to_tensor(self.content), y, axis=0)
            loss = loss - ops.cast(self.guidance, "float32") * ops.sum(y_pred["copy"] * found) / count
        return loss

    def cross_entropy(self, target: Any, smooth: Any, count: Any) -> Any:
        """Return the smoothed cross-entropy of `count` tokens, from the sums of what `call` returns."""
        plain = -target / count
        self.token_loss.update_state(plain, sample_weight=count)
        smoothing = self.config.label_smoothing
        return (1 - smoothing) * plain - smoothing * smooth / count

    @property
    def metrics(self) -> list[Any]:
        """Keras' own trackers and the plain token loss."""
        return [*super().metrics, self.token_loss] if self.token_loss not in super().metrics else super().metrics
