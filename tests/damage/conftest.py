"""Whole folders of every kind, and dialogues for commands."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.damage.kinds import DIALOGUES


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Callable], Path]:
    """Returns the folder that a function of `kinds` makes, made once."""

    @cache
    def made(make: Callable[[Path], object]) -> Path:
        folder = tmp_path_factory.mktemp("whole") / "model"
        make(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine short dialogues."""
    path = tmp_path_factory.mktemp("data") / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in DIALOGUES))
    return path
