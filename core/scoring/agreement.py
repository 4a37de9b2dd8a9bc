"""How far readers agree on labels: Cohen's kappa for two, Krippendorff's alpha for more, also where some read less.

After Cohen (1960), "A coefficient of agreement for nominal scales", and Krippendorff (2011), "Computing Krippendorff's
Alpha-Reliability" (nominal data). Both compare what differs with what would differ by chance: 1 is perfect agreement,
0 that of chance. A readers, U units (summaries, or their words), C categories, B resamples.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ScoringError

MISSING = -1
"""A unit that a reader did not judge."""
ANY = "any"
"""Whether a summary has an error at all."""
RESAMPLES = 2000
FEWEST = 5
"""Summaries that an interval needs."""
_NEEDED = "agreement needs summaries that two readers judged. Received: none"
Ratings = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far readers agree on one kind of error.

    Args:
        kind: of error, or `ANY`.
        units: how many summaries at least two readers judged.
        found: how many of these, or of their words, each reader says to have such an error.
        share: part of the pairs of judgements that agree, 0 to 1.
        value: kappa of two readers, alpha of more; None where nobody, or everybody, found such an error in any.
        low: 2.5 percentile of the value when summaries are drawn with replacement; None with fewer than `FEWEST`.
        high: 97.5 percentile.
        differ: the summaries on which not all agree.
        words: how many words of the summaries were compared; None where each summary was compared as a whole.
    """

    kind: str
    units: int
    found: tuple[int, ...]
    share: float
    value: float | None
    low: float | None
    high: float | None
    differ: tuple[Any, ...]
    words: int | None = None


def of_labels(said: Mapping[str, Mapping[Any, frozenset[str]]], kinds: Iterable[str]) -> list[Agreement]:
    """Measure the agreement on any error, and on each kind of error that somebody found.

    Args:
        said: of each reader the judged summaries, each with the kinds of its errors.
        kinds: all kinds, in their order.

    Raises:
        ScoringError: no summary was judged by two readers.
    """
    agreements = _measured(
        said, kinds, lambda errors, kind: [int(bool(errors) if kind == ANY else kind in errors)], by_word=False
    )
    if not agreements:
        raise ScoringError(_NEEDED)
    return agreements


def of_words(said: Mapping[str, Mapping[Any, Mapping[str, Sequence[int]]]], kinds: Iterable[str]) -> list[Agreement]:
    """Measure on which words readers agree: every word of a summary is a unit, and an interval draws whole summaries.

    A reader who found errors, and in no summary said in which words, is left out.

    Args:
        said: of each reader the judged summaries, each with the ratings of its words by kind and `ANY`: 1 where such an
            error is about the word, else 0; `MISSING` where it was found without saying in which words.
        kinds: all kinds, in their order.

    Returns:
        As `of_labels`; [] where no two readers said of the same summary in which words its errors are.
    """
    told = {}
    for who, book in said.items():
        ratings = {rating for words in book.values() for rating in words[ANY]}
        told[who] = {} if MISSING in ratings and 1 not in ratings else book
    return _measured(told, kinds, lambda words, kind: words[kind], by_word=True)


def _measured(
    said: Mapping[str, Mapping[Any, Any]],
    kinds: Iterable[str],
    rate: Callable[[Any, str], Sequence[int]],
    by_word: bool,
) -> list[Agreement]:
    """Measure the agreement of ratings, of which a summary has one or, by word, many."""
    every = dict.fromkeys(unit for book in said.values() for unit in book)
    units = [unit for unit in every if sum(unit in book for book in said.values()) > 1]
    measured: list[Agreement] = []
    for kind in (ANY, *kinds) if units else ():
        parts = []
        for unit in units:
            rated = [rate(book[unit], kind) if unit in book else None for book in said.values()]
            none = [MISSING] * max(len(each) for each in rated if each is not None)
            parts.append(np.array([none if each is None else each for each in rated], dtype=np.int64))
        ratings = np.concatenate(parts, axis=1)
        of = np.repeat(np.arange(len(units)), [part.shape[1] for part in parts])
        twice = (ratings != MISSING).sum(axis=0) > 1
        ratings, of = ratings[:, twice], of[twice]
        if not twice.any() and kind == ANY:
            return []
        if kind != ANY and not (ratings == 1).any():
            continue
        value, low, high = coefficient(ratings, of=of if by_word else None)
        most, least = ratings.max(axis=0), np.where(ratings == MISSING, 2, ratings).min(axis=0)
        differ = tuple(units[place] for place in np.unique(of[most != least]))
        found = tuple(int(each) for each in (ratings == 1).sum(axis=1))
        words = len(of) if by_word else None
        measured.append(Agreement(kind, len(units), found, share(ratings), value, low, high, differ, words))
    return measured


def share(ratings: Ratings) -> float:
    """Return the part of the pairs of judgements that agree; see `coefficient`."""
    table = _tables(ratings, len(ratings) == 2).sum(axis=0)
    return float(np.trace(table) / table.sum())


def coefficient(
    ratings: Ratings, resamples: int = RESAMPLES, of: Ratings | None = None
) -> tuple[float | None, float | None, float | None]:
    """Return kappa of two readers, alpha of more, and the ends of its 95 % bootstrap interval.

    Args:
        ratings: [A, U], categories from 0, `MISSING` where there is none.
        resamples: B.
        of: [U], the number of the summary that a unit is part of: what is drawn are summaries. None: units are drawn.

    Returns:
        Value, low and high; None where the value is not defined because only one category was used, or where there are
        fewer than `FEWEST` summaries. Resamples without a value are left out.

    Raises:
        ScoringError: fewer than two readers, or no summary that two of them judged.
    """
    twice = (ratings != MISSING).sum(axis=0) > 1
    if len(ratings) < 2 or not twice.any():
        raise ScoringError(_NEEDED)
    two = len(ratings) == 2
    if of is None:
        patterns, counts = np.unique(ratings[:, twice], axis=1, return_counts=True)  # many summaries were read alike
        tables = _tables(patterns, two)
    else:
        summaries, places = np.unique(of[twice], return_inverse=True)
        unit_tables = _tables(ratings[:, twice], two)
        tables, counts = np.zeros((len(summaries), *unit_tables.shape[1:])), np.ones(len(summaries), dtype=np.int64)
        np.add.at(tables, places, unit_tables)
    measure = _kappa if two else _alpha
    value = float(measure(np.tensordot(counts, tables, 1)))
    if np.isnan(value):
        return None, None, None
    if counts.sum() < FEWEST:
        return value, None, None
    drawn = np.random.default_rng(0).multinomial(counts.sum(), counts / counts.sum(), resamples)
    low, high = np.nanpercentile(measure(np.tensordot(drawn, tables, 1)), (2.5, 97.5))
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
    marginals = tables.sum(axis=-1)
    all_ = marginals.sum(axis=-1)
    expected = (all_**2 - (marginals**2).sum(axis=-1)) / (all_ - 1)
    observed = all_ - np.trace(tables, axis1=-2, axis2=-1)
    return _ratio(expected - observed, expected)


def _ratio(top: Numbers, below: Numbers) -> Numbers:
    quotient: Numbers = np.divide(top, below, out=np.full_like(below, np.nan, dtype=np.float64), where=below > 1e-12)
    return quotient
