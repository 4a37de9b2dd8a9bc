"""Train a tiny encoder-decoder to copy through noise, with and without the look-ahead mask.

Both networks use the app's Transformer, the same initial weights and the same data: only the mask differs.
B sequences, N positions, V ids.
"""

import threading
from typing import Any

import numpy as np

from core.config import START, ModelConfig
from core.errors import SettingsError
from core.explain.masks.noisy_copy import CHUNK, FIRST, LENGTH, SYMBOLS, Ids, Lesson, Outcome, draw
from core.model.masks import target_mask
from core.model.transformer import Transformer
from core.runtime.backend import NAME, keras, ops
from core.runtime.queue import CALLS

CONFIG = ModelConfig(
    source_vocabulary=FIRST + SYMBOLS,
    target_vocabulary=FIRST + SYMBOLS,
    d_model=32,
    num_heads=2,
    feed_forward_dim=64,
    encoder_layers=1,
    decoder_layers=1,
    max_source_length=LENGTH,
    max_target_length=LENGTH,
    dropout=0.0,
    norm="pre",
)
BATCH, RATE = 64, 3e-3
"""Sequences of a training step, and the initial learning rate of a cosine schedule to 0."""
FRESH, SHOWN = 512, 4
"""Sequences that are scored after the training, and how many of them are shown."""
_ONE_AT_A_TIME = threading.Lock()
"""Keras has one random seed for all threads: two trainings at once would not begin with the weights of their seeds."""


class CopyModel(keras.Model):
    """A tiny Transformer whose decoder sees the target so far, or the whole target.

    Args:
        masked: whether the decoder uses the look-ahead mask.

    Call arguments:
        source: ids [B, N].
        target: decoder input ids [B, N], [SOS] first.

    Returns:
        logits [B, N, V].
    """

    def __init__(self, masked: bool) -> None:
        super().__init__()
        self.masked = masked
        self.transformer = Transformer(CONFIG)
        self.built = True

    def call(self, inputs: tuple[Any, Any], training: bool = False) -> Any:
        """Teacher forcing."""
        return self.logits(inputs, LENGTH, training)

    def logits(self, inputs: tuple[Any, Any], written: int, training: bool = False) -> Any:
        """Score a decoder input of which only the first `written` positions exist."""
        source, target = inputs
        encoded = self.transformer.encode(source, training=training)
        mask = ops.broadcast_to(ops.arange(LENGTH) < written, (1, 1, LENGTH, LENGTH))
        if self.masked:
            mask = ops.logical_and(mask, target_mask(target))
        return self.transformer.logits(self.transformer.decode(target, encoded, training=training, mask=mask), encoded)


class Training:
    """Both models, trained side by side in chunks.

    Args:
        seed: of weights and data; the same seed and steps give the same result.
        steps: of each model, a multiple of `CHUNK`.

    Raises:
        SettingsError: steps is not such a multiple.
    """

    def __init__(self, seed: int, steps: int) -> None:
        if steps < CHUNK or steps % CHUNK:
            raise SettingsError(
                "steps must be a multiple of {chunk}, at least {chunk}. Received: {received}",
                chunk=CHUNK,
                received=f"steps={steps}",
            )
        self.seed, self.steps = seed, steps
        self._random = np.random.default_rng([seed, 0])
        self._losses: tuple[list[float], list[float]] = ([], [])
        with _ONE_AT_A_TIME, CALLS.turn():
            self.models = tuple(_model(masked, seed, steps) for masked in (True, False))

    @property
    def done(self) -> int:
        """Number of steps so far."""
        return CHUNK * len(self._losses[0])

    def advance(self) -> None:
        """Train both models for one more chunk, on the same new sequences."""
        source, target = draw(self._random, CHUNK * BATCH)
        inputs = (source, _shifted(target))
        new_losses = []
        with _ONE_AT_A_TIME, CALLS.turn():
            for model in self.models:
                run = model.fit(inputs, target, batch_size=BATCH, shuffle=False, verbose=0)
                new_losses.append(float(run.history["loss"][0]))
        for losses, loss in zip(self._losses, new_losses, strict=True):
            losses.append(loss)

    def lesson(self) -> Lesson:
        """Return the losses so far, and the results once all steps are done."""
        masked, unmasked = (tuple(losses) for losses in self._losses)
        if self.done < self.steps:
            nothing = np.zeros((0, LENGTH), dtype=np.int32)
            return Lesson(self.seed, self.steps, masked, unmasked, nothing, nothing, None)
        source, target = draw(np.random.default_rng([self.seed, 1]), FRESH)
        first, second = (_outcome(model, source, target) for model in self.models)
        return Lesson(self.seed, self.steps, masked, unmasked, source[:SHOWN], target[:SHOWN], (first, second))


def _model(masked: bool, seed: int, steps: int) -> CopyModel:
    keras.utils.set_random_seed(seed)
    model = CopyModel(masked)
    model.compile(
        optimizer=keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(RATE, steps)),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=NAME == "jax",  # under TensorFlow XLA would take longer to compile these few steps than to run them
        steps_per_execution=CHUNK,
    )
    return model


def _outcome(model: CopyModel, source: Ids, target: Ids) -> Outcome:
    rows = np.asarray(ops.log_softmax(model((source, _shifted(target))), axis=-1))  # [B, N, V]
    loss = -np.take_along_axis(rows, target[..., None], axis=-1)[..., 0]
    written = _write(model, source)
    right = (written == source).mean(axis=0)
    return Outcome(loss.mean(axis=0), right.astype(np.float32), written[:SHOWN])


def _write(model: CopyModel, source: Ids) -> Ids:
    """Decode greedily; no position sees symbols that are not written yet."""
    written = np.zeros_like(source)
    for place in range(LENGTH):
        logits = np.asarray(model.logits((source, _shifted(written)), place + 1))[:, place]
        written[:, place] = FIRST + logits[:, FIRST:].argmax(axis=-1)
    return written


def _shifted(target: Ids) -> Ids:
    """Shift a target right: [SOS] first, the last symbol left out; every other id is a symbol, also 2."""
    return np.concatenate([np.full_like(target[:, :1], START), target[:, :-1]], axis=1)
