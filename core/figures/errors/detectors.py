"""The detectors of hints in words: how often each was right, as a sentence and as a table."""

from collections.abc import Collection, Mapping, Sequence

from core.faults.detectors import DETECTORS, NEEDS, SOURCES
from core.faults.fault import Kind
from core.faults.measure import MIN_POSITIVES, Measured, Score
from core.figures.shared.wording import listed, percent
from core.words import later, say


def unmeasured() -> str:
    """Say what "not measured" means."""
    return say("“not measured”: fewer than {least} of the labelled summaries have such an error.", least=MIN_POSITIVES)


def names(measured: Measured | None) -> dict[str, tuple[str, str]]:
    """Return for each kind of hint its name, and how often it was right; `measured` is None if nobody measured."""
    scores = zip(DETECTORS.items(), _scores(measured), strict=True)
    return {kind: (say(detector.label), _right(score)) for (kind, detector), score in scores}


def at_chance(measured: Measured) -> str:
    """Return a sentence on the detectors that were not better than chance."""
    off = [say(detector.label) for kind, detector in DETECTORS.items() if kind in measured.off]
    if not off:
        return say("Every detector that was measured is above its base rate.")
    return say("Not above the base rate, so off unless you turn it on: {detectors}.", detectors=listed(off))


def table(measured: Measured | None, off: Collection[str], counts: Mapping[Kind, int]) -> dict[str, Sequence[object]]:
    """Return a line for each detector; the headings are marked with `later`.

    Args:
        measured: how often each was right; None if nobody measured.
        off: the detectors that are off.
        counts: how many summaries have a hint of each kind.
    """
    scores, detectors = _scores(measured), DETECTORS.values()
    return {
        later("On"): [kind not in off for kind in DETECTORS],
        later("Hint"): [say(detector.label) for detector in detectors],
        later("Summaries here"): [counts[kind] for kind in DETECTORS],
        later("Precision"): [_ratio(score, "precision") for score in scores],
        later("Recall"): [_ratio(score, "recall") for score in scores],
        later("Base rate"): [_ratio(score, "base_rate") for score in scores],
        later("Labelled errors"): [str(score.positives) if score else "–" for score in scores],
        later("Looks for"): [say(detector.definition) for detector in detectors],
        later("In the literature"): [say(detector.literature, **SOURCES) for detector in detectors],
        later("Needs"): [", ".join(say(NEEDS[need]) for need in detector.needs) for detector in detectors],
    }


def _scores(measured: Measured | None) -> list[Score | None]:
    known = {score.kind: score for score in measured.scores} if measured else {}
    return [known.get(kind) for kind in DETECTORS]


def _ratio(score: Score | None, name: str) -> str:
    if score is None or not score.measured:
        return say("not measured")
    ratio = getattr(score, name)
    low, high = score.intervals()[name]
    if ratio is None:
        return say("none hinted")
    return say("{share} ({low} to {high})", share=percent(ratio), low=percent(low), high=percent(high))


def _right(score: Score | None) -> str:
    if score is None or not score.measured:
        return say("Not measured: too few labelled errors of this kind.")
    if score.precision is None:
        return say("Never given on the labelled summaries.")
    return say(
        "Right in {right} of {flagged} labelled summaries ({share}); base rate {rate}.",
        right=score.right,
        flagged=score.flagged,
        share=percent(score.precision),
        rate=percent(score.base_rate),
    )
