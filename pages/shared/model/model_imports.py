"""Add models while the app runs: one at a time in this process, unless the app is a demonstration."""

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import CheckpointError, DownloadError
from core.words import say
from pages.shared.guard import demo
from pages.shared.model import models
from pages.shared.model.job import Job

if TYPE_CHECKING:
    from core.importing.source import Source


class Adding(Job):
    """An import that goes on behind the pages.

    Args:
        source: the model.
        output: folder of the checkpoint.
        choices: more arguments of `core.importing.source.read`.

    Attributes:
        name: of the checkpoint.
        moved: bytes that have arrived, and of all files.
        stopped: whether it was cancelled.
    """

    def __init__(self, source: "Source", output: Path, choices: dict[str, Any]) -> None:
        self.name = output.name
        self.moved = (source.bytes if isinstance(source.origin, Path) else 0, source.bytes)
        self.stopped = threading.Event()
        self._source, self._output, self._choices = source, output, choices
        super().__init__(f"import {output.name}")

    def work(self) -> None:
        """Download and import."""
        from core.importing import source

        try:
            models.keep_keras_state()
            source.read(
                self._source, self._output, progress=self._progress, cancelled=self.stopped.is_set, **self._choices
            )
            if self.stopped.is_set():
                shutil.rmtree(self._output)
                raise DownloadError("the import was cancelled")
        finally:
            models.free()

    def _progress(self, done: int, total: int) -> None:
        self.moved = (done, total)


_lock = threading.Lock()
_running: Adding | None = None


def look(text: str) -> "Source":
    """Look at a folder of the server or a name of the hub; raises DialoscopeError."""
    demo.check(say("models cannot be added"))
    from core.importing.source import look_up

    return look_up(text)


def begin(source: "Source", output: Path, choices: dict[str, Any]) -> Adding:
    """Start an import.

    Raises:
        CheckpointError: another one is under way.
        SettingsError: the app is a demonstration.
    """
    global _running
    demo.check(say("models cannot be added"))
    with _lock:
        if _running is not None and not _running.done.is_set():
            raise CheckpointError("{name} is being added just now: wait until that is over", name=_running.name)
        _running = Adding(source, output, choices)
        return _running
