"""Add models while the app runs: one at a time in this process, unless the app is a demonstration."""

import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass
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
        from core.text.import_notes import in_app

        try:
            models.keep_keras_state()
            with in_app():
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


@dataclass(frozen=True)
class Looked:
    """A model that was looked at, and whose settings, tokenizer and tensors fit.

    Args:
        source: the model.
        notes: what is otherwise than in `transformers`, see `core.text.import_notes`.
        languages: that a summary can be forced to begin with.
        tasked: whether its config.json has settings for summaries.
        decoding: whose settings decode it: its own, or "default" where those are refused.
        refused: why its own settings cannot be used.
    """

    source: "Source"
    notes: Sequence[Any]
    languages: Sequence[str]
    tasked: bool
    decoding: str
    refused: str | None


def look(text: str, base: str = "") -> Looked:
    """Look at a folder of the server or a name of the hub, as far as that is possible without its numbers.

    Args:
        text: the folder, or the name.
        base: folder of the model that an adapter belongs to.

    Raises:
        DialoscopeError: the model cannot be added, whatever is chosen.
    """
    demo.check(say("models cannot be added"))
    from core.importing.generation import task_settings
    from core.importing.source import check, look_up
    from core.text.import_notes import in_app

    models.keep_keras_state()  # the shapes are those of a network that is built
    with in_app():
        source, decoding, refused = look_up(text, base), "own", None
        try:
            plan = check(source)
        except CheckpointError as error:
            try:
                plan = check(source, "default")
            except CheckpointError:
                raise error from None
            decoding, refused = "default", str(error)
    tasked = bool(task_settings(plan.found.config))
    return Looked(source, plan.notes, plan.languages, tasked, decoding, refused)


def needs_base(text: str) -> bool:
    """Return whether a folder of the server holds an adapter alone."""
    from core.importing.adapter import is_adapter

    return bool(text.strip()) and is_adapter(Path(text.strip()).expanduser())


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
