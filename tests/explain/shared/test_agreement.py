"""Ranks and Spearman's correlation by hand."""

import numpy as np
import pytest

from core.explain.shared.agreement import ranks, spearman
from tests.refusals import refused


def test_ranks_and_correlations_by_hand() -> None:
    for values, expected in [
        ([0.3, -2.0, 7.0], [2, 3, 1]),
        ([5, 5, 1], [1.5, 1.5, 3]),
        ([1, 2, 2, 2, 3], [5, 3, 3, 3, 1]),
        ([4, 4, 4, 4], [2.5] * 4),
        ([-1.0], [1]),
        ([], []),
    ]:
        assert ranks(values).tolist() == expected, values
    # Correlations by hand.
    for first, second, expected in [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [3, 2, -100], -1.0),
        # Ranks 1 2 3 4 5 against 2 1 3 5 4: 1 - 6 * (1 + 1 + 0 + 1 + 1) / (5 * 24)
        ([5, 4, 3, 2, 1], [4, 5, 3, 0, 2], 0.8),
        ([1, 2, 3, 4], [2, 1, 4, 3], 0.6),
        # Ranks 1.5 1.5 3 4 against 1 2 3 4, less 2.5: (1.5 + .5 + .25 + 2.25) / sqrt(4.5 * 5)
        ([9, 9, 5, 1], [4, 3, 2, 1], 4.5 / (4.5 * 5) ** 0.5),
        ([1, 1, 2], [2, 1, 1], -0.5),
    ]:
        found = spearman(first, second)
        assert found == pytest.approx(expected), (first, second)
        assert spearman(second, first) == pytest.approx(found), (first, second)
        assert spearman([-value for value in first], second) == pytest.approx(-found), (first, second)
        assert spearman(np.exp(first), np.array(second) * 1e6) == pytest.approx(found), (first, second)
    # Without an order there is no correlation.
    assert spearman([], []) is spearman([1], [2]) is spearman([1, 2], [2, 1]) is None
    assert spearman([3, 3, 3], [1, 2, 3]) is spearman([1, 2, 3], [0, 0, 0]) is spearman([0] * 4, [0] * 4) is None
    # Lengths must agree.
    refused(ValueError, "both need as many values. Received: 3 and 2", spearman, [1, 2, 3], [1, 2])
