"""The types of attention heads: which one a head is, or which it is nearest to.

A type counts only where a paper reports a number for it, which `Threshold.source` names; where that number is not of a
head's mean, the threshold is ours. Every head is also ranked among the other heads, because the heads of a small model
rarely reach the thresholds that were found on large ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.explain.attention.head_scores import HeadScores
from core.files import table
from core.words import ENGLISH, language, say


@dataclass(frozen=True)
class Threshold:
    """When a head counts as one of a type.

    Args:
        value: of the score of `type_scores`.
        source: what was reported, and where, to be said.
        at_most: whether the score must not exceed the value; otherwise it must reach it.
    """

    value: float
    source: str
    at_most: bool = False

    def fraction(self, score: float) -> float:
        """Return how much of the threshold a score reaches: 1 or more if the head counts."""
        if not self.at_most:
            return score / self.value
        return self.value / score if score else float("inf")


_TABLE = table(__file__)
_TYPES = {each["name"]: each for each in _TABLE["types"]}
THRESHOLDS: Mapping[str, Threshold] = {
    name: Threshold(_TYPES[name]["value"], _TYPES[name]["source"], _TYPES[name].get("at_most", False))
    for name in _TABLE["order"]
}
"""The types with a threshold; a head has the first that it reaches."""
MEANINGS: Mapping[str, str] = {name: each["meaning"] for name, each in _TYPES.items()}
"""What the score of each type means; both are to be said. A type outside `THRESHOLDS` has no published threshold."""


@dataclass(frozen=True)
class Standing:
    """The score of one head for one type, beside the other heads of its kind.

    Args:
        name: of the type.
        score: of the head, as in `type_scores`.
        mean: of the scores of all heads that were compared, itself too.
        place: rank of the score among them, 1 is best.
        compared: number of these heads.
    """

    name: str
    score: float
    mean: float
    place: int
    compared: int

    @property
    def reached(self) -> bool:
        """Return whether the type has a published threshold and the head reaches it."""
        return self.name in THRESHOLDS and THRESHOLDS[self.name].fraction(self.score) >= 1

    @property
    def type_text(self) -> str:
        """Return "copy (0.12; 0.1 is needed)" or "No type. Closest: previous token (0.21; 0.5 is needed)"."""
        threshold = THRESHOLDS[self.name]
        values = {"type": say(self.name), "score": self._score, "threshold": f"{threshold.value:g}"}
        if threshold.at_most:
            named = say("{type} ({score}; at most {threshold} is needed)", **values)
        else:
            named = say("{type} ({score}; {threshold} is needed)", **values)
        return named if self.reached else say("No type. Closest: {type}", type=named)

    @property
    def _score(self) -> str:
        """The score in two decimals, in more where these would lie on the other side of the threshold."""
        short = f"{self.score:.2f}"
        same_side = (THRESHOLDS[self.name].fraction(float(short)) >= 1) == self.reached
        return short if same_side else f"{self.score:.3g}"

    @property
    def sentences(self) -> str:
        """Return "This head looks at the token before: 99 % of its weight. An average head: 10 %."."""
        mean = say("An average head: {share}.", share=_percent(self.mean))
        return f"{say(_TYPES[self.name]['sentence'], share=_percent(self.score))} {mean}"

    @property
    def text(self) -> str:
        """Return "copy, 0.12 (mean of all 0.0362); 1st of 12"."""
        return say(
            "{type}, {score:.3g} (mean of all {mean:.3g}); {rank}",
            type=say(self.name),
            score=self.score,
            mean=self.mean,
            rank=self.rank,
        )

    @property
    def rank(self) -> str:
        """Return "3rd of 12"."""
        return say("{place} of {compared}", place=ordinal(self.place), compared=self.compared)


def type_scores(scores: HeadScores) -> dict[str, float]:
    """Return the score of a head for every type that its kind of attention can have; none if no row was measured.

    Attention on a special token or mark next to the query counts for two types: "separator", and "previous token" or
    "next token". These types have the lower of two scores: over all rows, and over the rows without such a neighbour.
    """
    if not scores.rows:
        return {}
    cross = scores.kind == "cross"
    repeated = None if scores.same is None else scores.same + (scores.chance or 0)
    by_type = {
        "positional": scores.offset_rate,
        "previous token": _lower(scores.previous, scores.previous_apart),
        "next token": _lower(scores.following, scores.following_apart),
        "separator": _lower(scores.sink, scores.sink_apart),
        "broad": scores.confidence,
        "copy": scores.copied,
        "same token": scores.copies if cross else repeated,
        "speaker tag": scores.speakers,
        "own turn": scores.turn,
    }
    return {name: score for name, score in by_type.items() if score is not None}


def type_or_nearest(scores: HeadScores, others: Sequence[HeadScores]) -> Standing | None:
    """Return the first published type that a head reaches, or the one of whose threshold it reaches most.

    Args:
        scores: of the head.
        others: of all heads of its kind in the model, itself too: what it is ranked among.

    Returns:
        Its standing, None if no row of the head was measured.
    """
    own = type_scores(scores)
    fractions = {name: threshold.fraction(own[name]) for name, threshold in THRESHOLDS.items() if name in own}
    if not fractions:
        return None
    most = max(fractions, key=fractions.__getitem__)
    return standing(next((name for name, fraction in fractions.items() if fraction >= 1), most), scores, others)


def outstanding(scores: HeadScores, others: Sequence[HeadScores]) -> Standing | None:
    """Return the type by which a head differs most from the other heads: most standard deviations above their mean.

    Repeated tokens count only above what uniform attention gives them: below it there is nothing to stand out by.
    """
    found, every = type_scores(scores), [type_scores(other) for other in others]
    chance = scores.chance or 0.0

    def deviations(name: str) -> float:
        known = _known(name, every)
        spread = float(np.std(known))
        return (_sign(name) * (found[name] - float(np.mean(known)))) / spread if spread else 0.0

    names = [name for name in found if name not in ("copy", "same token") or found[name] > chance]
    return standing(max(names, key=deviations), scores, others) if names else None


def standing(name: str, scores: HeadScores, others: Sequence[HeadScores]) -> Standing:
    """Return the score of a head for a type and its rank among other heads; both have to have that score."""
    known, own = _known(name, [type_scores(each) for each in others]), type_scores(scores)[name]
    better = sum(_sign(name) * each > _sign(name) * own for each in known)
    return Standing(name, own, float(np.mean(known)), 1 + better, len(known))


def _known(name: str, every: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the scores for a type of the heads that have one."""
    return [scores[name] for scores in every if name in scores]


def _sign(name: str) -> int:
    """Return -1 for a type whose heads have low scores."""
    return -1 if name in THRESHOLDS and THRESHOLDS[name].at_most else 1


def _percent(share: float) -> str:
    """Write a share in whole percent, a small one in two digits."""
    value = 100 * share
    return f"{value:.0f}\u00a0%" if value >= 9.95 else f"{value:.2g}\u00a0%"


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "3rd", "4th", … and "11th"; the other languages have one way for all numbers."""
    if language() != ENGLISH:
        return say("no. {number}", number=number)
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _lower(number: float | None, apart: float | None) -> float | None:
    return number if number is None or apart is None else min(number, apart)
