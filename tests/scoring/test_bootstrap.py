"""Intervals and tests of means, by hand where all resamples can be listed."""

import numpy as np
import pytest

from core.errors import ScoringError
from core.scoring.bootstrap import mean_interval, paired_difference, randomisation
from tests.refusals import refusals, refused


def test_intervals_by_hand():
    # d = (.1, .2, -.05): |mean| is as large for 4 of the 8 sign patterns; 4 of the 27 resamples have a mean <= 0
    # (three times -.05, and -.05 twice with .1 in three orders).
    found = paired_difference((0.5, 0.7, 0.25), (0.4, 0.5, 0.3))
    assert found.p_value == pytest.approx(4 / 8)
    assert found.not_better == pytest.approx(4 / 27)
    assert (found.wins, found.losses, found.ties) == (2, 1, 0)
    assert found.interval.mean == pytest.approx(0.25 / 3) and found.interval.count == 3
    # Two values have four resamples, of means 0, .5, .5, 1; percentiles 2.5 and 97.5 by linear interpolation between
    # the first and the last two
    found = mean_interval((0, 1))
    assert (found.low, found.high) == pytest.approx((0.075 * 0.5, 1 - 0.075 * 0.5))
    # One value and equal systems.
    assert mean_interval([3.5]).low == mean_interval([3.5]).high == 3.5
    same = paired_difference([1, 2, 3] * 20, [1, 2, 3] * 20)
    assert same.p_value == 1 and same.not_better == 1 and same.ties == 60
    # Pairs are resampled together.
    base = np.random.default_rng(2).normal(0, 10, 300)
    found = paired_difference(base + 0.1 + 0.01 * np.arange(300) % 2, base)
    assert found.interval.low > 0 and found.p_value == pytest.approx(1 / 10_001) and found.not_better == 0


def test_many_values_agree_with_the_normal_interval_and_repeat():
    values = np.random.default_rng(1).normal(2, 1, 400)
    found = mean_interval(values)
    half = 1.96 * values.std() / 20
    assert found.mean == pytest.approx(values.mean())
    # Of 10,000 draws.
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.01)
    assert mean_interval(values) == found and mean_interval(values, seed=1) != found


def test_random_signs_come_close_to_all_signs_and_blocks_give_the_same_draws(monkeypatch):
    gaps = np.random.default_rng(3).normal(0.3, 1, 13).tolist()
    # Of 8,191 draws.
    assert randomisation(gaps, resamples=8191, seed=5) == pytest.approx(randomisation(gaps, resamples=8192), abs=0.02)
    values = np.random.default_rng(4).normal(0, 1, 50)
    whole = mean_interval(values, resamples=1000)
    monkeypatch.setattr("core.scoring.bootstrap._AT_ONCE", 50 * 7)
    assert mean_interval(values, resamples=1000) == whole


def test_what_cannot_be_compared_is_refused(snapshot):
    assert refusals(ScoringError, mean_interval, [[], [1.0, float("nan")], [float("inf")], [[1.0]]]) == snapshot
    refused(ScoringError, "Received: 2 and 1", paired_difference, [1, 2], [1])
