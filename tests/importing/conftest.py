"""Tokenizers of the families that can be imported, made once."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.text.imported import ImportedTokenizer
from core.text.vocabulary import Vocabulary
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
