"""One command after the other in this process: what it prints, and what it refuses."""

import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from core import checkpoints
from core.cli.main import main

DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."


class Result(NamedTuple):
    """Exit status, standard output and standard error of one call."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    def without_skips(self) -> "Result":
        return self._replace(err="\n".join(line for line in self.err.splitlines() if "skipped" not in line))


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Path, tiny_stays: None
) -> Callable[..., Result]:
    """Runs one command; TINY is the small model."""

    def call(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main([str(tiny_checkpoint) if word == "TINY" else str(word) for word in arguments])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture
def only_tiny(monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Path) -> None:
    """No other checkpoint is installed."""
    monkeypatch.setattr(checkpoints, "FOLDER", tiny_checkpoint.parent)


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command by its whole name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} ")
        else:
            yield before + name, command


def assert_refused(result: Result, *words: str) -> str:
    """One line on standard error, nothing on standard output, exit status 2."""
    lines = [line for line in result.err.splitlines() if line]
    assert (result.status, result.out, len(lines)) == (2, "", 1), result
    assert all(word in lines[0] for word in words), lines[0]
    return lines[0]


def refusals(run, calls: list[tuple[Sequence[object], bytes]], folder: Path) -> str:
    """Return the lines with which these commands are refused, without the folder that is another one in each run."""
    return "\n".join(assert_refused(run(*words, stdin=stdin)) for words, stdin in calls).replace(str(folder), "…")
