"""The hints of a run: which detectors are on, how often they were right, and what our model answers to swaps."""

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
from pages.parts.errors import labels
from pages.parts.errors.summaries import Run
from pages.shared.frame import loading, notices

SWITCHES, OFF, SWAPS = "detector_switches", "err_off", "err_swaps"
"""Session keys: the switches, the detectors that are off, and what the model answered to swaps."""
NEEDS = {
    "references": "a reference",
    "tokens": "our model's tokens",
    "attention": "our model's attention",
    "model": "our model",
}
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
            f"{_at_chance(found)}"
        )
    every_kind = list(DETECTORS)
    off = turned_off()
    counts = Counter(kind for place in run.rows for kind in {hint.kind for hint in every(run, place)})
    scores = _scores()
    st.pills(
        "Detectors that are on",
        every_kind,
        selection_mode="multi",
        default=[kind for kind in every_kind if kind not in off],
        format_func=lambda kind: DETECTORS[kind].label,
        key=SWITCHES,
        on_change=_switch,
    )
    st.dataframe(
        {
            "On": [kind not in off for kind in every_kind],
            "Hint": [DETECTORS[kind].label for kind in every_kind],
            "Summaries here": [counts[kind] for kind in every_kind],
            "Precision": [_ratio(scores.get(kind), "precision") for kind in every_kind],
            "Recall": [_ratio(scores.get(kind), "recall") for kind in every_kind],
            "Base rate": [_ratio(scores.get(kind), "base_rate") for kind in every_kind],
            "Labelled errors": [str(scores[kind].positives) if kind in scores else "–" for kind in every_kind],
            "Looks for": [DETECTORS[kind].definition for kind in every_kind],
            "In the literature": [DETECTORS[kind].literature for kind in every_kind],
            "Needs": [", ".join(NEEDS[need] for need in DETECTORS[kind].needs) for kind in every_kind],
        },
        hide_index=True,
        height=38 + 35 * len(every_kind),
        alt="Every detector, how often it hinted here, and how often it was right",
    )
    st.caption(
        "“not measured”: fewer than "
        f"{measure.MIN_POSITIVES} of the labelled summaries have such an error. Swaps are asked for one summary at a "
        "time, in its detail below, because the model has to score it again and again."
    )


def _at_chance(found: measure.Measured) -> str:
    """Return a sentence on the detectors that were not better than chance."""
    names = [DETECTORS[kind].label for kind in DETECTORS if kind in found.off]
    if not names:
        return "Every detector that was measured is above its base rate."
    return f"Not above the base rate, so off unless you turn it on: {listed(names)}."


def names() -> dict[str, tuple[str, str]]:
    """Return for each kind of hint its name, and how often it was right."""
    scores = _scores()
    return {kind: (detector.label, _measured(scores.get(kind))) for kind, detector in DETECTORS.items()}


def of_row(run: Run, place: int) -> list[Fault]:
    """Return the hints of a row whose detectors are on."""
    off = turned_off()
    return [hint for hint in every(run, place) if hint.kind not in off]


def every(run: Run, place: int) -> list[Fault]:
    """Return all hints of a row: of detectors that are off, too, of the model, and those that were judged."""
    row = run.rows[place]
    found = list(row.faults)
    for hint in (*_swaps().get((run.key, place), ()), *labels.entry(row).verdicts):
        if not any(labels.same(hint, each) for each in found):
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

    summarizer = run.summarizer or loading.current_job().summarizer
    if summarizer is None:
        notices.complain(CorpusError("the model is still loading. Try again in a moment"))
        return
    row = run.rows[place]
    try:
        found = swap_faults(summarizer, summarizer.encode(row.dialogue), row.summary)
        notices.complain(None)
    except DialoscopeError as error:
        notices.complain(error)
        return
    kept = _swaps()
    kept[(run.key, place)] = found
    while len(kept) > MOST_ASKED:
        kept.pop(next(iter(kept)))


def _swaps() -> dict[tuple[object, int], tuple[Fault, ...]]:
    return st.session_state.setdefault(SWAPS, {})  # type: ignore[no-any-return]


@cache
def shipped() -> measure.Measured | None:
    """Return how the detectors did on the labelled set; None where it is missing or damaged."""
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
    st.session_state[OFF] = frozenset(DETECTORS) - frozenset(st.session_state[SWITCHES])
