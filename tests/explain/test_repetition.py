"""Repetition: the examples of the definitions, worked out by hand."""

import pytest

from core.explain.repetition import immediate_duplicates, repeated_trigrams, repetition, words_of


def test_repetitions_by_hand() -> None:
    # A repeated trigram is named once.
    assert repeated_trigrams("go to the go to the".split()) == (("go", "to", "the"),)
    assert repeated_trigrams("a a a a a".split()) == (("a", "a", "a"),)
    assert repeated_trigrams("a b c d a b c d".split()) == (("a", "b", "c"), ("b", "c", "d"))
    assert repeated_trigrams("go to the park".split()) == ()
    assert repeated_trigrams(["go", "to"]) == ()
    # The share counts what occurred before.
    assert repetition("go to the go to the") == pytest.approx(1 / 4)  # 4 trigrams, the last is a repeat
    assert repetition("a a a a a") == pytest.approx(2 / 3)
    assert repetition("go to the park") == 0
    for text in ("", "go to", "!!! ... ,"):
        assert repetition(text) == 0
    # Case and marks do not count.
    assert repetition("Go to the, GO TO the.") == pytest.approx(1 / 4)
    assert words_of("#Person1# says: it\u2019s Ann's STRASSE-dog!") == [
        "person1",
        "says",
        "it\u2019s",
        "ann's",
        "strasse",
        "dog",
    ]
    assert repeated_trigrams(["Go", "to", "THE", "go", "TO", "the"]) == (("go", "to", "the"),)
    # Immediate duplicates.
    assert immediate_duplicates("he gives her her book".split()) == ("her",)
    assert immediate_duplicates(["That", "that", "that", "is"]) == ("that", "that")
    assert immediate_duplicates("her book is her".split()) == ()
    assert immediate_duplicates([]) == ()
