"""Learning rates against the formulas."""

import math

import pytest

from core.training.schedule import WarmUp, paper_peak
from tests.closeness import near


def test_rates():
    # Equation 3.
    d_model, warmup = 64, 4
    rate = WarmUp(paper_peak(d_model, warmup), warmup, "inverse_sqrt", 0)
    for step in [1, 2, 3, 4, 5, 16, 100, 4000]:
        expected = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        near(float(rate(step - 1)) / expected, 1, depth=4)
    rate = WarmUp(0.5, 4, "inverse_sqrt", 0)
    assert [float(rate(step)) for step in (0, 1, 3, 15)] == pytest.approx([0.125, 0.25, 0.5, 0.25])
    assert paper_peak(512, 4000) == pytest.approx(6.9877e-4, rel=1e-4)  # five digits are written
    rate = WarmUp(0.5, 10, "cosine", 110)
    quarter = 0.5 * (0.01 + 0.99 * (1 + math.cos(math.pi / 4)) / 2)
    values = {0: 0.05, 9: 0.5, 34: quarter, 59: 0.5 * (0.01 + 0.99 / 2), 109: 0.005, 10_000: 0.005}
    for step, expected in values.items():
        near(float(rate(step)) / expected, 1, depth=8)
    # Rises then falls.
    for kind in ["inverse_sqrt", "cosine"]:
        rate = WarmUp(1.0, 20, kind, 100)
        values = [float(rate(step)) for step in range(100)]
        assert values[:20] == sorted(values[:20]) and values[19:] == sorted(values[19:], reverse=True), kind
        assert max(values) == values[19] == pytest.approx(1), kind
    # A warm up longer than the training.
    rate = WarmUp(1.0, 20, "cosine", 10)
    assert float(rate(9)) == pytest.approx(0.5)
    assert math.isfinite(float(rate(50)))
    rate = WarmUp(0.5, 4, "cosine", 100)
    assert float(WarmUp.from_config(rate.get_config())(50)) == float(rate(50))
