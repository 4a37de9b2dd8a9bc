"""Uncertainty of a mean over dialogues: bootstrap intervals, paired differences, approximate randomisation.

After Koehn (2004, W04-3250). One value for each dialogue, because the tokens of one dialogue depend on each
other. n dialogues, B resamples. This measures the noise of the test set, not that of training.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.errors import ScoringError

RESAMPLES = 10_000
"""B, the number of resamples."""
LEVEL = 0.95
_AT_ONCE = 2_000_000
"""Most drawn indices or signs in memory at once."""
_TOLERANCE = 1e-12
"""Tolerance at which sums of the same numbers in another order are equal."""

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and the 2.5 and 97.5 percentiles of the means of B resamples."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems on the same dialogues, first minus second.

    Args:
        interval: of the mean difference.
        not_better: share of the resamples whose mean difference is 0 or less (Koehn's one-sided p).
        p_value: two-sided, by approximate randomisation.
        wins: number of dialogues on which the first has the higher value.
        losses: number on which it has the lower one.
        ties: number of the others.
    """

    interval: Interval
    not_better: float
    p_value: float
    wins: int
    losses: int
    ties: int


def mean_interval(values: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """Compute the bootstrap interval of a mean; dialogues are drawn with replacement.

    Args:
        values: [n], one for each dialogue.
        resamples: B; if n^n is at most B, every possible resample is used once instead.
        seed: of the draws.

    Raises:
        ScoringError: no values, or some that are not finite.
    """
    checked = _checked(values)
    return _interval(checked, _means(checked, resamples, seed))


def paired_difference(
    first: Sequence[float], second: Sequence[float], resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """Compare two systems on the same dialogues; both are resampled with the same indices.

    Args:
        first: [n], one for each dialogue.
        second: [n], of the same dialogues in the same order.
        resamples: B, for the randomisation too.
        seed: of the draws.

    Raises:
        ScoringError: no values, some that are not finite, or different numbers of both.
    """
    if len(first) != len(second):
        raise ScoringError(f"both systems need a value for every dialogue. Received: {len(first)} and {len(second)}")
    gaps = _checked(first) - _checked(second)
    means = _means(gaps, resamples, seed)
    return Difference(
        _interval(gaps, means),
        float(np.mean(means <= _TOLERANCE)),
        randomisation(gaps.tolist(), resamples, seed),
        int(np.sum(gaps > _TOLERANCE)),
        int(np.sum(gaps < -_TOLERANCE)),
        int(np.sum(np.abs(gaps) <= _TOLERANCE)),
    )


def randomisation(differences: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Compute the two-sided p of a mean difference of 0 by random sign flips: (1 + flips as far from 0) / (1 + B).

    Args:
        differences: [n], one for each dialogue.
        resamples: B; if 2^n is at most B, all sign patterns are used and p is exact.
        seed: of the flips.

    Raises:
        ScoringError: no values, or some that are not finite.
    """
    gaps = _checked(differences)
    observed = abs(float(gaps.mean()))
    if len(gaps) < 64 and 2 ** len(gaps) <= resamples:
        signs = np.array(list(product((1.0, -1.0), repeat=len(gaps))))
        return float(np.mean(np.abs(signs @ gaps / len(gaps)) >= observed - _TOLERANCE))
    generator = np.random.default_rng(seed)
    far = 0
    for rows in _blocks(resamples, len(gaps)):
        signs = generator.integers(0, 2, (rows, len(gaps)), dtype=np.int8) * 2.0 - 1.0
        far += int(np.sum(np.abs(signs @ gaps / len(gaps)) >= observed - _TOLERANCE))
    return (1 + far) / (1 + resamples)


def _checked(values: Sequence[float]) -> Values:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ScoringError(f"a mean needs at least one value. Received: values of the shape {list(array.shape)}")
    if not np.isfinite(array).all():
        raise ScoringError(f"values must be finite numbers. Received: {int(np.sum(~np.isfinite(array)))} that are not")
    return array


def _means(values: Values, resamples: int, seed: int) -> Values:
    """Return the means of the resamples, [B] or [n^n]."""
    count = len(values)
    if count < 16 and count**count <= resamples:
        every: Values = values[np.array(list(product(range(count), repeat=count)))].mean(axis=1)
        return every
    generator = np.random.default_rng(seed)
    parts = [values[generator.integers(0, count, (rows, count))].mean(axis=1) for rows in _blocks(resamples, count)]
    return np.concatenate(parts)


def _blocks(resamples: int, count: int) -> Iterator[int]:
    """Yield the sizes of the blocks in which resamples are drawn."""
    most = max(1, _AT_ONCE // count)
    for first in range(0, resamples, most):
        yield min(most, resamples - first)


def _interval(values: Values, means: Values) -> Interval:
    tail = 50 * (1 - LEVEL)
    low, high = np.percentile(means, (tail, 100 - tail))
    return Interval(float(values.mean()), float(low), float(high), len(values))
