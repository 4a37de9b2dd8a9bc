"""Uncertainty of a share: the Wilson score interval (Wilson 1927)."""

from math import sqrt

Z = 1.959964
"""z of a 95 % interval."""


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share; (0, 1) for no observation."""
    if not count:
        return 0.0, 1.0
    share, square = right / count, Z * Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = Z / (1 + square / count) * sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)
