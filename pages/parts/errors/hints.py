"""The hints of a run: which detectors are on, and how often they were right."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Entry, same, subject
from core.faults import measure
from core.faults.detectors import DETECTORS
from core.faults.fault import Fault, Kind
from core.figures.errors import detectors as figures
from core.words import say
from pages.parts.errors import asking, labels
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import options
from pages.shared.session import notices, option_labels
from pages.shared.teaching import projector

ROW = 35
"""Pixels of a row of the table."""
SWITCHES, OFF = "detector_switches", "err_off"
"""Session keys: the switches, and the detectors that are off."""


def draw(run: Run) -> None:
    """Draw every detector with its numbers and a switch."""
    measurement = measure.known()
    every_kind = list(DETECTORS)
    off = turned_off()
    counts = Counter(kind for hints in every_row(run).values() for kind in {hint.kind for hint in hints})
    option_labels.follow(SWITCHES, {kind: say(DETECTORS[kind].label) for kind in every_kind})
    with options():
        st.pills(
            say("Detectors that are on"),
            every_kind,
            selection_mode="multi",
            default=[kind for kind in every_kind if kind not in off],
            format_func=lambda kind: say(DETECTORS[kind].label),
            key=SWITCHES,
            on_change=_switch,
        )
    table = figures.table(measurement, off, counts)
    rows = len(every_kind) + 1
    tall = projector.tallest() if projector.on() else None
    st.container(key="errors_hints").dataframe(
        table,
        hide_index=True,
        height=tall or 3 + ROW * rows,
        row_height=tall // (rows + 1) if tall else ROW,
        column_config={heading: say(heading) for heading in table},
        alt=say("Every detector, how often it hinted here, and how often it was right"),
    )
    st.markdown(
        say(
            "A detector only says where to look. **Precision** is the share of its hinted summaries in which a "
            "language model that read them found such an error, to be compared with the **base rate**, the share "
            "among all summaries. A detector that was not better than that is off."
        )
    )
    if measurement:
        measured = say(
            "Measured on {count} summaries of the weights {weights} ({data}), which were read and labelled by a "
            "language model, not by people; another model makes other errors.",
            count=measurement.count,
            weights=measurement.checkpoint[:12],
            data=notices.literal(measurement.data),
        )
        st.caption(f"{measured} {figures.at_chance(measurement)}")
    swaps = say(
        "Swaps wait until they are asked for, because the model has to score a summary again and again: ask about one "
        "in its detail below, or about many under Examples."
    )
    st.caption(f"{figures.unmeasured()} {swaps}")


def names() -> dict[str, tuple[str, str]]:
    """Return for each kind of hint its name, and how often it was right."""
    return figures.names(measure.known())


def of_row(run: Run, place: int) -> list[Fault]:
    """Return the hints of a row whose detectors are on."""
    off = turned_off()
    return [hint for hint in every(run, place) if hint.kind not in off]


def of_rows(run: Run) -> dict[int, list[Fault]]:
    """Return the hints of all rows whose detectors are on, by place; the session is asked once for all."""
    off = turned_off()
    hinted = every_row(run)
    return {place: [hint for hint in hints if hint.kind not in off] for place, hints in hinted.items()}


def every(run: Run, place: int) -> list[Fault]:
    """Return all hints of a row: of detectors that are off, too, of the model, and those that were judged."""
    row = run.rows[place]
    return _together(row, asking.answers(run).get(place, ()), labels.entry(row))


def every_row(run: Run) -> dict[int, list[Fault]]:
    """Return all hints of all rows, by place."""
    answers, book, none = asking.answers(run), labels.book(), Entry()
    return {
        place: _together(row, answers.get(place, ()), book.get(subject(row), none)) for place, row in run.rows.items()
    }


def _together(row: ScoredSummary, answers: Iterable[Fault], said: Entry) -> list[Fault]:
    hints = list(row.faults)
    for hint in (*answers, *said.verdicts):
        if not any(same(hint, other) for other in hints):
            hints.append(hint)
    return hints


def kinds(found: Mapping[int, Sequence[Fault]]) -> set[Kind]:
    """Return the kinds of hints that at least one row has."""
    return {hint.kind for hints in found.values() for hint in hints}


def turned_off() -> frozenset[Kind]:
    """Return the detectors that are off."""
    if OFF not in st.session_state:
        measurement = measure.known()
        st.session_state[OFF] = measurement.off if measurement else frozenset()
    return st.session_state[OFF]  # type: ignore[no-any-return]


def _switch() -> None:
    st.session_state[OFF] = frozenset(DETECTORS) - frozenset(st.session_state[SWITCHES])
