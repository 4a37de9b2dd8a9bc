"""Learning-rate schedules: warm-up, then inverse square root or cosine."""

import math
from typing import Any

from core.config import Schedule
from core.runtime.backend import keras, ops


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up to a peak, then a decay.

    "inverse_sqrt": peak * min(step / warmup, sqrt(warmup / step)); with the peak D^-0.5 * warmup^-0.5 it is
    equation 3 of Vaswani et al. 2017. "cosine": falls to a hundredth of the peak at `total` steps.

    Args:
        peak: highest learning rate.
        warmup: steps of warm-up.
        kind: "inverse_sqrt" or "cosine".
        total: steps of the whole training; only the cosine uses it.
    """

    def __init__(self, peak: float, warmup: int, kind: Schedule, total: int) -> None:
        self.peak = peak
        self.warmup = warmup
        self.kind = kind
        self.total = total

    def __call__(self, step: Any) -> Any:
        """Return the learning rate of a step, counted from 0."""
        step = ops.cast(step, "float32") + 1.0
        rising = step / self.warmup
        if self.kind == "inverse_sqrt":
            falling = ops.sqrt(self.warmup / step)
        else:
            share = ops.clip((step - self.warmup) / max(self.total - self.warmup, 1), 0.0, 1.0)
            falling = 0.01 + 0.99 * 0.5 * (1.0 + ops.cos(math.pi * share))
        return self.peak * ops.minimum(rising, falling)

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {"peak": self.peak, "warmup": self.warmup, "kind": self.kind, "total": self.total}


def paper_peak(d_model: int, warmup: int) -> float:
    """Return the peak of equation 3: d_model^-0.5 * warmup^-0.5."""
    return float(d_model**-0.5 * warmup**-0.5)
