"""Run tiny trainings behind the pages: at most one at a time in this process; the last few are kept.

Every session may look at a training, the one that began it may stop it.
"""

import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core import checkpoints
from core.errors import CheckpointError
from core.words import say
from pages.shared.guard import demo
from pages.shared.model import models
from pages.shared.model.job import Job

if TYPE_CHECKING:
    from core.training.tiny import Watched
    from core.training.toys import Task

MOST, MOST_OF_ALL = 4, 40
"""Checkpoints that a session, and all sessions together, keep; the oldest makes room."""


class Training(Job):
    """One tiny training.

    Args:
        make: gives the task.

    Attributes:
        watched: its losses and what it writes, once Keras has started.
        name: of the checkpoint, once it can be chosen.
    """

    def __init__(self, make: "Callable[[], Task]") -> None:
        self.watched: Watched | None = None
        self.name: str | None = None
        self._make = make
        self._stop = threading.Event()
        super().__init__("tiny training")

    def stop(self) -> None:
        """Ask it to stop after the batches in hand; what it learnt is kept."""
        self._stop.set()

    def work(self) -> None:
        """Train, and keep the checkpoint."""
        try:
            models.keep_keras_state()
            from core.training.tiny import Watched

            self.watched = Watched(self._make(), self._stop)
            with tempfile.TemporaryDirectory(prefix="dialoscope-training-") as folder:
                self.name = _keep(self.watched.run(Path(folder)), self.watched.task.name)
        finally:
            models.free()


_lock = threading.Lock()
_running: Training | None = None
_kept: dict[str, "tempfile.TemporaryDirectory[str]"] = {}


def running() -> Training | None:
    """Return the training that is under way in this process."""
    with _lock:
        return _running if _running is not None and not _running.done.is_set() else None


def names() -> list[str]:
    """Return the checkpoints trained here, the oldest first."""
    return [*_kept]


def begin(make: "Callable[[], Task]") -> Training:
    """Start a training of the task that `make` gives.

    Raises:
        CheckpointError: another one is under way.
        SettingsError: the app is a demonstration.
    """
    global _running
    demo.check(say("it trains no networks"))
    with _lock:
        if _running is not None and not _running.done.is_set():
            raise CheckpointError("another training is under way: wait until it is over")
        _running = Training(make)
        return _running


def _keep(folder: Path, task: str) -> str:
    """Move a checkpoint to where it stays while the process lives, and let it be chosen; the oldest makes room."""
    digest = checkpoints.read_card(folder)["sha256"]["weights.safetensors"]
    name = f"tiny-{task}-{digest[:6]}"
    forget(name)
    place = tempfile.TemporaryDirectory(prefix="dialoscope-")
    shutil.move(folder, Path(place.name) / name)
    _kept[name] = place
    checkpoints.add(Path(place.name) / name)
    while len(_kept) > MOST_OF_ALL:
        forget(next(iter(_kept)))
    return name


def forget(name: str) -> None:
    """Remove a checkpoint that was trained here, if there is one of this name."""
    checkpoints.remove(name)
    place = _kept.pop(name, None)
    if place is not None:
        place.cleanup()
