"""The hints of a run: which detectors are on, how often they were right, and what our model answers to swaps."""

from collections import Counter
from functools import cache

import streamlit as st

from core.errors import CorpusError
from core.evaluation.verdicts import same
from core.faults import measure
from core.faults.detectors import DETECTORS
from core.faults.fault import Fault, Kind
from core.figures import detectors as figures
from pages.parts.errors import labels
from pages.parts.errors.summaries import Run
from pages.shared.frame import loading, notices

SWITCHES, OFF, SWAPS = "detector_switches", "err_off", "err_swaps"
"""Session keys: the switches, the detectors that are off, and what the model answered to swaps."""
MOST_ASKED = 1000
"""Summaries whose swaps a session keeps."""


def draw(run: Run) -> None:
    """Draw every detector with its numbers and a switch."""
    st.markdown(
        "A detector only says where to look. **Precision** is the share of its hinted summaries in which a person "
        "found such an error, to be compared with the **base rate**, the share among all summaries. A detector that "
        "was not better than that is off."
    )
    found = shipped()
    if found:
        st.caption(
            f"Measured on {found.count} hand-labelled summaries of the weights {found.checkpoint[:12]} "
            f"({notices.literal(found.data)}); another model makes other errors. "
            f"{figures.at_chance(found)}"
        )
    every_kind = list(DETECTORS)
    off = turned_off()
    counts = Counter(kind for place in run.rows for kind in {hint.kind for hint in every(run, place)})
    st.pills(
        "Detectors that are on",
        every_kind,
        selection_mode="multi",
        default=[kind for kind in every_kind if kind not in off],
        format_func=lambda kind: DETECTORS[kind].label,
        key=SWITCHES,
        on_change=_switch,
    )
    st.container(key="errors_hints").dataframe(
        figures.table(found, off, counts),
        hide_index=True,
        height=38 + 35 * len(every_kind),
        alt="Every detector, how often it hinted here, and how often it was right",
    )
    st.caption(
        f"{figures.UNMEASURED} Swaps are asked for one summary at a time, in its detail below, because the model has "
        "to score it again and again."
    )


def names() -> dict[str, tuple[str, str]]:
    """Return for each kind of hint its name, and how often it was right."""
    return figures.names(shipped())


def of_row(run: Run, place: int) -> list[Fault]:
    """Return the hints of a row whose detectors are on."""
    off = turned_off()
    return [hint for hint in every(run, place) if hint.kind not in off]


def every(run: Run, place: int) -> list[Fault]:
    """Return all hints of a row: of detectors that are off, too, of the model, and those that were judged."""
    row = run.rows[place]
    found = list(row.faults)
    for hint in (*_swaps().get((run.key, place), ()), *labels.entry(row).verdicts):
        if not any(same(hint, each) for each in found):
            found.append(hint)
    return found


def kinds(run: Run) -> set[Kind]:
    """Return the kinds of hints that at least one row has."""
    return {hint.kind for place in run.rows for hint in of_row(run, place)}


def turned_off() -> frozenset[Kind]:
    """Return the detectors that are off."""
    found = shipped()
    return st.session_state.setdefault(OFF, found.off if found else frozenset())  # type: ignore[no-any-return]


def asked(run: Run, place: int) -> bool:
    """Return whether the model was asked about swaps in a row."""
    own = any(hint.kind.endswith("_swap") for hint in run.rows[place].faults)
    return own or (run.key, place) in _swaps()


def ask(run: Run, place: int) -> None:
    """Ask the model of the sidebar about swaps in a row; for a callback."""
    from core.faults.swaps import swap_faults

    def put() -> None:
        summarizer = run.summarizer or loading.current_job().summarizer
        if summarizer is None:
            raise CorpusError("the model is still loading. Try again in a moment")
        row, kept = run.rows[place], _swaps()
        kept[(run.key, place)] = swap_faults(summarizer, summarizer.encode(row.dialogue), row.summary)
        while len(kept) > MOST_ASKED:
            kept.pop(next(iter(kept)))

    notices.attempt(put)


def _swaps() -> dict[tuple[object, int], tuple[Fault, ...]]:
    return st.session_state.setdefault(SWAPS, {})  # type: ignore[no-any-return]


@cache
def shipped() -> measure.Measured | None:
    """Return how the detectors did on the labelled set; None where it is missing or damaged."""
    try:
        return measure.shipped()
    except CorpusError:
        return None


def _switch() -> None:
    st.session_state[OFF] = frozenset(DETECTORS) - frozenset(st.session_state[SWITCHES])
