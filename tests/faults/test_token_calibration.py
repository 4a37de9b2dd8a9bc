"""Calibration errors of tokens worked by hand."""

from collections import namedtuple

import numpy as np
import pytest

from core.errors import ScoringError
from core.faults.token_calibration import calibrate, calibrate_between, mass_edges, next_tokens, support
from core.text.dialogue import parse_dialogue
from tests.refusals import refusals

Written = namedtuple("Written", "start end probability")


def between(p, right, owner, bins, mass=False):
    edges = mass_edges(np.array(p), bins) if mass else np.linspace(0, 1, bins + 1)
    return calibrate_between(np.array(p), np.array(right, dtype=float), np.array(owner), edges)


def error(edges):
    arrays = np.array([0.9, 0.8, 0.6]), np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1])
    return calibrate_between(*arrays, np.array(edges), 100)


def test_three_tokens_worked_by_hand(snapshot):
    # above .75: .9 right, .8 wrong: |.5 - .85| * 2; below: .6 right: |1 - .6|; (.7 + .4) / 3
    found = error([0, 0.75, 1])
    assert found.error == pytest.approx(1.1 / 3)
    assert [(each.count, each.accuracy) for each in found.bins] == [(1, 1.0), (2, 0.5)]
    assert found.bins[1].confidence == pytest.approx(0.85)
    one = error([0, 1])
    assert one.error == pytest.approx(0.1) and one.signed == pytest.approx(2 / 3 - 2.3 / 3)
    assert one.brier == pytest.approx((0.01 + 0.64 + 0.16) / 3)
    # The interval draws whole dialogues: dialogue 0 alone: |.5 - .85| = .35, dialogue 1 alone: .4, both: .1
    assert (one.low, one.high) == pytest.approx((0.1, 0.4))
    # Right probabilities have no error.
    found = between([1.0] * 9 + [0.0], [True] * 9 + [False], list(range(10)), 15)
    assert found.error == found.low == found.high == found.signed == found.brier == 0
    # Texts are calibrated by their tokens: few tokens in few bins.
    texts = (((0.9, 0.8), (True, False)), ((), ()), ((0.6,), (True,)))
    found = calibrate(texts, "equal width")
    assert found == between([0.9, 0.8, 0.6], [True, False, True], [0, 0, 2], 5) and found.shown == []
    assert calibrate((((), ()),), "equal mass") is None
    cases = [(((each,), (True,)),) for each in (1.5, float("nan"))]
    assert refusals(ScoringError, lambda text: calibrate((text,), "equal width"), cases) == snapshot


def test_bins_of_equal_width_and_of_equal_mass():
    p = [0.05, 0.15, 0.25, 0.95]
    wide = between(p, [True] * 4, [0, 1, 2, 3], 2)
    assert [(each.low, each.high, each.count) for each in wide.bins] == [(0, 0.5, 3), (0.5, 1, 1)]
    even = between(p, [True] * 4, [0, 1, 2, 3], 2, mass=True)
    assert [each.count for each in even.bins] == [2, 2] and even.bins[0].high == pytest.approx(0.2)
    assert mass_edges(np.array([0.5, 0.5, 0.5]), 3).tolist() == [0, 0.5, 1]
    # Bounds belong to the bin below and ends to the ends.
    found = between([0.0, 0.5, 1.0], [False, True, True], [0, 1, 2], 2)
    assert [each.count for each in found.bins] == [2, 1] and found.count == 3


def test_support_is_about_the_tokens_of_content_words():
    dialogue = parse_dialogue("Ann: I hiked to the lake.\nBen: Nice.")
    summary = "Ann is hiking in Rome."
    spans = [(0, 3), (4, 6), (7, 9), (9, 13), (14, 16), (17, 21), (21, 22), (22, 22)]
    tokens = [Written(start, end, number / 10) for number, (start, end) in enumerate(spans)]
    # "hiking" is two tokens and has the stem of "hiked"; "Rome" is new; Ann, "is", "in" and the marks are left out
    assert support(dialogue, summary, tokens) == ((0.2, 0.3, 0.5), (True, True, False))
    assert support(dialogue, "", []) == ((), ())


def test_many_tokens_have_more_bins():
    for count, bins in ((1499, 5), (1500, 15)):
        texts = tuple((((number + 0.5) / count,), (True,)) for number in range(count))
        found = calibrate(texts, "equal width")
        assert len(found.bins) == bins


def test_the_best_token_is_right_if_the_target_has_it(tiny):
    dialogue, target = "Ann: I hiked to the lake.\nBen: Nice.", "Ann hiked to the lake."
    probabilities, right = next_tokens(tiny, dialogue, target)
    said = np.exp([step.log_probability for step in tiny.force(dialogue, target).steps])
    assert len(right) > 5 and not all(right)
    np.testing.assert_array_equal(right, np.isclose(said, probabilities, rtol=1e-4))  # a tie of 1e-4 is right too
