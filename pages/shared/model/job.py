"""Work that a thread of its own does while pages are drawn again; it never calls Streamlit."""

import logging
import threading
import time
import weakref

from core import words
from core.errors import DialoscopeError

LOG = logging.getLogger(__name__)
_threads: "weakref.WeakSet[threading.Thread]" = weakref.WeakSet()


def wait(seconds: float) -> None:
    """Wait until no job runs any more, at most for some seconds.

    A thread that still compiles when Python ends would crash it.
    """
    end = time.monotonic() + seconds
    for thread in list(_threads):
        thread.join(max(0.0, end - time.monotonic()))


class Job:
    """One piece of work; its thread starts at once.

    Args:
        name: of the work, for the log.

    Attributes:
        started: when it began.
        error: why it failed.
        done: set when it is over or failed.
        thread: runs `after` when the work is done.
    """

    def __init__(self, name: str) -> None:
        self.started = time.monotonic()
        self._language = words.language()
        self.error: Exception | None = None
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        _threads.add(self.thread)
        self.thread.start()

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self.started

    def work(self) -> None:
        """Do the work."""
        raise NotImplementedError

    def after(self) -> None:
        """Do what can follow after the result is shown. An error here is logged; the result stays."""

    def _run(self) -> None:
        try:
            with words.speaking(self._language):
                self.work()
        except Exception as error:
            if not isinstance(error, DialoscopeError):
                LOG.exception("%s failed", self.thread.name)
            self.error = error
        finally:
            self.done.set()
        if self.error is None:
            try:
                self.after()
            except Exception:
                LOG.exception("%s: what comes after it failed", self.thread.name)
