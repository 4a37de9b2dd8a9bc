"""Slices: rows in groups by what data, hints, labels and scores say, and by any two of these crossed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from core.errors import SettingsError
from core.evaluation.measures import MEASURES, SLICES, Rows, group, having, interval, known, values
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Book, Entry, subject, tag_name
from core.faults.detectors import DETECTORS
from core.faults.fault import Fault
from core.scoring.bootstrap import Interval
from core.words import first_few, later, say

MOST_VALUES, MOST_CROSSED = 10, 24
"""Groups of the values that most rows have, and of two ways crossed; all others share one."""
FEWEST = 5
"""Rows of a slice that get an interval: of fewer a bootstrap says nothing."""
OTHER_TOPICS, OTHERS, NONE = later("other topics"), later("all others"), later("no value")
ONCE = later("a value that no other row has")
COLUMN, BAND, CROSS = "column:", "band:", "*"
LABELS = {"hint": later("Hints"), "tag": later("Tags"), "judged": later("Judged")}
_JUDGED = (later("judged, no error"), later("judged, with an error"), later("not judged"))
Groups = list[tuple[str, list[int]]]
"""Names of groups, said, each with the places of its rows."""


@dataclass(frozen=True)
class Sliced:
    """What rows are grouped by.

    Args:
        rows: by place.
        hints: of the rows by place; without them those of the rows themselves.
        book: labels.
    """

    rows: Rows
    hints: Mapping[int, Sequence[Fault]] = field(default_factory=dict)
    book: Book = field(default_factory=dict)

    def ways(self) -> dict[str, str]:
        """Return the ways to group the rows, with their names as said."""
        fixed = {name: say(each.label) for name, each in SLICES.items()} | {k: say(v) for k, v in LABELS.items()}
        bands = {f"{BAND}{name}": say("{measure}, in quarters", measure=say(MEASURES[name].label))
                 for name in known(self.rows)}  # fmt: skip
        own = dict.fromkeys(name for row in self.rows.values() for name, _ in row.columns)
        return fixed | {f"{COLUMN}{name}": say("column “{name}”", name=name) for name in own} | bands

    def find(self, by: str) -> str:
        """Return a way, or two crossed, from what somebody typed: `channel*turns`; raises SettingsError."""
        ways, bands = self.ways(), dict.fromkeys(f"{BAND}{name}" for name in MEASURES)  # rows may get scores later
        names = []
        for part in (way.strip() for way in by.split(CROSS)):
            name = next((name for name in (part, f"{COLUMN}{part}", f"{BAND}{part}") if name in (ways | bands)), None)
            if name is None:
                raise SettingsError(
                    "there are no slices by {got}. Allowed, and two of them with {cross} between: {allowed}",
                    got=repr(part[:60]), cross=CROSS, allowed=first_few(ways, 40),
                )  # fmt: skip
            names.append(name)
        if len(names) > 2:
            raise SettingsError("two ways can be crossed. Received: {count}", count=len(names))
        return CROSS.join(names)

    def groups(self, by: str, and_by: str = "") -> Groups:
        """Return the rows in groups by a way, or by two crossed; a row may be in several, or in none.

        Args:
            by: one of `ways`, or two with `CROSS` between them.
            and_by: another one, or "".
        """
        if not and_by and CROSS in by and by not in self.ways():
            by, _, and_by = by.partition(CROSS)
        first = self._groups(by)
        if not and_by or and_by == by:
            return first
        second = [(name, frozenset(places)) for name, places in self._groups(and_by)]
        crossed = [(f"{one} · {two}", [each for each in places if each in others])
                   for one, places in first for two, others in second]  # fmt: skip
        return _largest([each for each in crossed if each[1]], MOST_CROSSED, OTHERS)

    def _groups(self, by: str) -> Groups:
        kind, _, name = by.partition(":")
        if by in SLICES:
            places = self._collect(lambda place, row: [group(by, row)] if group(by, row) is not None else [])
            if order := SLICES[by].order:
                return [(say(label), places[label]) for label in order if label in places]
            return _largest(_by_size(places), MOST_VALUES, OTHER_TOPICS)
        if kind == "band":
            return self._bands({place: values(name, [row])[0] for place, row in having(self.rows, name).items()})
        if kind == "column":
            return self._column(name)
        places = self._collect(self._labelled(by))
        if by == "judged":
            return [(say(label), places[label]) for label in _JUDGED if label in places]
        return _by_size(places)

    def _labelled(self, by: str) -> Callable[[int, ScoredSummary], Iterable[str]]:
        """Return what gives the groups of a row by its hints, its tags, or whether it is judged."""

        def of(place: int, row: ScoredSummary) -> Iterable[str]:
            if by == "hint":
                kinds = dict.fromkeys(each.kind for each in self.hints.get(place, row.faults))
                return [say(DETECTORS[kind].label) for kind in kinds] or [say("no hint")]
            entry = self.book.get(subject(row), Entry())
            if by == "tag":
                return [tag_name(each) for each in entry.tags] or [say("no tag")]
            wrong = bool(entry.tags) or "right" in entry.verdicts.values()
            return [_JUDGED[1 if wrong else 0] if entry.decided else _JUDGED[2]]

        return of

    def _collect(self, of: Callable[[int, ScoredSummary], Iterable[str | None]]) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, row in self.rows.items():
            for name in of(place, row):
                if name is not None:
                    places.setdefault(name, []).append(place)
        return places

    def _column(self, name: str) -> Groups:
        """Return groups by the values of an own column: many numbers in quarters, the commonest of many texts."""
        cells = {place: value for place, row in self.rows.items() if (value := dict(row.columns).get(name)) is not None}
        missing = [place for place in self.rows if place not in cells]
        others: Groups = [(say(NONE), missing)] if missing else []
        numbers = {place: number for place, cell in cells.items() if (number := _number(cell)) is not None}
        if len(numbers) == len(cells) and len(set(numbers.values())) > MOST_VALUES:
            return [*self._bands(numbers), *others]
        texts = _by_size(self._collect(lambda place, row: [cells[place]] if place in cells else []))
        if len(texts) == len(cells) > MOST_VALUES:
            return [(say(ONCE), list(cells)), *others]
        return [*_largest(texts, MOST_VALUES, OTHERS), *others]

    def _bands(self, numbers: Mapping[int, float]) -> Groups:
        """Return the quarters of some numbers, lowest first; equal numbers are in one."""
        if not numbers:
            return []
        ends = sorted({float(quantile) for quantile in np.quantile(list(numbers.values()), (0.25, 0.5, 0.75))})
        bands: dict[int, list[int]] = {}
        for place, number in numbers.items():
            bands.setdefault(sum(number > quantile for quantile in ends), []).append(place)
        shown = []
        for band in sorted(bands):
            low, high = (f"{end([numbers[place] for place in bands[band]]):.4g}" for end in (min, max))
            shown.append((low if low == high else say("{low} to {high}", low=low, high=high), bands[band]))
        return shown


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure over a slice: its name, the places of its rows that have it, and the interval."""

    name: str
    places: tuple[int, ...]
    interval: Interval

    @property
    def ends(self) -> tuple[float, float] | tuple[None, None]:
        """Return the ends of the 95 % interval; none of fewer than `FEWEST` rows."""
        return (self.interval.low, self.interval.high) if len(self.places) >= FEWEST else (None, None)


def means(groups: Groups, rows: Rows, measure: str) -> list[Mean]:
    """Return the mean of a measure in each group that has a row with it."""
    there = having(rows, measure)
    kept = ((name, tuple(place for place in places if place in there)) for name, places in groups)
    return [
        Mean(name, places, interval(values(measure, [there[place] for place in places])))
        for name, places in kept
        if places
    ]


def _by_size(groups: Mapping[str, list[int]]) -> Groups:
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def _largest(groups: Groups, most: int, others: str) -> Groups:
    """Return at most so many groups in their order, the largest ones, and one of all other rows."""
    if len(groups) <= most:
        return groups
    kept = {name for name, _ in _by_size(dict(groups))[:most]}
    rest = sorted({place for name, places in groups if name not in kept for place in places})
    return [*(each for each in groups if each[0] in kept), (say(others), rest)]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
