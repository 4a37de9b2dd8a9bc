"""The detectors of hints in words: how often each was right, as a sentence and as a table."""

from collections.abc import Collection, Mapping, Sequence

from core.faults.detectors import DETECTORS
from core.faults.fault import Kind
from core.faults.measure import MIN_POSITIVES, Measured, Score
from core.figures.wording import listed, percent

NEEDS = {
    "references": "a reference",
    "tokens": "our model's tokens",
    "attention": "our model's attention",
    "model": "our model",
}
UNMEASURED = f"“not measured”: fewer than {MIN_POSITIVES} of the labelled summaries have such an error."


def names(found: Measured | None) -> dict[str, tuple[str, str]]:
    """Return for each kind of hint its name, and how often it was right; `found` is None if nobody measured."""
    scores = zip(DETECTORS.items(), _scores(found), strict=True)
    return {kind: (each.label, _right(score)) for (kind, each), score in scores}


def at_chance(found: Measured) -> str:
    """Return a sentence on the detectors that were not better than chance."""
    off = [each.label for kind, each in DETECTORS.items() if kind in found.off]
    if not off:
        return "Every detector that was measured is above its base rate."
    return f"Not above the base rate, so off unless you turn it on: {listed(off)}."


def table(found: Measured | None, off: Collection[str], counts: Mapping[Kind, int]) -> dict[str, Sequence[object]]:
    """Return a line for each detector.

    Args:
        found: how often each was right; None if nobody measured.
        off: the detectors that are off.
        counts: how many summaries have a hint of each kind.
    """
    scores, detectors = _scores(found), DETECTORS.values()
    return {
        "On": [kind not in off for kind in DETECTORS],
        "Hint": [each.label for each in detectors],
        "Summaries here": [counts[kind] for kind in DETECTORS],
        "Precision": [_ratio(score, "precision") for score in scores],
        "Recall": [_ratio(score, "recall") for score in scores],
        "Base rate": [_ratio(score, "base_rate") for score in scores],
        "Labelled errors": [str(score.positives) if score else "–" for score in scores],
        "Looks for": [each.definition for each in detectors],
        "In the literature": [each.literature for each in detectors],
        "Needs": [", ".join(NEEDS[need] for need in each.needs) for each in detectors],
    }


def _scores(found: Measured | None) -> list[Score | None]:
    """Return the score of every detector, in their order."""
    known = {score.kind: score for score in found.scores} if found else {}
    return [known.get(kind) for kind in DETECTORS]


def _ratio(score: Score | None, name: str) -> str:
    if score is None or not score.measured:
        return "not measured"
    ratio = getattr(score, name)
    low, high = score.intervals()[name]
    return "none hinted" if ratio is None else f"{percent(ratio)} ({percent(low)} to {percent(high)})"


def _right(score: Score | None) -> str:
    if score is None or not score.measured:
        return "Not measured: too few labelled errors of this kind."
    if score.precision is None:
        return "Never given on the labelled summaries."
    share = f"{score.right} of {score.flagged} labelled summaries ({percent(score.precision)})"
    return f"Right in {share}; base rate {percent(score.base_rate)}."
