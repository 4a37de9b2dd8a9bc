"""Compare the rankings of two methods: ranks and Spearman's rank correlation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Return the rank of each value, 1 for the largest; equal values share their mean rank."""
    numbers = np.asarray(values, dtype=np.float64)
    larger = (numbers[None] > numbers[:, None]).sum(axis=1)
    equal = (numbers[None] == numbers[:, None]).sum(axis=1)
    return np.asarray(larger + (equal + 1) / 2)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the correlation of the ranks, -1 to 1 (Spearman 1904); None for fewer than three or only equal values.

    Raises:
        ValueError: the lengths differ.
    """
    if len(first) != len(second):
        raise ValueError(f"both need as many values. Received: {len(first)} and {len(second)}")
    if len(first) < 3:
        return None
    a, b = (ranks(values) - (len(first) + 1) / 2 for values in (first, second))
    spread = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return None if spread == 0 else float((a * b).sum() / spread)
