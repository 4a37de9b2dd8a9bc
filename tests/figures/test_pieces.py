"""Pictures of unigram cuts and of longest matches; numbers worked out by hand."""

import pytest

from core.figures.pieces import SCORE, cuts, matches, scores
from core.text.unigram import Cut
from core.text.wordpiece import Match
from tests.figures.conftest import said

BEST = Cut(("▁", "ab"), (-2.0, -1.0), (True, True))
NEXT = Cut(("▁a", "b"), (-1.5, -3.5), (True, False))


def test_cuts_of_a_word() -> None:
    picture = cuts([BEST, NEXT])
    taken, other, unknown, texts = picture.figure.data
    assert (list(taken.base), list(taken.x), list(taken.y)) == ([0, 1], [1, 2], [0, 0])
    assert (list(other.base), list(unknown.base), list(unknown.x)) == ([0], [2], [1])
    assert texts.text == ("·", "ab", "·a", "b")
    assert picture.figure.layout.yaxis.ticktext == ("−3.00", "−5.00")
    assert said(picture) == (
        "· | ab has the largest sum, −3.00 nats; the next, ·a | b, is 2.00 nats behind: 7.39 times less probable."
    )
    assert picture.table["Behind the best (nats)"] == [0.0, 2.0]
    assert said(cuts([BEST])).endswith("there is no other way to cut it.")
    assert scores(NEXT)[SCORE] == [-1.5, -3.5]
    with pytest.raises(ValueError, match="at least one cut"):
        cuts([])


def test_longest_matches() -> None:
    table, sentence = matches([[Match("una", "un", 1, 5), Match("a", "##a", 0, 6)], [Match("xy", "", 2, 3)]])
    assert table["Longest piece"] == ["un", "##a", "none"]
    assert sentence.startswith("2 pieces;") and "Of “xy” a rest begins with no piece" in sentence
