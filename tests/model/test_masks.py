"""Masks beyond the worked example: what counts as padding, and what is refused."""

import numpy as np

from core.model.masks import look_ahead_mask, padding_mask, target_mask
from tests.refusals import refused

TOKENS = np.array([[3, 7, 9, 0], [9, 9, 0, 0]])


def test_pad_symbols():
    for pad in [9, np.int64(9), {9}, [9], np.array([9]), {0, 9}, (0, 9), frozenset({0, 9}), set()]:
        keep = ~np.isin(TOKENS, np.ravel(list(pad) if isinstance(pad, set | frozenset) else pad))
        np.testing.assert_array_equal(padding_mask(TOKENS, pad)[:, 0, 0], keep)
        np.testing.assert_array_equal(target_mask(TOKENS, pad)[:, 0], np.tril(np.ones((4, 4), bool)) & keep[:, None])
    refused(ValueError, r"a matrix \[batch, length\]. Received: shape \(3,\)", padding_mask, [1, 2, 0])
    assert np.asarray(look_ahead_mask(1)).tolist() == [[True]]
