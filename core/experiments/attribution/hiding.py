"""Hide parts of a dialogue, or show them alone: occlusion, and what Shapley values and curves are made of.

A hidden token is padding: no attention sees it, it cannot be copied, and the others keep their positions. (The Turns
view of Experiments deletes a turn instead: `core.experiments.turn_effects`.)
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from core.config import PAD
from core.experiments.attribution.question import Question
from core.explain.attribution.attribution import Attribution, Check
from core.explain.shared.rollup import Group
from core.limits import check
from core.trace import Array
from core.words import say

BOUND = 1e-3
"""Nats by which rounding moves a score: in a batch the sums are those of other shapes."""
Subset = frozenset[int]
Worth = Callable[[Sequence[Subset]], Array]
"""Gives the values [n, …] of n subsets of the parts that are shown."""


def occlusion(question: Question) -> Attribution:
    """Return F(x) - F(x without part k) for every written token (Li et al. 2016, equation 4).

    Each part is hidden alone: of two turns that say the same, neither seems to count. Says what the words *depend
    on*, by an intervention. Check: hiding nothing changes nothing.

    Raises:
        SettingsError: there is one part only, or more than the limit.
    """
    parts = question.parts()
    check("sweep_changes", len(parts), say("The list of parts to hide"))
    scores = question.scores(hidden(question, [(), *([part] for part in parts)]))
    return question.answer("occlusion", parts, (scores[0] - scores[1:]).T, nothing_check(question, scores[0]))


def hidden(question: Question, hide: Sequence[Collection[Group]]) -> list[list[int]]:
    """Return the source ids with each of several collections of parts hidden."""
    source, sources = question.source, []
    for parts in hide:
        gone = {place for part in parts for place in part.members}
        sources.append([PAD if place in gone else token for place, token in enumerate(source)])
    return sources


def worth_of(question: Question, parts: Sequence[Group]) -> Worth:
    """Return a function that gives F [n, R] where only n subsets of the parts are shown; it measures each once."""
    whole, known = frozenset(range(len(parts))), dict[Subset, Array]()

    def worth(subsets: Sequence[Subset]) -> Array:
        new = [each for each in dict.fromkeys(subsets) if each not in known]
        if new:
            sources = hidden(question, [[parts[each] for each in whole - shown] for shown in new])
            known.update(zip(new, question.scores(sources), strict=True))
        return np.stack([known[each] for each in subsets])

    return worth


def nothing_check(question: Question, found: Array) -> Check:
    """Return the check of all methods that hide: F [R] with nothing hidden is that of the run."""
    return Check(say("hiding nothing changes nothing"), float(np.abs(found - question.own).max()), BOUND)
