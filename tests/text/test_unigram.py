"""The best cuts of a word, worked out by hand and against all cuts; ids are compared in tests/importing/."""

import json
import math
from itertools import pairwise, product

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers

from core.text.imported import Conventions, ImportedTokenizer
from core.text.unigram import Cut, Unigram
from core.text.vocabulary import Vocabulary
from tests.models import imported_tokenizer

SCORES = {"▁": -2.0, "▁a": -1.5, "a": -3.0, "b": -4.0, "ab": -1.0, "ba": -2.5, "▁ab": -6.0, "bab": -9.0}


def tokenizer(*, byte_fallback: bool = False) -> ImportedTokenizer:
    front = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    bytes_ = [(f"<0x{value:02X}>", -20.0) for value in range(256)] if byte_fallback else []
    library = tokenizers.Tokenizer(models.Unigram([*front, *SCORES.items(), *bytes_], 2, byte_fallback))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    rows = 3 + len(SCORES) + len(bytes_)
    special = {0: "<pad>", 1: "</s>", 2: "<unk>"}
    return ImportedTokenizer(json.loads(library.to_str()), None, Vocabulary(rows, 0, 0, 1, 2), Conventions(special))


UNIGRAM = Unigram(tokenizer())


def test_best_cuts_by_hand() -> None:
    # ▁ab: itself −6; ▁ + ab −3; ▁a + b −5.5; ▁ + a + b −9.
    found = UNIGRAM.cuts("ab", 9)
    assert [cut.pieces for cut in found] == [("▁", "ab"), ("▁a", "b"), ("▁ab",), ("▁", "a", "b")]
    assert [cut.total for cut in found] == [-3.0, -5.5, -6.0, -9.0]
    assert UNIGRAM.cuts("ab", 2) == found[:2]
    assert UNIGRAM.cuts(" ", 2) == [] or UNIGRAM.cuts(" ", 2)[0].pieces == ("▁",)


def test_unknown_characters() -> None:
    (cut,) = UNIGRAM.cuts("xy", 1)  # each costs 10 more than the least probable piece, and neighbours are one token
    assert cut == Cut(("▁", "xy"), (-2.0, -38.0), (True, False))
    assert UNIGRAM.ids(cut) == [5, 3]
    spelt = Unigram(tokenizer(byte_fallback=True))
    (cut,) = spelt.cuts("é", 1)
    assert [spelt._tokenizer.peer_piece(token) for token in spelt.ids(cut)] == ["▁", "<0xC3>", "<0xA9>"]


@given(st.text("abx ", max_size=9), st.integers(1, 40))
def test_no_other_cut_is_better(text: str, count: int) -> None:
    parts = tokenizer().split(text)
    everyone = [0.0]
    for part in parts:
        sums = []
        for inner in product((False, True), repeat=len(part) - 1):
            edges = [0, *(place for place, cut in enumerate(inner, 1) if cut), len(part)]
            pieces = [part[start:end] for start, end in pairwise(edges)]
            scores = [SCORES.get(piece, -19.0 if len(piece) == 1 else -math.inf) for piece in pieces]
            sums.append(sum(scores))
        everyone = [one + other for one in everyone for other in sums if other > -math.inf]
    found = UNIGRAM.cuts(text, count)
    assert [cut.total for cut in found] == pytest.approx(sorted(everyone, reverse=True)[:count] if parts else [])
    assert all("".join(cut.pieces) == "".join(parts) for cut in found)


def test_other_pieces_are_refused() -> None:
    with pytest.raises(ValueError, match="must be of type Unigram. Received: 'BPE'"):
        Unigram(imported_tokenizer())
