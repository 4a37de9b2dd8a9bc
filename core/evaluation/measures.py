"""The measures and slices of evaluated rows, computed once a row; shares are in percent."""

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

from core.evaluation.rows import ScoredSummary
from core.explain.shared.repetition import words_of
from core.faults.alignment import Alignment, align, support
from core.faults.source import Source
from core.scoring.bootstrap import Interval, mean_interval
from core.text.dialogue import Dialogue, parse_dialogue
from core.words import later

Rows = Mapping[int, ScoredSummary]
"""Rows by their place in the data."""


@dataclass(frozen=True)
class Read:
    """A row, and what is read in it once for all measures and slices."""

    row: ScoredSummary

    @cached_property
    def dialogue(self) -> Dialogue:
        """The turns."""
        return parse_dialogue(self.row.dialogue)

    @cached_property
    def alignment(self) -> Alignment:
        """The alignment of the summary with the dialogue."""
        return align(Source(self.dialogue), self.row.summary)

    @cached_property
    def words(self) -> int:
        """Number of words of the turns."""
        return sum(len(words_of(turn.text)) for turn in self.dialogue.turns)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a row: its name, the function that computes it or returns None, unit and decimals.

    Name and unit are marked with `later`. A unit of "%" means a share of 1, to be shown times 100.
    """

    label: str
    of: Callable[[Read], float | None]
    unit: str = ""
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Slice:
    """A way to group rows: its name, the group of a row, and the order of the groups (else by size).

    The name is marked with `later`, and so are the groups that have an order.
    """

    label: str
    of: Callable[[Read], str | None]
    order: tuple[str, ...] = ()


def key_turn(read: Read) -> int | None:
    """Return the turn with the largest overlap with the first reference, by weighted content words, or None."""
    if not read.row.references:
        return None
    source = read.alignment.source
    best = support(source, source.read(read.row.references[0]), limit=1)
    return best[0].turn if best else None


def _score(kind: str, name: str) -> Callable[[Read], float | None]:
    """Return the function that reads a score; None where it was not measured."""
    return lambda read: getattr(getattr(read.row, kind), name, None)


def _novelty(read: Read) -> float | None:
    words = [word for word in read.alignment.words if word.content]
    return sum(not read.alignment.source.has(word) for word in words) / len(words) if words else None


def _coverage(read: Read) -> float | None:
    pairs = zip(read.alignment.coverage, read.alignment.source.stems, strict=True)
    shares = [share for share, stems in pairs if stems]
    return sum(shares) / len(shares) if shares else None


_TURNS = (later("under 6 turns"), later("6 to 9 turns"), later("10 to 14 turns"), later("15 or more turns"))
_LENGTHS = (later("under 80 words"), later("80 to 119 words"), later("120 to 199 words"), later("200 or more words"))
_QUESTIONS = (later("no questions"), later("up to a third"), later("up to two thirds"), later("over two thirds"))
_SPEAKERS = (later("no speakers"), later("1 speaker"), later("2 speakers"), later("3 or more speakers"))
_THIRDS = (later("first third"), later("middle third"), later("last third"))


def _turns_band(read: Read) -> str:
    return _TURNS[bisect((6, 10, 15), len(read.dialogue.turns))]


def _question_band(read: Read) -> str | None:
    turns = read.dialogue.turns
    asking = sum("?" in turn.text or "\uff1f" in turn.text for turn in turns)
    share = asking / len(turns) if turns else 0
    return _QUESTIONS[(share > 0) + (share > 1 / 3) + (share > 2 / 3)] if turns else None


def _key_third(read: Read) -> str | None:
    turn = key_turn(read)
    return None if turn is None else _THIRDS[3 * turn // len(read.dialogue.turns)]


SLICES: Mapping[str, Slice] = {
    "turns": Slice(later("Turns"), _turns_band, _TURNS),
    "speakers": Slice(later("Speakers"), lambda read: _SPEAKERS[min(3, len(read.dialogue.speakers))], _SPEAKERS),
    "length": Slice(later("Length"), lambda read: _LENGTHS[bisect((80, 120, 200), read.words)], _LENGTHS),
    "topic": Slice(later("Topic"), lambda read: read.row.topic.strip().casefold() or None),
    "questions": Slice(later("Questions"), _question_band, _QUESTIONS),
    "key_turn": Slice(later("Key turn"), _key_third, _THIRDS),
}
"""The ways to group rows: by the number of turns, of speakers, of words; by the topic that the data name; by the share
of turns that ask; by the place of the turn that the first reference overlaps most."""

MEASURES: Mapping[str, Measure] = {
    "rouge1": Measure(later("ROUGE-1"), _score("rouge", "rouge1")),
    "rouge2": Measure(later("ROUGE-2"), _score("rouge", "rouge2")),
    "rougeL": Measure(later("ROUGE-L"), _score("rouge", "rougeL")),
    "rougeLsum": Measure(later("ROUGE-Lsum"), _score("rouge", "rougeLsum")),
    "bertscore_precision": Measure(later("BERTScore precision"), _score("bertscore", "precision"), "%"),
    "bertscore_recall": Measure(later("BERTScore recall"), _score("bertscore", "recall"), "%"),
    "bertscore_f1": Measure(later("BERTScore F1"), _score("bertscore", "f1"), "%"),
    "summary_words": Measure(
        later("Summary length"), lambda read: float(len(words_of(read.row.summary))), later("words"), 0
    ),
    "dialogue_words": Measure(later("Dialogue length"), lambda read: float(read.words), later("words"), 0),
    "turns": Measure(later("Turns"), lambda read: float(len(read.dialogue.turns)), digits=0),
    "speakers": Measure(later("Speakers"), lambda read: float(len(read.dialogue.speakers)), digits=0),
    "log_probability": Measure(later("Log-probability"), lambda read: read.row.log_probability, later("nats")),
    "entropy": Measure(later("Entropy"), lambda read: read.row.entropy, later("nats"), 2),
    "novelty": Measure(later("Novelty"), _novelty, "%"),
    "coverage": Measure(later("Coverage"), _coverage, "%"),
}
"""The measures of a row. Novelty is the share of the summary's content words that stand in no turn, coverage the mean
share of a turn's content stems that the summary has, over the turns with content."""


@lru_cache(maxsize=4096)
def _of(row: ScoredSummary) -> tuple[Mapping[str, float | None], Mapping[str, str | None]]:
    """Return all measures and all slices of a row; both read the words of its dialogue, which takes milliseconds."""
    read = Read(row)
    values = {name: measure.of(read) for name, measure in MEASURES.items()}
    for name, number in values.items():
        if number is not None and MEASURES[name].unit == "%":
            values[name] = 100 * number
    return MappingProxyType(values), MappingProxyType({name: each.of(read) for name, each in SLICES.items()})


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
    return tuple(number for row in rows if (number := value(name, row)) is not None)


def group(by: str, row: ScoredSummary) -> str | None:
    """Return the group of a row by one of `SLICES`; None if it has none."""
    return _of(row)[1][by]


def ranked(name: str, rows: Rows, highest_first: bool) -> list[int]:
    """Return the places of some rows by a measure; rows without it come last."""

    def rank(place: int) -> tuple[bool, float]:
        number = value(name, rows[place])
        return number is None, (-1 if highest_first else 1) * (number or 0.0)

    return sorted(rows, key=rank)


@lru_cache(maxsize=256)
def interval(values: tuple[float, ...]) -> Interval:
    """Return the mean of some values with its interval; known values are not resampled again."""
    return mean_interval(values)
