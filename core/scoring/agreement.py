"""How far readers agree on labels: Cohen's kappa for two, Krippendorff's alpha for more, also where some read less.

After Cohen (1960), "A coefficient of agreement for nominal scales", and Krippendorff (2011), "Computing Krippendorff's
Alpha-Reliability" (nominal data). Both compare what differs with what would differ by chance: 1 is perfect agreement,
0 that of chance. A readers, U summaries, C categories, B resamples.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ScoringError

MISSING = -1
"""A summary that a reader did not judge."""
ANY = "any"
"""Whether a summary has an error at all."""
RESAMPLES = 2000
FEWEST = 5
"""Summaries that an interval needs."""
Ratings = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far readers agree on one kind of error.

    Args:
        kind: of error, or `ANY`.
        units: how many summaries at least two readers judged.
        found: how many of these each reader says to have such an error.
        share: part of the pairs of judgements that agree, 0 to 1.
        value: kappa of two readers, alpha of more; None where nobody, or everybody, found such an error in any.
        low: 2.5 percentile of the value when summaries are drawn with replacement; None with fewer than `FEWEST`.
        high: 97.5 percentile.
        differ: the summaries on which not all agree.
    """

    kind: str
    units: int
    found: tuple[int, ...]
    share: float
    value: float | None
    low: float | None
    high: float | None
    differ: tuple[Any, ...]


def of_labels(said: Mapping[str, Mapping[Any, frozenset[str]]], kinds: Iterable[str]) -> list[Agreement]:
    """Measure the agreement on any error, and on each kind of error that somebody found.

    Args:
        said: of each reader the judged summaries, each with the kinds of its errors.
        kinds: all kinds, in their order.

    Raises:
        ScoringError: no summary was judged by two readers.
    """
    every = dict.fromkeys(unit for book in said.values() for unit in book)
    units = [unit for unit in every if sum(unit in book for book in said.values()) > 1]
    if not units:
        raise ScoringError("agreement needs summaries that two readers judged. Received: none")
    used = [kind for kind in kinds if any(kind in book.get(unit, ()) for book in said.values() for unit in units)]
    measured = []
    for kind in (ANY, *used):
        rows = [[_rating(book.get(unit), kind) for unit in units] for book in said.values()]
        ratings = np.array(rows, dtype=np.int64)
        value, low, high = coefficient(ratings)
        most, least = ratings.max(axis=0), np.where(ratings == MISSING, 2, ratings).min(axis=0)
        differ = tuple(unit for unit, one, other in zip(units, most, least, strict=True) if one != other)
        found = tuple(int(each) for each in (ratings == 1).sum(axis=1))
        measured.append(Agreement(kind, len(units), found, share(ratings), value, low, high, differ))
    return measured


def _rating(errors: frozenset[str] | None, kind: str) -> int:
    if errors is None:
        return MISSING
    return int(bool(errors) if kind == ANY else kind in errors)


def share(ratings: Ratings) -> float:
    """Return the part of the pairs of judgements that agree; see `coefficient`."""
    table = _tables(ratings, len(ratings) == 2).sum(axis=0)
    return float(np.trace(table) / table.sum())


def coefficient(ratings: Ratings, resamples: int = RESAMPLES) -> tuple[float | None, float | None, float | None]:
    """Return kappa of two readers, alpha of more, and the ends of its 95 % bootstrap interval.

    Args:
        ratings: [A, U], categories from 0, `MISSING` where there is none.
        resamples: B.

    Returns:
        Value, low and high; None where the value is not defined because only one category was used, or where there are
        fewer than `FEWEST` summaries. Resamples without a value are left out.

    Raises:
        ScoringError: fewer than two readers, or no summary that two of them judged.
    """
    read = (ratings != MISSING).sum(axis=0)
    if len(ratings) < 2 or not (read > 1).any():
        raise ScoringError("agreement needs summaries that two readers judged. Received: none")
    patterns, counts = np.unique(ratings[:, read > 1], axis=1, return_counts=True)  # many summaries were read alike
    two = len(ratings) == 2
    tables = _tables(patterns, two)
    of = _kappa if two else _alpha
    value = float(of(np.tensordot(counts, tables, 1)))
    if np.isnan(value):
        return None, None, None
    if counts.sum() < FEWEST:
        return value, None, None
    drawn = np.random.default_rng(0).multinomial(counts.sum(), counts / counts.sum(), resamples)
    low, high = np.nanpercentile(of(np.tensordot(drawn, tables, 1)), (2.5, 97.5))
    return value, float(low), float(high)


def _tables(ratings: Ratings, two: bool) -> Numbers:
    """Return for each unit the pairs of its judgements, [U, C, C]; those of units with one judgement are empty.

    Of two readers the first one's category stands in the row; of more each ordered pair counts 1 / (judgements - 1).
    """
    ones = (ratings[:, :, None] == np.arange(max(int(ratings.max()), 1) + 1)).astype(np.float64)  # [A, U, C]
    if two:
        pairs: Numbers = ones[0][:, :, None] * ones[1][:, None, :]
        return pairs
    counts = ones.sum(axis=0)
    both = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    coincidences: Numbers = both / np.maximum(counts.sum(axis=1) - 1, 1)[:, None, None]
    return coincidences


def _kappa(tables: Numbers) -> Numbers:
    """Cohen's kappa of tables of counts, [..., C, C]: (observed - expected) / (1 - expected)."""
    shares = tables / tables.sum(axis=(-2, -1), keepdims=True)
    observed = np.trace(shares, axis1=-2, axis2=-1)
    expected = (shares.sum(axis=-1) * shares.sum(axis=-2)).sum(axis=-1)
    return _ratio(observed - expected, 1 - expected)


def _alpha(tables: Numbers) -> Numbers:
    """Krippendorff's alpha of tables of coincidences, [..., C, C]: 1 - observed / expected disagreement."""
    each = tables.sum(axis=-1)
    all_ = each.sum(axis=-1)
    expected = (all_**2 - (each**2).sum(axis=-1)) / (all_ - 1)
    observed = all_ - np.trace(tables, axis1=-2, axis2=-1)
    return _ratio(expected - observed, expected)


def _ratio(top: Numbers, below: Numbers) -> Numbers:
    found: Numbers = np.divide(top, below, out=np.full_like(below, np.nan, dtype=np.float64), where=below > 1e-12)
    return found
