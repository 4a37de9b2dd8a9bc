"""What no hostile input may cause: a traceback, an unclear refusal, a logged error, or memory without a limit."""

import logging
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, Phase, settings

from core.errors import DialoscopeError

LONGEST_MESSAGE = 4000
"""Characters of a refusal: one that repeats a whole hostile text is not clear."""
WHOLE = 10_000
"""Cases of a whole run: `make fuzz`."""


def cases(count: int, seconds: float | None = 60) -> Callable[[Any], Any]:
    """So many of the cases of a whole run, fewer of a smaller run; and the longest that one may take."""
    return settings(
        max_examples=max(2, settings().max_examples * count // WHOLE),
        deadline=seconds and timedelta(seconds=seconds),
        suppress_health_check=list(HealthCheck),
        phases=set(Phase) - {Phase.explain},
    )


@contextmanager
def tried(megabytes: int | None = None) -> Iterator[list[str]]:
    """Let a block work or be refused clearly; yield a list that holds the refusal, if it was one.

    Args:
        megabytes: the most that the block may allocate at once; None: not measured.
    """
    refused: list[str] = []
    logged: list[str] = []
    handle = logging.Logger.handle

    def noticed(self: logging.Logger, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            logged.append(f"{record.getMessage()[:200]} {record.exc_info and record.exc_info[1]!r:.300}")
        else:
            handle(self, record)

    if megabytes is not None:
        tracemalloc.start(1)
    try:
        with mock.patch.object(logging.Logger, "handle", noticed):
            yield refused
    except DialoscopeError as error:
        refused.append(str(error))
        assert not unclear(refused[0]), unclear(refused[0])
    finally:
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        if megabytes is not None:
            tracemalloc.stop()
    assert not logged, f"logged: {logged[0]}"
    assert megabytes is None or peak <= megabytes, f"it allocated {peak:.0f} MB at once; allowed: {megabytes}"


def unclear(message: str) -> str:
    """Return why a refusal is not clear, "" if it is."""
    if not message.strip():
        return "a refusal says nothing"
    if "Traceback" in message:
        return f"a refusal holds a traceback: {message[:200]!r}"
    if len(message) > LONGEST_MESSAGE:
        return f"a refusal has {len(message):,} characters: {message[:200]!r}"
    message.encode()
    return ""


def refusal_of(call: Callable[[], object]) -> str:
    """Call something that may refuse, clearly; return the message, "" if it worked."""
    with tried() as refused:
        call()
    return refused[0] if refused else ""
