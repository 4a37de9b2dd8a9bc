"""The hints of a run: which detectors are on, how often they were right, and what our model says to swaps."""

from collections import Counter
from collections.abc import Mapping
from functools import cache

import streamlit as st

from core.errors import CorpusError, DialoscopeError
from core.faults import measure
from core.faults.detectors import DETECTORS
from core.faults.fault import Fault, Kind
from core.faults.measure import Score
from core.figures.wording import listed, percent
from pages.parts.errors.runs import Run
from pages.shared import errors, state
from pages.shared.state import Key

SWITCHES = "detector_switches"
NEEDS = {
    "references": "a reference",
    "tokens": "our model's tokens",
    "attention": "our model's attention",
    "model": "our model",
}
MOST_ASKED = 1000
"""Summaries whose swaps a session keeps."""


def draw(run: Run) -> None:
    """Draw the view: every detector with its numbers and a switch."""
    st.markdown(
        "A detector only says where to look. **Precision** is the share of its hinted summaries in which a person "
        "found such an error, to be compared with the **base rate**, the share among all summaries. A detector that "
        "was not better than that is off."
    )
    found = shipped()
    if found:
        st.caption(
            f"Measured on {found.count} hand-labelled summaries of the weights {found.checkpoint[:12]} "
            f"({errors.literal(found.data)}); another model makes other errors. "
            f"{_at_chance(found)}"
        )
    kinds = list(DETECTORS)
    off = turned_off()
    counts = Counter(kind for place in run.rows for kind in {fault.kind for fault in every(run, place)})
    scores = _scores()
    st.pills(
        "Detectors that are on",
        kinds,
        selection_mode="multi",
        default=[kind for kind in kinds if kind not in off],
        format_func=lambda kind: DETECTORS[kind].label,
        key=SWITCHES,
        on_change=_switch,
    )
    st.dataframe(
        {
            "On": [kind not in off for kind in kinds],
            "Hint": [DETECTORS[kind].label for kind in kinds],
            "Summaries here": [counts[kind] for kind in kinds],
            "Precision": [_ratio(scores.get(kind), "precision") for kind in kinds],
            "Recall": [_ratio(scores.get(kind), "recall") for kind in kinds],
            "Base rate": [_ratio(scores.get(kind), "base_rate") for kind in kinds],
            "Labelled errors": [str(scores[kind].positives) if kind in scores else "–" for kind in kinds],
            "Looks for": [DETECTORS[kind].definition for kind in kinds],
            "In the literature": [DETECTORS[kind].literature for kind in kinds],
            "Needs": [", ".join(NEEDS[need] for need in DETECTORS[kind].needs) for kind in kinds],
        },
        hide_index=True,
        height=38 + 35 * len(kinds),
        alt="Every detector, how often it hinted here, and how often it was right",
    )
    st.caption(
        "“not measured”: fewer than "
        f"{measure.MIN_POSITIVES} of the labelled summaries have such an error. Swaps are asked for one summary at a "
        "time, in its detail below, because the model has to score it again and again."
    )


def _at_chance(found: measure.Measured) -> str:
    """The detectors that were not better than chance."""
    names = [DETECTORS[kind].label for kind in DETECTORS if kind in found.off]
    if not names:
        return "Every detector that was measured is above its base rate."
    return f"Not above the base rate, so off unless you turn it on: {listed(names)}."


def labels() -> dict[str, tuple[str, str]]:
    """What each kind of hint is called, and how often it was right."""
    scores = _scores()
    return {kind: (detector.label, _measured(scores.get(kind))) for kind, detector in DETECTORS.items()}


def of_row(run: Run, place: int) -> list[Fault]:
    """The hints of a row whose detectors are on."""
    off = turned_off()
    return [fault for fault in every(run, place) if fault.kind not in off]


def every(run: Run, place: int) -> list[Fault]:
    """All hints of a row, those of detectors that are off as well."""
    row = run.rows[place]
    swaps = _swaps().get((run.key, place), ())
    return [*row.faults, *(fault for fault in swaps if fault not in row.faults)]


def count(run: Run, kind: str) -> int:
    """How many rows have a hint of a kind."""
    return sum(any(fault.kind == kind for fault in of_row(run, place)) for place in run.rows)


def turned_off() -> frozenset[Kind]:
    """The detectors that are off."""
    found = shipped()
    return st.session_state.setdefault(Key.ERR_OFF, found.off if found else frozenset())  # type: ignore[no-any-return]


def asked(run: Run, place: int) -> bool:
    """Whether the model was asked about swaps in a row."""
    own = any(fault.kind.endswith("_swap") for fault in run.rows[place].faults)
    return own or (run.key, place) in _swaps()


def ask(run: Run, place: int) -> None:
    """Ask the model of the sidebar about swaps in a row; for a callback."""
    from core.faults.swaps import swap_faults

    summarizer = run.summarizer or state.current_job().summarizer
    if summarizer is None:
        state.complain(CorpusError("the model is still loading. Try again in a moment"))
        return
    row = run.rows[place]
    try:
        found = swap_faults(summarizer, summarizer.encode(row.dialogue), row.summary)
        state.complain(None)
    except DialoscopeError as error:
        state.complain(error)
        return
    kept = _swaps()
    kept[(run.key, place)] = found
    while len(kept) > MOST_ASKED:
        kept.pop(next(iter(kept)))


def _swaps() -> dict[tuple[object, int], tuple[Fault, ...]]:
    return st.session_state.setdefault(Key.ERR_SWAPS, {})  # type: ignore[no-any-return]


@cache
def shipped() -> measure.Measured | None:
    """How the detectors did on the labelled set; None where it is missing or damaged."""
    try:
        return measure.shipped()
    except CorpusError:
        return None


def _scores() -> Mapping[str, Score]:
    found = shipped()
    return {score.kind: score for score in found.scores} if found else {}


def _ratio(score: Score | None, name: str) -> str:
    if score is None or not score.measured:
        return "not measured"
    ratio = getattr(score, name)
    low, high = score.intervals()[name]
    return "none hinted" if ratio is None else f"{percent(ratio)} ({percent(low)} to {percent(high)})"


def _measured(score: Score | None) -> str:
    if score is None or not score.measured:
        return "Not measured: too few labelled errors of this kind."
    if score.precision is None:
        return "Never given on the labelled summaries."
    share = f"{score.right} of {score.flagged} labelled summaries ({percent(score.precision)})"
    return f"Right in {share}; base rate {percent(score.base_rate)}."


def _switch() -> None:
    st.session_state[Key.ERR_OFF] = frozenset(DETECTORS) - frozenset(st.session_state[SWITCHES])
