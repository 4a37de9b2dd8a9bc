"""Tokenizers and whole models of the families that can be imported, made once."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.text.imported import ImportedTokenizer
from core.text.vocabulary import Vocabulary
from tests.importing.folders import save_whole
from tests.importing.peer_tokenizers import read_tokenizer, save

Saved = tuple[ImportedTokenizer, Any, Vocabulary, Path]


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Saved]:
    """Gives a family's tokenizer here, the peer's, its ids and its folder, which nobody changes."""

    @cache
    def once(family: str) -> Saved:
        folder = tmp_path_factory.mktemp(family)
        peer, vocabulary = save(family, folder)
        return read_tokenizer(folder, vocabulary), peer, vocabulary, folder

    return once


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives the folder of a family's network and tokenizer, which nobody changes."""

    @cache
    def once(family: str) -> Path:
        folder = tmp_path_factory.mktemp("whole") / family
        save_whole(family, folder)
        return folder

    return once


@pytest.fixture
def bart(whole: Callable[[str], Path], tmp_path: Path) -> Path:
    """The folder of a BART, to be changed."""
    return Path(shutil.copytree(whole("bart"), tmp_path / "bart"))
