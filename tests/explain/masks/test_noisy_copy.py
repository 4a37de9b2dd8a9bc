"""The task of the lesson: its entropy by hand, and what is drawn."""

import math

import numpy as np
import pytest

from core.explain.masks.noisy_copy import FIRST, KEPT, LENGTH, SYMBOLS, chance, draw, last_only, letter, noise_entropy
from tests.closeness import printed


def test_the_entropy_by_hand_is_that_of_the_draws():
    # The entropy by hand. The same symbol has 0.6 + 0.4 ÷ 12 = 19 ÷ 30, each other one 0.4 ÷ 12 = 1 ÷ 30.
    assert noise_entropy() == pytest.approx(math.log(30) - 19 / 30 * math.log(19))
    printed((noise_entropy(), last_only()), (1.536, 0.192), 3)
    assert chance() == pytest.approx(19 / 96)  # seven guesses of 1 ÷ 12 and one that is right
    # What is drawn has that noise.
    source, target = draw(np.random.default_rng(3), 4000)
    assert source.shape == target.shape == (4000, LENGTH) and source.dtype == np.int32 == target.dtype
    for each in (source, target):
        assert (each.min(), each.max()) == (FIRST, FIRST + SYMBOLS - 1)
        assert np.bincount(each.ravel())[FIRST:].std() / each.size < 0.003
    # Of 32,000 draws.
    assert (source == target).mean() == pytest.approx(KEPT + (1 - KEPT) / SYMBOLS, abs=0.01)
    again = draw(np.random.default_rng(3), 4000)
    np.testing.assert_array_equal(target, again[1])
    assert [letter(each) for each in (FIRST, FIRST + SYMBOLS - 1)] == ["A", "L"]
