"""How sure a model was of its summaries, and how often they were wrong: labelled summaries in thirds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.faults.labels import LabelledSummary
from core.scoring.wilson import wilson


@dataclass(frozen=True, slots=True)
class Sureness:
    """Summaries that a model was about equally sure of, and how many of them were wrong.

    Args:
        low: smallest mean log-probability per token, in nats, of these summaries.
        high: largest.
        count: number of summaries.
        wrong: of them, those with a label that names something false, not a missing point alone.
    """

    low: float
    high: float
    count: int
    wrong: int

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % Wilson interval of the share that is wrong."""
        return wilson(self.wrong, self.count)


def thirds(rows: Sequence[LabelledSummary], means: Sequence[float]) -> tuple[Sureness, ...]:
    """Sort labelled summaries by the mean log-probability of their tokens, and count what is wrong in each third."""
    order = sorted(zip(means, rows, strict=True), key=lambda pair: pair[0])
    bounds = [part * len(order) // 3 for part in range(4)]
    parts = [order[low:high] for low, high in pairwise(bounds) if high > low]
    false = [[any(label.type != "missing" for label in row.labels) for _, row in part] for part in parts]
    return tuple(Sureness(part[0][0], part[-1][0], len(part), sum(n)) for part, n in zip(parts, false, strict=True))
