"""Wilson intervals by hand."""

import pytest

from core.scoring.wilson import wilson
from tests.closeness import printed


def test_intervals_of_shares_by_hand():
    # 5 of 10: (.5 + 1.9208 / 10) / (1 + 3.8415 / 10) -+ 1.96 / 1.38415 * sqrt(.025 + 3.8415 / 400)
    printed(wilson(5, 10), (0.2366, 0.7634), 4)
    assert wilson(0, 0) == (0, 1) and wilson(0, 10)[0] == 0 and wilson(10, 10)[1] == pytest.approx(1)
