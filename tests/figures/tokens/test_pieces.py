"""Pictures of unigram cuts and of longest matches; numbers worked out by hand."""

from core.figures.tokens.pieces import cuts, matches, scores
from core.text.unigram import Cut
from core.text.wordpiece import Match
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

BEST = Cut(("▁", "ab"), (-2.0, -1.0), (True, True))
NEXT = Cut(("▁a", "b"), (-1.5, -3.5), (True, False))


def test_cuts_of_a_word(snapshot) -> None:
    # e² = 7.39
    assert drawn(cuts([BEST, NEXT]), said(cuts([BEST])), scores(NEXT)) == snapshot
    cannot_draw("at least one cut", cuts, [])


def test_longest_matches(snapshot) -> None:
    found = matches([[Match("una", "un", 1, 5), Match("a", "##a", 0, 6)], [Match("xy", "", 2, 3)]])
    assert drawn(*found) == snapshot
