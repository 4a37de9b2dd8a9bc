"""What the Tokens page shows of imported pieces, against the ids of the tokenizers that transformers reads."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.text.imported import ImportedTokenizer
from core.text.merges import Merges
from core.text.unigram import Unigram
from core.text.wordpiece import WordPiece
from tests.importing.peer_tokenizers import FAMILIES, ODD


def shown(tokenizer: ImportedTokenizer, text: str) -> list[int]:
    """Return the ids that the page's steps end with."""
    kind = tokenizer.pieces["type"]
    if kind == "BPE":
        return list(Merges(tokenizer).apply(text).ids)
    if kind == "WordPiece":
        return WordPiece(tokenizer).ids(WordPiece(tokenizer).match(text))
    unigram = Unigram(tokenizer)
    return [token for cut in unigram.cuts(text, 3)[:1] for token in unigram.ids(cut)]


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_end_with_the_ids_of_the_peer(family: str, saved: Callable[..., Any]) -> None:
    tokenizer, peer, *_ = saved(family)
    for text in (*ODD, *" ".join(ODD).split(), "\ud800", "a\0b", ""):
        whole = text.strip().encode("utf-8", "replace").decode()
        ids = [tokenizer.peer_id(each) for each in shown(tokenizer, text)]
        assert ids == peer(f" {whole}", add_special_tokens=False)["input_ids"], text


@given(st.sampled_from([*FAMILIES]), st.text(max_size=24))
@example("t5", "<unk></s>")
def test_steps_of_any_text_end_with_the_ids_of_the_tokenizer(saved: Callable[..., Any], family: str, text: str) -> None:
    tokenizer = saved(family)[0]
    assert shown(tokenizer, text) == tokenizer.encode_words(text)
