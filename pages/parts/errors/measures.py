"""The measures of the summaries: their names, formats and means."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from types import MappingProxyType

from core.evaluation.rows import ScoredSummary
from core.faults import slices
from core.figures.corpus import Axis
from core.scoring.bootstrap import mean_interval
from core.text.dialogue import parse_dialogue
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import select
from pages.shared.frame.fields import Text

FINE = ("bertscore_precision", "bertscore_recall", "bertscore_f1", "novelty", "coverage")
"""Measures from 0 to 1, shown in percent."""
WHOLE = ("summary_words", "dialogue_words", "turns", "speakers")
UNITS = {"log_probability": "nats", "entropy": "nats", "summary_words": "words", "dialogue_words": "words"}
COLUMNS = ("turns", "rouge1", "rougeL", "bertscore_f1", "entropy", "novelty", "coverage")
"""Measures that the table of examples shows where they are known."""


@lru_cache(maxsize=4096)
def _of(row: ScoredSummary) -> tuple[Mapping[str, float | None], Mapping[str, str | None]]:
    """Return all measures and all slices of a row; both read the words of its dialogue, which takes milliseconds."""
    full = slices.Row(
        parse_dialogue(row.dialogue),
        row.references,
        row.summary,
        row.topic,
        row.rouge,
        row.bertscore,
        row.log_probability,
        row.entropy,
    )
    values = {name: measure.of(full) for name, measure in slices.MEASURES.items()}
    for name in FINE:
        found = values[name]
        values[name] = None if found is None else 100 * found
    return MappingProxyType(values), MappingProxyType({name: each.of(full) for name, each in slices.SLICES.items()})


def value(name: str, row: ScoredSummary) -> float | None:
    """Return a measure of a row, shares in percent; None if the row has none."""
    return _of(row)[0][name]


def number(name: str, row: ScoredSummary) -> float:
    """Return a measure that a row has."""
    found = value(name, row)
    return 0.0 if found is None else found


def label(name: str) -> str:
    """Return the name of a measure."""
    return slices.MEASURES[name].label


def title(name: str) -> str:
    """Return name and unit of a measure, as the title of a column."""
    return axis(name).title


def axis(name: str) -> Axis:
    """Return name and unit of a measure."""
    return Axis(label(name), "%" if name in FINE else UNITS.get(name, ""))


def form(name: str) -> str:
    """Return the number format of a column."""
    return "%d" if name in WHOLE else "%.2f" if name == "entropy" else "%.1f"


def known(run: Run) -> list[str]:
    """Return the measures that at least one row has."""
    rows = run.rows.values()
    return [name for name in slices.MEASURES if any(value(name, row) is not None for row in rows)]


def shown(run: Run) -> list[str]:
    """Return the measures that the table of examples shows."""
    have = known(run)
    return [name for name in COLUMNS if name in have]


def choose(text: str, field: Text, run: Run) -> str:
    """Draw the choice of one of the measures that the run has."""
    names = known(run)
    field.fit(
        names, "measure", next((name for name in (field.default, "rouge1", "coverage") if name in names), names[0])
    )
    return str(select(text, {name: label(name) for name in names}, field, width=240))


def groups(by: str, rows: Mapping[int, ScoredSummary]) -> list[tuple[str, list[int]]]:
    """Return the slices of some rows: name, and places of the rows."""
    places = list(rows)
    found = slices.grouped(by, [_of(row)[1][by] for row in rows.values()])
    return [(each.label, [places[member] for member in each.members]) for each in found]


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of some values and the ends of its 95 % interval."""
    return _interval(tuple(values))


@lru_cache(maxsize=256)
def _interval(values: tuple[float, ...]) -> tuple[float, float, float]:
    found = mean_interval(values)
    return found.mean, found.low, found.high


def mean(values: Sequence[float]) -> float:
    """Return the mean of some values; 0 of none."""
    return fmean(values) if values else 0.0
