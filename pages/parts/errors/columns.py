"""The measures of summaries: one that is chosen, and the columns of the table of examples with their texts."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import streamlit as st

from core.evaluation.measures import MEASURES, known, value
from core.evaluation.rows import ScoredSummary
from core.figures.errors.corpus import Axis
from core.words import later, say
from pages.parts.errors import labels, rivals
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import one_of, options, select
from pages.shared.session.fields import Choice, Text

SEEN = Text("err_columns", 80, "measures,topic")
"""The optional columns that are seen, with commas between them."""
TEXTS = Choice("err_texts", ("line", "whole"))
FIELDS = (SEEN, TEXTS)
OPTIONAL = {
    "dialogue": later("Dialogue"),
    "reference": later("Reference"),
    "second": later("Second system"),
    "measures": later("Scores"),
    "topic": later("Topic"),
}
COLUMNS = ("turns", "rouge1", "rougeL", "bertscore_f1", "entropy", "novelty", "coverage")
"""Measures that have a column where they are known."""
WIDTH = 340
"""Pixels of a column of texts."""
CHARACTERS, LINE, AROUND = WIDTH // 8, 19, 14
"""Characters of a line of such a column, pixels of a line, and pixels above and below the text."""
TALLEST = 560
"""Pixels of a row at most; the opened row shows longer texts."""


def draw(run: Run) -> Run | None:
    """Draw the choice of the columns; return the second system's summaries if they are seen and there."""
    key = f"{SEEN.name}_choice"
    st.session_state[key] = _seen()
    with options():
        st.pills(
            say("Columns"),
            list(OPTIONAL),
            selection_mode="multi",
            format_func=lambda name: say(OPTIONAL[name]),
            key=key,
            on_change=lambda: _choose(st.session_state[key]),
            width="content",
        )
        one_of(say("Texts"), {"line": say("One line"), "whole": say("Whole")}, TEXTS)
        if "second" in _seen():
            rivals.choose(run, say("Second system"))
    return rivals.chosen(run) if "second" in _seen() else None


def _seen() -> list[str]:
    """Return the optional columns that are seen; a link may name others, which do not exist."""
    return [name for name in OPTIONAL if name in SEEN.value.split(",")]


def _choose(names: Sequence[str]) -> None:
    SEEN.value = ",".join(name for name in OPTIONAL if name in names)


def whole() -> bool:
    """Return whether texts are shown whole, on several lines."""
    return TEXTS.value == "whole"


def of_rows(
    rows: Sequence[ScoredSummary], hinted: Sequence[int], run: Run, other: Run | None
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the columns of some rows by their names in English, and how they are drawn, with their names as said.

    Args:
        rows: to be shown.
        hinted: number of hints of each.
        run: which they are of.
        other: a second system's summaries of the same dialogues.
    """
    seen, there = _seen(), known(run.rows)
    titles = {OPTIONAL[name] for name in seen}
    values: dict[str, list[Any]] = {later("Id"): [row.id for row in rows], later("Hints"): [*hinted]}
    texts = {
        later("Summary"): [row.summary for row in rows],
        "Reference": [" / ".join(row.references) for row in rows],
        "Second system": _second(rows, other),
        "Dialogue": [row.dialogue for row in rows],
    }
    values |= {title: each for title, each in texts.items() if title == "Summary" or title in titles}
    config: dict[str, Any] = {title: st.column_config.TextColumn(say(title), width=WIDTH) for title in texts}
    for measure in (each for each in COLUMNS if each in there and "measures" in seen):
        title = axis(measure).title
        values[title] = [value(measure, row) for row in rows]
        config[title] = st.column_config.NumberColumn(format=f"%.{MEASURES[measure].digits}f")
    entries = [str(labels.entry(row)) for row in rows]
    if any(entries):
        values[later("Labels")] = [*entries]
    if "topic" in seen and any(row.topic for row in rows):
        values["Topic"] = [row.topic for row in rows]
    plain = {title: say(title) for title in ("Id", "Hints", "Labels", "Topic")}
    return values, {title: each for title, each in (plain | config).items() if title in values}


def _second(rows: Sequence[ScoredSummary], other: Run | None) -> list[str]:
    texts: Mapping[str, str] = {row.id: row.summary for row in other.rows.values()} if other else {}
    return [texts.get(row.id, "") for row in rows]


def second(run: Run, row: ScoredSummary) -> dict[str, str]:
    """Return the second system's summary of a row's dialogue by its name, if that column is seen."""
    other = rivals.known(run) if "second" in _seen() else None
    texts = _second([row], other)
    return {other.name: texts[0]} if other and texts[0] else {}


def row_height(values: Mapping[str, Sequence[Any]]) -> int:
    """Return the pixels of a row in which the longest text has room; a table shows no line ends."""
    texts = [text for name in ("Summary", "Reference", "Second system", "Dialogue") for text in values.get(name, ())]
    return min(TALLEST, AROUND + LINE * ceil(max(map(len, texts), default=1) / CHARACTERS))


def axis(name: str) -> Axis:
    """Return name and unit of a measure."""
    return Axis(say(MEASURES[name].label), say(MEASURES[name].unit) if MEASURES[name].unit else "")


def choose_measure(text: str, field: Text, run: Run, width: int = 240) -> str:
    """Draw the choice of one of the measures that the run has."""
    names = known(run.rows)
    usual = next((name for name in (field.default, "rouge1", "coverage") if name in names), names[0])
    field.fit(names, say("measure"), usual)
    return str(select(text, {name: say(MEASURES[name].label) for name in names}, field, width=width))
