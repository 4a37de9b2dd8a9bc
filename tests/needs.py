"""What a machine may lack: a test that needs it is skipped, and a line at the end of the run says how to get it.

With CI=true the test fails instead: the machine of `.ci/run` has everything.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

IN_CI = os.environ.get("CI", "").lower() == "true"
BROWSER = ("browser", "`apt-get install chromium`, or set CHROMIUM to the path of a Chromium or Chrome")
SIZE_LIMITS = ("limit on the size of files", "run it on Linux or macOS")
"""What some tests need, and how to get it, as `need` takes them."""


def need(there: object, what: str, remedy: str, *, in_ci: bool = True) -> None:
    """Go on with the test, or the fixture, if the machine has what it needs.

    Args:
        there: whether it has it; a path counts as yes.
        what: "Chromium".
        remedy: how to get it: "`apt-get install chromium`".
        in_ci: whether the machine of `.ci/run` has it for sure: without it the test fails there.
    """
    if there:
        return
    message = f"no {what}: {remedy}"
    if IN_CI and in_ci:
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: a write beyond them fails with "File too large"."""
    need(os.name == "posix", *SIZE_LIMITS)
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))  # Python ignores the signal
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def lines(reasons: Iterable[str]) -> list[str]:
    """Return a line for each reason of a skip, with the number of tests that it skipped."""
    counted = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    return [f"SKIPPED {count} test{'s'[: count > 1]}: {reason}" for reason, count in sorted(counted.items())]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end of a run what the machine lacks; `tests/conftest.py` takes this hook over."""
    skipped = [report.longrepr for report in terminalreporter.getreports("skipped")]
    for line in lines(str(reason[2]) for reason in skipped if isinstance(reason, tuple | list)):
        terminalreporter.write_line(line, yellow=True)
