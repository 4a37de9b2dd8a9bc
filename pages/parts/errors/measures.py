"""The numbers of the summaries: how each is called, shown and averaged."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from types import MappingProxyType

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.faults import slices
from core.figures.corpus import Axis
from core.figures.wording import number as decimals
from core.scoring.bootstrap import mean_interval
from core.text.dialogue import parse_dialogue
from pages.parts.errors import hints
from pages.parts.errors.runs import Run
from pages.shared.state import Key

FINE = ("bertscore_precision", "bertscore_recall", "bertscore_f1", "novelty", "coverage")
"""Measures from 0 to 1, shown in percent."""
WHOLE = ("summary_words", "dialogue_words", "turns", "speakers")
UNITS = {"log_probability": "nats", "entropy": "nats", "summary_words": "words", "dialogue_words": "words"}
COLUMNS = ("turns", "rouge1", "rougeL", "bertscore_f1", "entropy", "novelty", "coverage")
"""Measures that the table of examples shows where they are known."""
SCORES = ("rouge1", "rouge2", "rougeL", "bertscore_f1")


@lru_cache(maxsize=4096)
def _of(row: ScoredSummary) -> tuple[Mapping[str, float | None], Mapping[str, str | None]]:
    """All measures and all slices of a row; both read the words of its dialogue, which takes milliseconds."""
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
    """A measure of a row, shares in percent; None where it has none."""
    return _of(row)[0][name]


def number(name: str, row: ScoredSummary) -> float:
    """A measure that a row has."""
    found = value(name, row)
    return 0.0 if found is None else found


def label(name: str) -> str:
    """What a measure is called."""
    return slices.MEASURES[name].label


def title(name: str) -> str:
    """What a measure is called above a column."""
    return axis(name).title


def axis(name: str) -> Axis:
    """Name and unit of a measure."""
    return Axis(label(name), "%" if name in FINE else UNITS.get(name, ""))


def form(name: str) -> str:
    """How a column of a measure is printed."""
    return "%d" if name in WHOLE else "%.1f" if name not in ("entropy",) else "%.2f"


def known(run: Run) -> list[str]:
    """The measures that at least one row has."""
    rows = run.rows.values()
    return [name for name in slices.MEASURES if any(value(name, row) is not None for row in rows)]


def shown(run: Run) -> list[str]:
    """The measures that the table of examples shows."""
    have = known(run)
    return [name for name in COLUMNS if name in have]


def choose(text: str, key: Key, names: Sequence[str]) -> str:
    """Let somebody choose one of some measures."""
    if st.session_state[key] not in names:
        st.session_state[key] = next((name for name in ("rouge1", "coverage") if name in names), names[0])
    return str(
        st.selectbox(text, list(names), format_func=label, key=key, persist_state="session", width=240)
    )


def groups(by: str, rows: Mapping[int, ScoredSummary]) -> list[tuple[str, list[int]]]:
    """The parts of some rows, named, with the places of their rows."""
    places = list(rows)
    found = slices.grouped(by, [_of(row)[1][by] for row in rows.values()])
    return [(each.label, [places[member] for member in each.members]) for each in found]


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean of some values and the ends of its 95 % interval."""
    return _interval(tuple(values))


@lru_cache(maxsize=256)
def _interval(values: tuple[float, ...]) -> tuple[float, float, float]:
    found = mean_interval(values)
    return found.mean, found.low, found.high


def mean(values: Sequence[float]) -> float:
    """The mean of some values; 0 of none."""
    return fmean(values) if values else 0.0


def overview(run: Run) -> None:
    """The means of the run, with intervals."""
    rows = list(run.rows.values())
    cells = []
    for name in SCORES:
        values = [found for row in rows if (found := value(name, row)) is not None]
        if values:
            middle, low, high = interval(values)
            cells.append((label(name), decimals(middle), f"{decimals(low)} to {decimals(high)}"))
    hinted = sum(bool(hints.of_row(run, place)) for place in run.rows)
    with st.container(horizontal=True, key="errors_overview"):
        st.metric("Summaries", f"{len(rows):,}", width="content")
        for name, middle, between in cells:
            st.metric(name, middle, between, delta_color="off", delta_arrow="off", width="content",
                      help="Mean, and its 95 % interval: the dialogues are resampled.")  # fmt: skip
        st.metric("With a hint", f"{hinted:,}", width="content")
    st.caption(f"Written by {run.name}." + ("" if cells else " These dialogues have no references, so no scores."))
