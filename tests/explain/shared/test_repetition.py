"""Repetition: the examples of the definitions, worked out by hand."""

import pytest

from core.explain.shared.repetition import repeated_at, repeated_trigrams, repetition, words_of


def test_repetitions_by_hand() -> None:
    # A repeated trigram is named once, case and marks do not count, and the share counts what occurred before.
    for text, named, share in [
        ("go to the go to the", ["go to the"], 1 / 4),  # 4 trigrams, the last is a repeat
        ("Go to THE go TO the", ["go to the"], 1 / 4),
        ("a a a a a", ["a a a"], 2 / 3),
        ("a b c d a b c d", ["a b c", "b c d"], 2 / 6),
        ("go to the park", [], 0), ("go to", [], 0), ("!!! ... ,", [], 0), ("", [], 0),
    ]:  # fmt: skip
        assert [" ".join(words) for words in repeated_trigrams(text.split())] == named, text
        assert repetition(text) == pytest.approx(share), text
    assert repetition("Go to the, GO TO the.") == pytest.approx(1 / 4)
    words = ["person1", "says", "it\u2019s", "ann's", "strasse", "dog"]
    assert words_of("#Person1# says: it\u2019s Ann's STRASSE-dog!") == words


def test_repeats_are_found_where_they_end():
    assert repeated_at([1, 2, 3, 1, 2, 3, 1, 2], 3) == (5, 6, 7) and repeated_at("abcab", 2) == (4,)
    assert repeated_at("aaaa", 0) == repeated_at("ab", 3) == () and repeated_at("aaa", 1) == (1, 2)
