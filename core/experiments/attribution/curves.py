"""Deletion and insertion curves: which ranking of the parts of a dialogue holds when they are taken away.

Samek et al. 2017; Petsiuk et al. 2018. N parts.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import SettingsError
from core.experiments.attribution.hiding import Subset, Worth, nothing_check, worth_of
from core.experiments.attribution.question import Question, Report
from core.experiments.attribution.registry import attribute
from core.explain.attribution.attribution import Attribution, Check
from core.explain.attribution.methods import METHODS
from core.explain.shared.rollup import Group
from core.limits import check
from core.trace import Array
from core.words import say

POINTS = 12
"""Most parts, or groups of parts, that a curve takes away one after the other."""
DRAWS = 8
"""Random orders, whose mean is the curve that every method must beat."""
RANDOM = "random"


@dataclass(frozen=True, eq=False)
class Curve:
    """A ranking put to the test.

    Args:
        taken: [P] number of parts that are taken away or shown, from 0 to all.
        deletion: [P] F without the first ones of the ranking, nats a token; the lower, the better the ranking.
        insertion: [P] F with them alone; the higher, the better.
    """

    taken: tuple[int, ...]
    deletion: Array
    insertion: Array

    @property
    def deleted(self) -> float:
        """Mean height of the deletion curve (area by the trapezoid rule)."""
        return _area(self.taken, self.deletion)

    @property
    def inserted(self) -> float:
        """Mean height of the insertion curve."""
        return _area(self.taken, self.insertion)


@dataclass(frozen=True, eq=False)
class Compared:
    """Methods compared by what their rankings take away.

    Args:
        curves: of each method; that of `RANDOM` is the mean over `DRAWS` orders.
        skipped: methods that cannot rank these parts here, with the reason.
        check: hiding nothing changes nothing; all curves have the same ends.
        target: F in words.
    """

    curves: Mapping[str, Curve]
    skipped: Mapping[str, str]
    check: Check
    target: str


def compare(question: Question, methods: Sequence[str] | None = None, report: Report | None = None) -> Compared:
    """Rank the parts of a dialogue by each method and take them away in that order, and show them in that order.

    F is the mean of the rows: nats for each token of the summary. Methods that depend on a foil get the question's.

    Args:
        question: the run, the token or all, the foil, and the parts.
        methods: keys of `METHODS`; None means all that can rank parts.
        report: progress over the methods; whatever it raises stops the work.

    Raises:
        SettingsError: there is one part only, or more than the limit.
    """
    parts, skipped, rankings = question.parts(), dict[str, str](), dict[str, list[int]]()
    check("sweep_changes", len(parts), say("The list of parts to hide"))
    names = [name for name in methods or METHODS if name != RANDOM]
    for done, name in enumerate(names):
        try:
            foil = question.foil if name in METHODS and METHODS[name].foil else None
            attribution = attribute(
                name, question.summarizer, question.run, question.step, foil, by=question.unit, seed=question.seed
            )
            rankings[name] = ranking(attribution, parts)
        except SettingsError as error:
            skipped[name] = str(error)
        if report:
            report(done + 1, len(names) + 1)
    rows = worth_of(question, parts)

    def worth(subsets: Sequence[Subset]) -> Array:
        return np.asarray(rows(subsets).mean(axis=1))

    curves = {name: curve(worth, order) for name, order in rankings.items()}
    curves[RANDOM] = by_chance(worth, len(parts), question.seed)
    if report:
        report(len(names) + 1, len(names) + 1)
    unchanged = nothing_check(question, question.scores([question.source])[0])
    return Compared(curves, skipped, unchanged, question.target)


def ranking(found: Attribution, parts: Sequence[Group]) -> list[int]:
    """Return the places of the parts, the one with the largest sum over the rows first.

    Raises:
        SettingsError: the answer does not tell these parts apart.
    """
    values = dict(zip((column.members for column in found.columns), found.values.sum(axis=0).tolist(), strict=True))
    if not all(part.members in values for part in parts):
        raise SettingsError("{method} does not tell these parts apart", method=found.method)
    return sorted(range(len(parts)), key=lambda place: -values[parts[place].members])


def curve(worth: Worth, order: Sequence[int]) -> Curve:
    """Take the parts away in an order, and show them in it: all of them, in at most `POINTS` steps."""
    size = len(order)
    taken = sorted({round(size * step / POINTS) for step in range(POINTS + 1)}) if size > POINTS else range(size + 1)
    deletion = worth([frozenset(order[count:]) for count in taken])
    return Curve(tuple(taken), deletion, worth([frozenset(order[:count]) for count in taken]))


def by_chance(worth: Worth, size: int, seed: int, draws: int = DRAWS) -> Curve:
    """Return the mean curve of random orders; each comes with its reverse."""
    generator, curves = random.Random(seed), []
    for _ in range(draws // 2):
        order = generator.sample(range(size), size)
        curves += [curve(worth, order), curve(worth, order[::-1])]
    deletion, insertion = (
        np.mean([getattr(each, name) for each in curves], axis=0) for name in ("deletion", "insertion")
    )
    return Curve(curves[0].taken, deletion, insertion)


def _area(taken: Sequence[int], values: Array) -> float:
    return float(np.trapezoid(values, taken) / taken[-1])
