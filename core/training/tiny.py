"""Train a tiny network live: its losses as they fall, and its outputs after each epoch."""

import platform
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core import checkpoints
from core.config import DecodeSettings
from core.decoding.engine import Engine
from core.decoding.shapes import BATCH
from core.model.transformer import Transformer
from core.runtime.queue import CALLS
from core.scoring.rouge import rouge
from core.training.loop import train
from core.training.toys import Item, Task
from core.words import say

LIMIT = 110.0
"""Time limit of a training in seconds."""
TRIED = 4 * BATCH
"""Most inputs that are tried after each epoch."""
MOST_LOSSES = 600
"""Most losses that are kept; beyond that, every second one is dropped."""
State = Literal["starting", "training", "finished", "stopped", "out of time"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The output for an input, and its score: 1 for the right answer; for a summary ROUGE-1, 0 to 1."""

    item: Item
    written: str
    score: float


@dataclass(frozen=True, slots=True)
class Look:
    """The outputs after an epoch; epoch 0 is before the first one."""

    epoch: int
    attempts: tuple[Attempt, ...]

    def mean(self, held_out: bool) -> float | None:
        """Return the mean score of held-out inputs, or of training inputs; None if none was tried."""
        scores = [attempt.score for attempt in self.attempts if attempt.item.held_out == held_out]
        return sum(scores) / len(scores) if scores else None

    @property
    def clearest(self) -> str:
        """The held-out input with the clearest picture: rightly answered, its letters all different, and long."""

        def rank(attempt: Attempt) -> tuple[float, bool, int]:
            letters = attempt.item.text.split()
            return attempt.score, len(set(letters)) == len(letters), len(attempt.item.text)

        return max((each for each in self.attempts if each.item.held_out), key=rank).item.text


class Watched:
    """A training that one thread runs and other threads read.

    Args:
        task: the task to train.
        stop: set this to stop after the current batches; the weights are kept.
        limit: time limit in seconds.

    Attributes:
        losses: (epochs done, loss of the running epoch so far), the oldest first.
        looks: after each epoch.
        history: one row for each finished epoch, keys of `checkpoints.HISTORY`.
        state: current stage, or how the training ended.
        took: total seconds, once it is over.
    """

    def __init__(self, task: Task, stop: threading.Event, limit: float = LIMIT) -> None:
        self.task = task
        self._stop = stop
        self.limit = limit
        self.losses: list[tuple[float, float]] = []
        self.looks: list[Look] = []
        self.history: Sequence[Mapping[str, float]] = ()
        self.state: State = "starting"
        self.took = 0.0
        self.began = time.monotonic()
        self._first: tuple[float, float] | None = None
        self._every = 1
        self._reports = 0
        self._engine: Engine | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    @property
    def done(self) -> float:
        """Finished share of the training, 0 to 1."""
        return self.losses[-1][0] / self.task.training.epochs if self.losses else 0.0

    @property
    def left(self) -> float:
        """Estimated seconds left, from the speed since the first batches."""
        rest = max(self.limit - self.seconds, 0.0)
        if self._first is None or self.done <= self._first[1]:
            return rest
        began, share = self._first
        speed = (self.done - share) / max(time.monotonic() - began, 1e-9)
        return min(rest, (1 - self.done) / speed)

    def run(self, output: Path) -> Path:
        """Train, and return the folder of the last epoch's checkpoint inside `output`.

        Raises:
            CheckpointError: the training diverged.
        """
        task = self.task
        card = {
            "about": task.about,
            "preset": say("trained in the page"),
            "data": {"name": task.name},
            "licence": say("yours"),
            "machine": f"{platform.machine()}, {platform.system()}",
            "seed": task.training.seed,
            "decoding": task.decoding.to_dict(),
        }
        with CALLS.turn():
            result = train(
                task.pairs,
                task.validation,
                task.model,
                task.training,
                task.tokenizer,
                output,
                card,
                report=self._report,
                observe=lambda epoch, model: self._observe(epoch, model, output),
                stop=self._must_stop,
            )
        self.history = tuple(result.history)
        self.took = self.seconds
        self._engine = None
        if len(result.history) == task.training.epochs and self.state != "stopped":
            self.state = "finished"
        return result.last

    def _must_stop(self) -> bool:
        if self._stop.is_set():
            self.state = "stopped"
        elif self.seconds > self.limit:
            self.state = "out of time"
        return self.state in ("stopped", "out of time")

    def _report(self, epoch: int, values: Mapping[str, float]) -> None:
        """Keep a loss; drop every second one if there are too many. Between its batches others have their turns."""
        CALLS.pause()
        place = epoch + values["share"]
        if self._first is None:
            self._first = time.monotonic(), place / self.task.training.epochs
            self.state = "training"
        self._reports += 1
        if self._reports % self._every == 0:
            self.losses = [*self.losses, (place, values["token_loss"])]
        if len(self.losses) > MOST_LOSSES:
            self.losses = self.losses[1::2]
            self._every *= 2

    def _observe(self, epoch: float, model: Transformer, output: Path) -> Mapping[str, float]:
        """Try the network on the task's inputs."""
        if self._engine is None:
            self._engine = Engine(model, self.task.tokenizer.word_parts(), training=True)
        self.history = checkpoints.read_history(output / "last" / "history.csv")
        items = self.task.items[:TRIED]
        attempts: list[Attempt] = []
        for first in range(0, len(items), BATCH):
            attempts += self._attempts(self._engine, items[first : first + BATCH])
        self.looks = [*self.looks, Look(int(epoch), tuple(attempts))]
        return {}

    def _attempts(self, engine: Engine, items: Sequence[Item]) -> list[Attempt]:
        written = write(engine, [self.task.source(each) for each in items], self.task.decoding)
        attempts = []
        for item, ids in zip(items, written, strict=True):
            text = self.task.tokenizer.decode(ids)[0]
            whole = self.task.name == "dialogues"
            score = rouge(text, [item.answer]).rouge1 / 100 if whole else float(text == item.answer)
            attempts.append(Attempt(item, text, score))
        return attempts


def write(engine: Engine, sources: Sequence[Sequence[int]], settings: DecodeSettings) -> list[list[int]]:
    """Decode up to `BATCH` sources; an output without end is cut at the most tokens allowed."""
    results = engine.beam_rows(engine.encode_rows(sources), settings)
    return [list(result.hypotheses[0].ids) for result in results]
