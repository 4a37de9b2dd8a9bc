"""The best cuts of a word, worked out by hand and against all cuts; ids are compared in tests/importing/."""

import math
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.unigram import Cut, Unigram
from tests.models import UNIGRAM_SCORES, imported_tokenizer, unigram_tokenizer
from tests.refusals import refused

UNIGRAM = Unigram(unigram_tokenizer())


def test_best_cuts_by_hand() -> None:
    # ▁ab: itself −6; ▁ + ab −3; ▁a + b −5.5; ▁ + a + b −9.
    found = UNIGRAM.cuts("ab", 9)
    assert [cut.pieces for cut in found] == [("▁", "ab"), ("▁a", "b"), ("▁ab",), ("▁", "a", "b")]
    assert [cut.total for cut in found] == [-3.0, -5.5, -6.0, -9.0]
    assert UNIGRAM.cuts("ab", 2) == found[:2]


def test_unknown_characters() -> None:
    (cut,) = UNIGRAM.cuts("xy", 1)  # each costs 10 more than the least probable piece, and neighbours are one token
    assert cut == Cut(("▁", "xy"), (-2.0, -38.0), (True, False))
    assert UNIGRAM.ids(cut) == [5, 3]
    spelt = Unigram(unigram_tokenizer(byte_fallback=True))
    (cut,) = spelt.cuts("é", 1)
    assert [spelt._tokenizer.peer_piece(token) for token in spelt.ids(cut)] == ["▁", "<0xC3>", "<0xA9>"]


@given(st.text("abx ", max_size=9), st.integers(1, 40))
def test_no_other_cut_is_better(text: str, count: int) -> None:
    parts = unigram_tokenizer().split(text)
    everyone = [0.0]
    for part in parts:
        sums = []
        for inner in product((False, True), repeat=len(part) - 1):
            edges = [0, *(place for place, cut in enumerate(inner, 1) if cut), len(part)]
            pieces = [part[start:end] for start, end in pairwise(edges)]
            scores = [UNIGRAM_SCORES.get(piece, -19.0 if len(piece) == 1 else -math.inf) for piece in pieces]
            sums.append(sum(scores))
        everyone = [one + other for one in everyone for other in sums if other > -math.inf]
    found = UNIGRAM.cuts(text, count)
    assert [cut.total for cut in found] == pytest.approx(sorted(everyone, reverse=True)[:count] if parts else [])
    assert all("".join(cut.pieces) == "".join(parts) for cut in found)


def test_other_pieces_are_refused() -> None:
    refused(ValueError, "must be of type Unigram. Received: 'BPE'", Unigram, imported_tokenizer())
