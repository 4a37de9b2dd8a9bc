"""Which turn the model reads most while it writes each token of a summary."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.explain.shared import cross
from core.explain.shared.rollup import groups, sum_columns
from core.trace import Summary, Token


@dataclass(frozen=True, slots=True)
class Reading:
    """A written token, and how much of its cross-attention goes to each turn of the dialogue.

    Args:
        token: the token.
        probability: over the whole vocabulary, 0 to 1.
        shares: one a turn, 0 for a turn that was not read; empty for a model without cross-attention. What is missing
            to 1 goes to tokens that belong to no turn.
    """

    token: Token
    probability: float
    shares: tuple[float, ...]

    @property
    def turn(self) -> int | None:
        """Index of the turn that gets most, None if no turn gets any."""
        most = max(self.shares, default=0.0)
        return self.shares.index(most) if most > 0 else None


def whose(summary: Summary) -> str:
    """Return whose attention `readings` takes, one of `cross.choices`: the last layer's, the mean of its heads."""
    return next(iter(cross.choices(summary.attention)), "")


def readings(summary: Summary) -> tuple[Reading, ...]:
    """Return every token of a summary with the turns that were read for it."""
    return tuple(
        Reading(step.token, step.probability, tuple(row))
        for step, row in zip(summary.steps, _shares(summary), strict=True)
    )


def _shares(summary: Summary) -> Sequence[Sequence[float]]:
    chosen = whose(summary)
    if not chosen:
        return [()] * len(summary.steps)
    parts = groups(summary.source, "turn")
    columns = {part.turn: place for place, part in enumerate(parts) if part.turn is not None}
    rows = sum_columns(cross.weights(summary.attention, chosen), parts).tolist()
    turns = range(len(summary.dialogue.turns))
    return [[row[columns[turn]] if turn in columns else 0.0 for turn in turns] for row in rows]
