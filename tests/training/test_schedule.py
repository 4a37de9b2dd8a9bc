"""Learning rates against the formulas."""

import math

import pytest

from core.training.schedule import WarmUp, paper_peak
from tests.closeness import near
from tests.figures.drawing import drawn


def test_rates():
    # Equation 3.
    d_model, warmup = 64, 4
    rate = WarmUp(paper_peak(d_model, warmup), warmup, "inverse_sqrt", 0)
    for step in [1, 2, 3, 4, 5, 16, 100, 4000]:
        expected = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        near(float(rate(step - 1)) / expected, 1, depth=4)
    assert paper_peak(512, 4000) == pytest.approx(6.9877e-4, rel=1e-4)  # five digits are written


def test_rates_of_both_schedules(snapshot):
    # The cosine is at a quarter and a half of its way at steps 34 and 59, and ends at a hundredth of its peak.
    root, cosine = WarmUp(0.5, 4, "inverse_sqrt", 0), WarmUp(0.5, 10, "cosine", 110)
    steps = (0, 1, 3, 9, 15, 34, 59, 109, 10_000)
    rates = {name: [float(rate(step)) for step in steps] for name, rate in (("root", root), ("cosine", cosine))}
    assert drawn({"step": steps} | rates) == snapshot
    # A warm up longer than the training.
    rate = WarmUp(1.0, 20, "cosine", 10)
    assert float(rate(9)) == pytest.approx(0.5)
    assert math.isfinite(float(rate(50)))
    rate = WarmUp(0.5, 4, "cosine", 100)
    assert float(WarmUp.from_config(rate.get_config())(50)) == float(rate(50))
