"""Agreement of readers, against examples of the papers and tables that were computed by hand."""

import numpy as np
import pytest

from core.errors import ScoringError
from core.scoring import agreement
from core.scoring.agreement import ANY, MISSING, coefficient, of_labels, of_words
from tests.closeness import printed
from tests.refusals import refused

_ = MISSING
NOMINAL = [
    [0, 1, 2, 2, 1, 0, 3, 0, 1, _, _, _],
    [0, 1, 2, 2, 1, 1, 3, 0, 1, 4, _, 2],
    [_, 2, 2, 2, 1, 2, 3, 1, 1, 4, 0, _],
    [0, 1, 2, 2, 1, 3, 3, 0, 1, 4, 0, _],
]
"""Krippendorff (2011), example C: four observers, twelve units, five categories; alpha is 0.743."""
BINARY = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
"""The same, example A: alpha is 0.095. By hand, kappa: observed 6/10, expected 0.2*0.4 + 0.8*0.6 = 0.56, so 1/11."""
FIFTY = [[1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15]
"""20 and 15 of 50 the same: observed 0.7, expected 0.5*0.6 + 0.5*0.4 = 0.5, kappa 0.4."""


def measured(said: dict) -> list:
    return of_labels(said, ("missing", "negation", "invented"))


@pytest.mark.parametrize(
    ("ratings", "value"),
    [
        (NOMINAL, 0.743),
        ([*BINARY, [_] * 10], 0.095),
        (BINARY, 0.091),
        (FIFTY, 0.4),
        ([[0, 1] * 5, [0, 1] * 5], 1.0),
        ([[0, 1] * 5, [1, 0] * 5], -1.0),
        ([[0] * 9 + [_], [0] * 8 + [_, 1]], None),
    ],
)
def test_a_coefficient_is_that_of_its_source(ratings, value) -> None:
    found, low, high = coefficient(np.array(ratings))
    if value is None:
        assert (found, low, high) == (None, None, None)
    else:
        printed(found, value, 3)
        assert low <= found <= high


def test_an_interval_is_that_of_summaries_drawn_one_by_one() -> None:
    ratings, generator = np.array(FIFTY), np.random.default_rng(1)
    drawn = [coefficient(ratings[:, generator.integers(0, 50, 50)], 1)[0] for _ in range(2000)]
    _value, low, high = coefficient(ratings)
    printed([low, high], np.percentile(drawn, (2.5, 97.5)), 1)
    assert coefficient(ratings[:, 18:22])[1:] == (None, None)


def test_types_of_errors_are_measured_apart_and_rows_that_differ_are_named() -> None:
    fine, wrong = frozenset(), frozenset({"invented"})
    said = {
        "Anna": {1: wrong, 2: fine, 3: wrong, 4: fine},
        "Ben": {1: wrong, 2: frozenset({"missing"}), 3: fine, 9: wrong},
    }
    every, missing, invented = measured(said)
    assert (every.kind, every.units, every.found, every.differ) == (ANY, 3, (2, 2), (2, 3))
    assert (missing.kind, missing.found, invented.differ) == ("missing", (0, 1), (3,)) and every.low is None
    printed([every.share, invented.share], [1 / 3, 2 / 3], 2)
    both = {each.kind: each for each in measured(said | {"Cleo": {3: wrong}})}
    assert both["invented"].differ == (3,) and both["invented"].found == (2, 1, 1)


def words(*marked: list[int]) -> dict:
    return {n: {ANY: each, "invented": each, "missing": [0] * len(each)} for n, each in enumerate(marked)}


def test_words_are_compared_one_by_one() -> None:
    """By hand: 4 of 6 words the same, expected (2/6)^2 + (4/6)^2 = 5/9, so kappa (6/9 - 5/9) / (4/9) = 0.25."""
    said = {"Anna": words([0, 1, 1, 0], [0, 0]), "Ben": words([0, 0, 1, 1], [0, 0])}
    every, invented = of_words(said, ("missing", "invented"))
    assert (every.kind, every.units, every.words, every.found, every.differ) == (ANY, 2, 6, (2, 2), (0,))
    printed([every.value, every.share, invented.value], [0.25, 2 / 3, 0.25], 6)
    tagged = words([_, _, _, _])
    assert of_words(said | {"Ben": tagged | {1: words([0, 0])[0]}}, ("invented",)) == []
    many = of_words(said | {"Cleo": tagged}, ("invented",))
    assert [each.found for each in many] == [(2, 2, 0)] * 2, "who marks no words says nothing of them"


def test_an_interval_of_words_is_that_of_summaries() -> None:
    """Two words of a summary that are always read alike are no more evidence than one."""
    once = [[1, 1, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 1, 0, 1, 0]]
    twice = coefficient(np.repeat(once, 2, axis=1), of=np.repeat(np.arange(8), 2))
    assert twice == coefficient(np.array(once), of=np.arange(8))
    alone = coefficient(np.repeat(once, 2, axis=1))
    assert alone[0] == twice[0] and alone[2] - alone[1] < twice[2] - twice[1]


def test_nobody_agrees_alone() -> None:
    for said in ({}, {"Anna": {1: frozenset()}}, {"Anna": {1: frozenset()}, "Ben": {2: frozenset()}}):
        refused(ScoringError, "two readers judged", measured, said)
    refused(ScoringError, "two readers judged", agreement.coefficient, np.array([[0, 1]]))
