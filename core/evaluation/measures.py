"""The measures and slices of evaluated rows, computed once a row; shares are in percent."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from core.evaluation.rows import ScoredSummary
from core.faults import slices
from core.faults.slices import MEASURES, SLICES
from core.scoring.bootstrap import Interval, mean_interval
from core.text.dialogue import parse_dialogue

Rows = Mapping[int, ScoredSummary]
"""Rows by their place in the data."""


@lru_cache(maxsize=4096)
def _of(row: ScoredSummary) -> tuple[Mapping[str, float | None], Mapping[str, str | None]]:
    """Return all measures and all slices of a row; both read the words of its dialogue, which takes milliseconds."""
    scores = (row.rouge, row.bertscore, row.log_probability, row.entropy)
    full = slices.Row(parse_dialogue(row.dialogue), row.references, row.summary, row.topic, *scores)
    values = {name: measure.of(full) for name, measure in MEASURES.items()}
    for name, found in values.items():
        if found is not None and MEASURES[name].unit == "%":
            values[name] = 100 * found
    return MappingProxyType(values), MappingProxyType({name: each.of(full) for name, each in SLICES.items()})


def value(name: str, row: ScoredSummary) -> float | None:
    """Return a measure of a row; None if the row has none."""
    return _of(row)[0][name]


def known(rows: Rows) -> list[str]:
    """Return the measures that at least one row has."""
    return [name for name in MEASURES if any(value(name, row) is not None for row in rows.values())]


def having(rows: Rows, *names: str) -> dict[int, ScoredSummary]:
    """Return the rows that have all these measures."""
    return {place: row for place, row in rows.items() if all(value(name, row) is not None for name in names)}


def values(name: str, rows: Iterable[ScoredSummary]) -> tuple[float, ...]:
    """Return a measure of the rows that have it."""
    return tuple(found for row in rows if (found := value(name, row)) is not None)


def groups(by: str, rows: Rows) -> list[tuple[str, list[int]]]:
    """Return the slices of some rows: name, and places of the rows."""
    places = list(rows)
    found = slices.grouped(by, [_of(row)[1][by] for row in rows.values()])
    return [(each.label, [places[member] for member in each.members]) for each in found]


def ranked(name: str, rows: Rows, highest_first: bool) -> list[int]:
    """Return the places of some rows by a measure; rows without it come last."""

    def rank(place: int) -> tuple[bool, float]:
        found = value(name, rows[place])
        return found is None, (-1 if highest_first else 1) * (found or 0.0)

    return sorted(rows, key=rank)


@lru_cache(maxsize=256)
def interval(values: tuple[float, ...]) -> Interval:
    """Return the mean of some values with its interval; known values are not resampled again."""
    return mean_interval(values)
