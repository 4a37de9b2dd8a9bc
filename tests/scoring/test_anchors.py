"""Known scores to compare with, and why one reference wins."""

import numpy as np
import pytest

from core.scoring.anchors import anchors, reasons
from core.scoring.matching import Match, Side
from core.scoring.pairs import Scoring


def side(tokens: str, *weights: float) -> Side:
    return Side(tuple(tokens.split()), tuple(weight == 0 for weight in weights), np.array(weights))


def test_the_anchors_hold_only_where_they_were_measured():
    assert [each.f1 for each in anchors("all-MiniLM-L6-v2", False)] == [0.569, 0.722, 0.768]
    assert anchors("all-MiniLM-L6-v2", True) == anchors("roberta-large", False) == ()


def test_why_a_reference_wins():
    candidate = side("[CLS] ann sings .", 0, 1, 1, 1)
    winner = Match(candidate, side("ann sang", 1, 1), np.array([[0.1, 0.1], [0.9, 0.2], [0.1, 0.8], [0.3, 0.3]]))
    other = Match(candidate, side("ben rests .", 1, 1, 0), np.array([[0.9] * 3, [0.4, 0.1, 0.1], [0.2, 0.5, 0.1],
                                                                     [0.1, 0.1, 0.7]]))  # fmt: skip
    found = reasons(winner, other)
    assert [token for token, _, _ in found.gained] == ["ann", "sings"]
    assert found.gained[0][1:] == pytest.approx((0.9, 0.4))
    assert found.missed == ()  # [CLS] is close to all of them, special or not
    closer = Match(candidate, other.reference, other.similarity * np.array([[0.1], [1], [1], [1]]))
    assert [token for token, _ in reasons(winner, closer).missed] == ["ben", "rests"]
    assert len(reasons(winner, closer, most=1).gained) == 1


def test_three_tokens_that_gain_more_than_a_twentieth_are_named():
    candidate, reference = side("a b c d e f", 1, 1, 1, 1, 1, 1), side("x", 1)
    other = Match(candidate, reference, np.zeros((6, 1)))
    winner = Match(candidate, reference, np.array([[0.5], [0.4], [0.3], [0.2], [0.1], [0.05]]))
    assert [token for token, _, _ in reasons(winner, other).gained] == ["a", "b", "c"]
    assert len(reasons(winner, other, most=9).gained) == 5  # 0.05 is no twentieth more


def test_pairs_have_anchors_without_idf_weights_alone():
    assert len(Scoring("all-MiniLM-L6-v2", None).anchors) == 3
    assert Scoring("all-MiniLM-L6-v2", ("a reference",)).anchors == ()
