"""Masks beyond the worked example: what counts as padding, and what is refused."""

import numpy as np
import pytest

from core.model.masks import look_ahead_mask, padding_mask, target_mask

TOKENS = np.array([[3, 7, 9, 0], [9, 9, 0, 0]])


@pytest.mark.parametrize("pad", [9, np.int64(9), {9}, [9], np.array([9])])
def test_another_pad_symbol(pad):
    np.testing.assert_array_equal(padding_mask(TOKENS, pad)[:, 0, 0], TOKENS != 9)


@pytest.mark.parametrize("pad", [{0, 9}, (0, 9), frozenset({0, 9})])
def test_a_set_of_pad_symbols(pad):
    keep = ~np.isin(TOKENS, [0, 9])
    np.testing.assert_array_equal(padding_mask(TOKENS, pad)[:, 0, 0], keep)
    np.testing.assert_array_equal(target_mask(TOKENS, pad)[:, 0], np.tril(np.ones((4, 4), bool)) & keep[:, None])


def test_an_empty_set_keeps_everything():
    assert np.all(padding_mask(TOKENS, set()))


def test_tokens_must_be_a_matrix():
    with pytest.raises(ValueError, match=r"a matrix \[batch, length\]. Received: shape \(3,\)"):
        padding_mask([1, 2, 0])


def test_look_ahead_of_one():
    assert np.asarray(look_ahead_mask(1)).tolist() == [[True]]
