"""Families of seeded cases, and how one case is run: what it may raise, log, take and keep."""

import logging
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import DialoscopeError

_OUTPUT = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)
"""What is written to stdout and stderr while a case runs; the handler of a log may keep it."""
LONGEST_MESSAGE = 1500
"""Characters of a refusal: one that repeats a whole hostile text is not clear."""


@dataclass(frozen=True)
class Family:
    """Cases of one kind.

    Args:
        name: names a case together with its seed: `texts:1234`.
        about: what is tried, in a few words.
        share: cases in a whole run.
        case: runs one; it may raise DialoscopeError, which is a refusal, and returns nothing.
        seconds: the longest that a case may take.
        megabytes: the most that a case may allocate at once; None: not measured.
        prepare: makes what all cases need, before the first is timed.
    """

    name: str
    about: str
    share: int
    case: Callable[[random.Random], object]
    seconds: float = 10
    megabytes: int | None = None
    prepare: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Args:
        seconds: that it took.
        refused: the message of a refusal, "" if it worked.
        problem: why it failed, "" if it did not.
    """

    seconds: float
    refused: str
    problem: str


class Overdue(Exception):
    """A case that takes several times as long as it may."""


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raise `Overdue` inside the block if it takes longer; only in a main thread that uses no other alarm."""

    def ring(*_: object) -> None:
        raise Overdue(f"it was ended after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(family: Family, seed: int) -> Outcome:
    """Run a case."""
    rng = random.Random(f"{family.name}:{seed}")
    refused, problem = "", ""
    if family.megabytes is not None:
        tracemalloc.start(1)
    start = time.perf_counter()
    with errors() as logged:
        try:
            family.case(rng)
        except DialoscopeError as error:
            refused = str(error)
            problem = unclear(refused)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{type(error).__name__}: {str(error)[:300]} ({os.path.relpath(last.filename)}:{last.lineno})"
    seconds = time.perf_counter() - start
    if family.megabytes is not None:
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        if peak > family.megabytes:
            problem = problem or f"it allocated {peak:.0f} MB at once; allowed: {family.megabytes}"
    if logged:
        problem = f"{problem} {logged[0]}".strip()
    if seconds > family.seconds:
        problem = problem or f"it took {seconds:.1f} s; allowed: {family.seconds:g}"
    return Outcome(seconds, refused, problem)


def refusal_of(call: Callable[[], object]) -> str:
    """Call something that may refuse; return the message, "" if it worked. The message must be clear."""
    try:
        call()
    except DialoscopeError as error:
        message = str(error)
        assert not unclear(message), unclear(message)
        return message
    return ""


def unclear(message: str) -> str:
    """Return why a refusal is not clear, "" if it is."""
    if not message.strip():
        return "a refusal says nothing"
    if "Traceback" in message:
        return f"a refusal holds a traceback: {message[:200]!r}"
    if len(message) > LONGEST_MESSAGE:
        return f"a refusal has {len(message):,} characters: {message[:200]!r}"
    try:
        message.encode()
    except UnicodeEncodeError:
        return f"a refusal cannot be written: {message[:200]!r}"
    return ""


@contextmanager
def errors() -> Iterator[list[str]]:
    """Yield a list that holds, after the block, what was logged as an error, and a traceback that was written."""
    found: list[str] = []
    handle = logging.Logger.handle

    def noticed(self: logging.Logger, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            cause = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
            trace = traceback.extract_tb(cause.__traceback__) if cause else ()
            frames = [each for each in trace if "site-packages" not in each.filename][-3:]
            where = " < ".join(f"{os.path.relpath(each.filename)}:{each.lineno}" for each in reversed(frames))
            found.append(f"logged: {record.getMessage()[:200]} {cause!r:.300} {where}")
        else:
            handle(self, record)

    streams = sys.stdout, sys.stderr
    for stream in streams:
        stream.flush()
    with tempfile.TemporaryFile() as written:
        before = os.dup(1), os.dup(2)
        for number in (1, 2):
            os.dup2(written.fileno(), number)
        sys.stdout = sys.stderr = _OUTPUT
        logging.Logger.handle = noticed  # type: ignore[method-assign]
        try:
            yield found
        finally:
            logging.Logger.handle = handle  # type: ignore[method-assign]
            _OUTPUT.flush()
            sys.stdout, sys.stderr = streams
            for number, copy in zip((1, 2), before, strict=True):
                os.dup2(copy, number)
                os.close(copy)
            written.seek(0)
            said = written.read().decode("utf-8", "replace")
            if "Traceback" in said:
                found.append(f"written: {said[said.index('Traceback') :][-500:]}")
