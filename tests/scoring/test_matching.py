"""The matrix of one pair, with numbers worked out by hand."""

import numpy as np
import pytest

from core.errors import ScoringError
from core.scoring.baselines import Baseline
from core.scoring.matching import Match, Side, f1
from tests.closeness import printed
from tests.refusals import refusals, refused

ROBERTA = Baseline(0.83150584, 0.8314941, 0.83122575)


def side(*weights: float) -> Side:
    return Side(tuple("abc"[: len(weights)]), tuple(weight == 0 for weight in weights), np.array(weights))


def match(rows: list[list[float]], candidate: Side, reference: Side) -> Match:
    return Match(candidate, reference, np.array(rows, np.float32))


def test_matches_by_hand():
    two = [[0.9, 0.2], [0.3, 0.6]]
    found = match(two, side(1, 1), side(1, 1))
    assert found.scores == pytest.approx((0.75, 0.75, 0.75))
    assert found.row_choice.tolist() == [0, 1] and found.column_choice.tolist() == [0, 1]
    assert found.precision_parts == pytest.approx([0.45, 0.30]) and found.recall_parts == pytest.approx([0.45, 0.30])
    # A special token is not scored but may be matched.
    found = match([[0.9, 0.2, 0.1], [0.3, 0.6, 0.7]], side(1, 1), side(1, 1, 0))
    precision, recall, _ = found.scores
    assert precision == pytest.approx(0.80) and recall == pytest.approx(0.75)
    assert found.row_choice.tolist() == [0, 2] and found.recall_parts[2] == 0
    # Weights of idf; no weight at all scores nothing.
    weighted = ((3 * 0.9 + 0.6) / 4, (0.9 + 3 * 0.6) / 4)
    assert match(two, side(3, 1), side(1, 3)).scores[:2] == pytest.approx(weighted)
    assert match(two, side(0, 0), side(1, 1)).scores == (0.0, pytest.approx(0.75), 0.0)
    assert f1(0.9, 0.8) == pytest.approx(0.8470588)
    rescaled = ROBERTA.rescale(0.9, 0.8, f1(0.9, 0.8))
    # F1 is not 2PR/(P+R) = -0.692 of the others.
    printed(rescaled, (0.4065, -0.1869, 0.0938), 4)
    rescaled = [ROBERTA.rescale(0, 0, value)[2] for value in (0.90, 0.80, 0.0)]
    printed(rescaled, [0.4075, -0.1850, -4.9251], 4)


def test_sizes_must_fit(snapshot):
    cases = [np.zeros(shape, np.float32) for shape in [(3, 2), (2, 3), (0, 0)]]
    assert refusals(ScoringError, lambda values: Match(side(1, 1), side(1, 1), values), cases) == snapshot
    refused(ScoringError, "as many tokens as marks and weights", Side, ("a",), (False, False), np.ones(1))
