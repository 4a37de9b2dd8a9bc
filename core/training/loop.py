"""The training loop: `keras.Model.fit` with callbacks that average, save, resume, report and stop."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.config import NetworkConfig, TrainConfig
from core.errors import CheckpointError, CorpusError
from core.files import fault, read_text, sha256
from core.model import families
from core.model.families import Network
from core.model.transformer import Transformer
from core.runtime.backend import keras, stream
from core.text.encoded import AnyTokenizer
from core.training.batches import Batches, Pair
from core.training.loss import TeacherForcing
from core.training.risk import Judged, JudgedBatches, MinimumRisk
from core.training.schedule import WarmUp, paper_peak
from core.training.states import STATES, Encoded, EncodedBatches, encode, freeze

GUIDED_SHARE = 1 / 3
"""Share of the training that uses guided copying."""
FREQUENT_IDS = 150
"""Number of the most frequent target ids, which guided copying never rewards."""

_DEFAULTS = TrainConfig().to_dict()
"""Values of settings that an older state does not name."""

Rows = Sequence[Pair] | Sequence[Judged] | Sequence[Encoded]
"""Judged pairs if the settings weigh risk, encoded ones if layers of the encoder are frozen."""
MakePairs = Callable[[int], Sequence[Pair]]
"""Makes the pairs of an epoch, counted from 1."""
Observe = Callable[[float, Network], Mapping[str, float]]
"""Called after an epoch (0: before the first) with the averaged weights; its numbers go into the history."""


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training.

    Args:
        history: one row for each epoch.
        best_epoch: the epoch of the highest sum of ROUGE if `observe` gave it, else of the lowest validation loss;
            counted from 1.
        checkpoint: folder of that epoch's averaged weights.
        last: folder of the last epoch's averaged weights.
    """

    history: Sequence[Mapping[str, float]]
    best_epoch: int
    checkpoint: Path
    last: Path


def train(
    pairs: Rows | MakePairs,
    validation: Rows,
    model_config: NetworkConfig,
    config: TrainConfig,
    tokenizer: AnyTokenizer,
    output: Path,
    card: Mapping[str, Any],
    *,
    initial: Mapping[str, NDArray[Any]] | None = None,
    resume: bool = False,
    report: Callable[[int, Mapping[str, float]], None] | None = None,
    observe: Observe | None = None,
    parts: Sequence[float] = (),
    stop: Callable[[], bool] | None = None,
) -> TrainingResult:
    """Train a model; after each epoch `output` holds a state to resume from and two checkpoints.

    Args:
        pairs: source and target ids of each training dialogue, or a function that makes those of an epoch.
        validation: pairs for the validation loss.
        model_config: the model's shape.
        config: the training settings.
        tokenizer: goes into the checkpoint.
        output: folder for `state/`, `checkpoint/` (best epoch), `last/`, and `states/` of frozen layers.
        card: the checkpoint's card: data, preset and command.
        initial: weights to start from, by their paths inside the model; None means random ones.
        resume: continue from `output/state`, or start if the run was killed before its first epoch ended.
        report: called after each batch call with the epoch and {share, token_loss}.
        observe: called with the model after each epoch.
        parts: of the first epoch, rising, after which `observe` is called, too: with the weights as they are.
        stop: called after each batch call; True ends the training there, and the weights are written.

    Returns:
        TrainingResult.

    Raises:
        CheckpointError: the state to resume is damaged or of another configuration; `initial` does not fit.
        CorpusError: there is nothing to train on or to validate with.
    """
    first = pairs(1) if callable(pairs) else pairs
    if not first or not validation:
        raise CorpusError(
            "training needs at least one dialogue to train on and one to validate with. Received: "
            "{training} and {validation}",
            training=len(first),
            validation=len(validation),
        )
    keras.utils.set_random_seed(config.seed)
    longest = (model_config.max_source_length, model_config.max_target_length)
    kind, objective = (JudgedBatches, MinimumRisk) if config.risk else (Batches, TeacherForcing)
    transformer = families.build(model_config, dtype=config.precision)
    if initial is not None:
        checkpoints.set_weights(transformer, initial)
    freeze(transformer, config.frozen)
    if not callable(pairs) and not config.risk and config.frozen and isinstance(transformer, Transformer):
        kind = EncodedBatches
        first = encode(first, transformer, config.frozen, output / STATES / "training.npy", config.batch_tokens)
        validation = encode(
            validation, transformer, config.frozen, output / STATES / "validation.npy", config.batch_tokens
        )
    make = pairs if callable(pairs) else lambda _: first
    batches = kind(first, config.batch_tokens, config.seed)
    model = objective(transformer, config, _content_ids(first, model_config.target_vocabulary))
    model.compile(optimizer=_optimizer(model_config, config, batches), steps_per_execution=config.steps_per_call)
    model.optimizer.build(model.trainable_variables)
    state = _State(output / "state", model, {"model": model_config.to_dict(), "training": _comparable(config)})
    for name in (state.folder.name, "checkpoint", "last"):
        checkpoints.recover(output / name)
    history = state.restore() if resume else []
    if observe and not history:
        observe(0, transformer)
    swap = keras.callbacks.SwapEMAWeights() if config.average else None
    keeper = _Keeper(
        model, state, history, config, batches, output, tokenizer, card, report, observe, stop,
        () if history else parts, swap,
    )  # fmt: skip
    checks = stream(kind(validation, config.batch_tokens * 2, shuffle=False, longest=longest))
    while len(history) < config.epochs and not keeper.exhausted():
        # One call an epoch: `fit` counts the batches once, and their number differs between epochs.
        epoch = len(history) + 1
        keeper.batches = kind(make(epoch), config.batch_tokens, config.seed, epoch, longest=longest)
        model.fit(
            stream(keeper.batches),
            validation_data=checks,
            initial_epoch=len(history),
            epochs=epoch,
            shuffle=False,
            verbose=0,
            callbacks=[swap, keeper] if swap else [keeper],
        )
    return TrainingResult(history, keeper.best_epoch(), output / "checkpoint", output / "last")


class _Adam(keras.optimizers.Adam):
    """Adam that keeps its averages apart: `fit` would replace the weights by them after every epoch.

    Args:
        encoder_rate: factor of the learning rate of the encoder and of the embeddings.
    """

    def __init__(self, *args: Any, encoder_rate: float = 1.0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.encoder_rate = encoder_rate

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Update one weight."""
        path = self._trainable_variables[self._get_variable_index(variable)].path
        factor = self.encoder_rate if path.startswith(("encoder/", "source_")) else 1.0
        super().update_step(gradient, variable, learning_rate * factor)

    def finalize_variable_values(self, var_list: Any) -> None:
        """Leave the weights as they are."""


def _optimizer(model_config: NetworkConfig, config: TrainConfig, batches: Batches) -> keras.optimizers.Optimizer:
    """Make Adam with the settings' decay rates, schedule, clipping, weight decay and averaging."""
    peak = config.learning_rate or paper_peak(model_config.embedding_dim, config.warmup_steps)
    optimizer = _Adam(
        WarmUp(peak, config.warmup_steps, config.schedule, batches.steps(config.epochs)),
        name="adam",
        beta_2=config.beta_2,
        epsilon=config.epsilon,
        weight_decay=config.weight_decay or None,
        global_clipnorm=config.clip_norm or None,
        encoder_rate=config.encoder_rate,
        use_ema=bool(config.average),
        ema_momentum=config.average or 0.99,
    )
    if config.weight_decay:
        optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta"])
    return optimizer


def _content_ids(pairs: Rows, vocabulary: int) -> NDArray[np.float32]:
    """Return [V]: 0 for the most frequent target ids and special tokens, 1 for the others."""
    counts = np.bincount(np.concatenate([np.asarray(pair[1]) for pair in pairs]), minlength=vocabulary)
    content = np.ones(vocabulary, dtype=np.float32)
    content[np.argsort(-counts, kind="stable")[:FREQUENT_IDS]] = 0
    content[:5] = 0
    return content


def _comparable(config: TrainConfig) -> dict[str, Any]:
    """Return the settings that must equal those of the state; the epochs only if the training depends on them."""
    free = {"patience", "steps_per_call"}
    if config.schedule == "inverse_sqrt" and not config.guided_copy and not config.augment:
        free.add("epochs")
    return {name: value for name, value in config.to_dict().items() if name not in free}


class _State:
    """The state that a killed training continues from: all variables, the history, the settings."""

    def __init__(self, folder: Path, model: TeacherForcing, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.variables = [*model.transformer.variables, *model.optimizer.variables]
        self.settings = settings

    def save(self, history: Sequence[Mapping[str, float]]) -> None:
        """Write the state to a new folder, then rename it."""
        from safetensors import SafetensorError
        from safetensors.numpy import save_file

        values = {
            f"{number:04d}": np.asarray(variable.value, order="C") for number, variable in enumerate(self.variables)
        }
        with checkpoints.replaced(self.folder) as fresh:
            path = fresh / "state.safetensors"
            try:
                save_file(values, path)
            except SafetensorError as error:  # the disk is full
                raise OSError(str(error)) from None
            document = {"settings": self.settings, "history": list(history), "sha256": sha256(path)}
            (fresh / "state.json").write_text(json.dumps(document), encoding="utf-8")

    def restore(self) -> list[dict[str, float]]:
        """Put the saved variables back; return the history, empty if nothing was saved. Raises CheckpointError."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        if not self.folder.exists():
            return []
        path = self.folder / "state.json"
        try:
            document = json.loads(read_text(path))
            settings, history = document["settings"], [_row(row) for row in document["history"]]
            changed = [
                name
                for part in ("model", "training")
                for name, value in self.settings[part].items()
                if settings[part].get(name, _DEFAULTS.get(name)) != value
            ]
            if changed:
                raise CheckpointError(
                    "take the same settings, or train into another folder: the state to resume (state.json) was made "
                    f"with other settings: {', '.join(changed)}"
                )
            path = self.folder / "state.safetensors"
            if document.get("sha256", digest := sha256(path)) != digest:  # older states have no hash
                raise ValueError("its SHA-256 is not the one in state.json")
            values = load_file(path)
            if len(values) != len(self.variables):
                raise ValueError(f"it has {len(values)} arrays; {len(self.variables)} are wanted")
            arrays = [values[f"{number:04d}"].reshape(variable.shape) for number, variable in enumerate(self.variables)]
            if not all(np.isfinite(each).all() for each in arrays):
                raise ValueError("it has values that are not finite numbers")
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError, SafetensorError) as error:
            reason = fault(path, error, "take a copy of the run's folder, or train anew into another one")
            raise CheckpointError("the state is damaged: '{path}': {reason}", path=path, reason=reason) from None
        for array, variable in zip(arrays, self.variables, strict=True):
            variable.assign(array)
        return history


def _row(values: Any) -> dict[str, float]:
    """Return a row of a history whose numbers were checked; raises ValueError or TypeError."""
    row = {str(name): float(value) for name, value in dict(values).items()}
    if not {"epoch", "train_loss", "validation_loss"} <= row.keys() or not np.isfinite(list(row.values())).all():
        raise ValueError("a row of its history is no row of finite numbers")
    return {name: int(value) if name == "epoch" else value for name, value in row.items()}


@dataclass(eq=False)
class _Keeper(keras.callbacks.Callback):
    """Writes history, state and checkpoints after each epoch, reports progress, stops early."""

    trained: TeacherForcing
    state: _State
    history: list[dict[str, float]]
    config: TrainConfig
    batches: Batches
    output: Path
    tokenizer: AnyTokenizer
    card: Mapping[str, Any]
    report: Callable[[int, Mapping[str, float]], None] | None
    observe: Observe | None
    stop: Callable[[], bool] | None = None
    parts: Sequence[float] = ()
    swap: keras.callbacks.SwapEMAWeights | None = None
    started: float = 0.0

    def __post_init__(self) -> None:
        super().__init__()

    def best_epoch(self) -> int:
        """Return the best epoch, see `TrainingResult`; 0 before the first."""
        scored = all(name in row for row in self.history for name in checkpoints.SCORES)
        merits = [
            sum(row[name] for name in checkpoints.SCORES) if scored else -row["validation_loss"] for row in self.history
        ]
        return int(np.argmax(merits)) + 1 if merits else 0

    def exhausted(self) -> bool:
        """Return whether `patience` epochs have passed since the best one, or a stop was asked for."""
        waited = len(self.history) - self.best_epoch()
        asked = bool(self.history) and self._asked()  # a stop before the first batch still writes a checkpoint
        return asked or (bool(self.config.patience) and waited >= self.config.patience)

    def _asked(self) -> bool:
        return self.stop is not None and self.stop()

    def on_epoch_begin(self, epoch: int, logs: Mapping[str, float] | None = None) -> None:
        """Set the weight of guided copying."""
        self.started = time.monotonic()
        guided = epoch < self.config.epochs * GUIDED_SHARE
        self.trained.guidance.assign(self.config.guided_copy if guided else 0.0)

    def on_train_batch_end(self, batch: int, logs: Mapping[str, float] | None = None) -> None:
        """Report progress; stop if asked to."""
        share = min((batch + 1) / len(self.batches), 1.0)
        while self.observe and self.parts and self.parts[0] <= share:
            begun = time.monotonic()
            self.observe(self.parts[0], self.trained.transformer)
            self.parts = self.parts[1:]
            self.started += time.monotonic() - begun
        if self.report and logs:
            self.report(len(self.history), {"share": share, "token_loss": float(logs["token_loss"])})
        if self._asked():
            self.trained.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Mapping[str, float] | None = None) -> None:
        """Record the epoch and write everything."""
        logs = logs or {}
        seconds = time.monotonic() - self.started
        self.history.append(
            {
                "epoch": epoch + 1,
                "train_loss": float(logs["token_loss"]),
                "validation_loss": float(logs["val_token_loss"]),
                "learning_rate": float(np.asarray(self.trained.optimizer.learning_rate)),
                "tokens_per_second": self.batches.all_tokens() / seconds,
                "seconds": seconds,
            }
        )
        if not np.isfinite([self.history[-1][name] for name in ("train_loss", "validation_loss")]).all():
            raise CheckpointError("training diverged in epoch {epoch}: the loss is not a number", epoch=epoch + 1)
        if self.swap:
            self.swap.on_test_begin()
        if self.observe:
            self.history[-1] |= self.observe(len(self.history), self.trained.transformer)
        for name in ("last", "checkpoint") if self.best_epoch() == len(self.history) else ("last",):
            self._write(self.output / name)
        if self.swap:
            self.swap.on_test_end()
        self.state.save(
            self.history
        )  # written last: after a kill before this line, the epoch and its checkpoints are made again

    def _write(self, folder: Path) -> None:
        row = self.history[-1]
        facts = {
            "epochs": len(self.history),
            "validation_loss": round(row["validation_loss"], 4),
            "train_loss": round(row["train_loss"], 4),
            "training_minutes": round(sum(epoch["seconds"] for epoch in self.history) / 60, 1),
            "training": self.config.to_dict(),
            "training_steps": int(self.trained.optimizer.iterations.numpy()),
            "keras_backend": keras.backend.backend(),
        }
        weights = checkpoints.weights_of(self.trained.transformer)
        config = self.trained.transformer.config
        checkpoints.write(folder, config, self.tokenizer, weights, self.history, {**self.card, **facts})


@contextmanager
def progress_line(epochs: int, tokens: int, note: str = "") -> Iterator[Callable[[int, Mapping[str, float]], None]]:
    """Yield what moves a progress bar on standard error: epoch, loss, tokens a second, time left.

    Args:
        epochs: of the whole training.
        tokens: source and target tokens of an epoch.
        note: a line above it, "" for none.
    """
    from tqdm import tqdm

    total, look = epochs * tokens, {"mininterval": 2.0, "dynamic_ncols": True}
    with tqdm(total=total, unit="tok", unit_scale=True, file=sys.stderr, **look) as bar:
        if note:
            bar.write(note, file=sys.stderr)

        def report(epoch: int, values: Mapping[str, float]) -> None:
            bar.set_description(f"epoch {epoch + 1}/{epochs}", refresh=False)
            bar.set_postfix(loss=f"{values['token_loss']:.3f}", refresh=False)
            if bar.n == 0:
                bar.initial = bar.n = int(epoch * tokens)
            bar.update(max(int((epoch + values["share"]) * tokens) - bar.n, 0))

        yield report
