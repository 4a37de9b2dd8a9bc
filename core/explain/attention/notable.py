"""Choose the heads of a model that are most worth a look."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.explain.attention.catalogue import Effects
from core.explain.attention.head_outputs import Head
from core.explain.attention.head_scores import HeadScores
from core.explain.attention.head_types import Standing, outstanding, type_or_nearest
from core.words import say


@dataclass(frozen=True)
class Notable:
    """A head that is worth a look.

    Args:
        place: of the head.
        reason: its type, by what it stands out, and what is lost without it, in words.
        loss: nats a token that the model's own summaries lose without it, None if nobody measured it.
    """

    place: Head
    reason: str
    loss: float | None


def described(by_type: Standing, out: Standing) -> str:
    """Say in sentences what a head does more than other heads, and which type it has or is nearest to.

    Args:
        by_type: its type or the nearest, as `type_or_nearest` has it.
        out: what it stands out by, as `outstanding` has it.
    """
    named = say("Type: {type}.", type=by_type.type_text) if by_type.reached else f"{by_type.type_text}."
    return f"{out.sentences} {named}"


def describe(scores: HeadScores, others: Sequence[HeadScores], effects: Effects | None = None) -> Notable | None:
    """Say what a head is among the heads of its kind; None if no row of it was measured."""
    place = Head(scores.kind, scores.layer, scores.head)
    by_type, out = type_or_nearest(scores, others), outstanding(scores, others)
    if by_type is None or out is None:
        return None
    reason, loss = described(by_type, out), effects.of(*place) if effects else None
    if loss is None:
        return Notable(place, reason, None)
    lost = say("Without it the summaries lose {loss:.3f} nats per token.", loss=loss)
    return Notable(place, f"{reason} {lost}", loss)


def notable(heads: Sequence[HeadScores], effects: Effects | None, most: int) -> tuple[Notable, ...]:
    """Choose the heads whose loss is largest, and those that are first of all in what they stand out by.

    Args:
        heads: scores of all heads of one kind of attention.
        effects: what is lost without each head, or None: then heads that copy come first.
        most: number of heads to return at most.

    Returns:
        The heads, that of the largest loss first.
    """
    pairs = [(scores, description) for scores in heads if (description := describe(scores, heads, effects))]
    pairs.sort(key=lambda pair: (-(pair[1].loss or 0.0), -(pair[0].copied or 0.0)))
    chosen = [pair for pair in pairs if pair in pairs[: most // 2] or _is_first(pair[0], heads)]
    return tuple(description for _, description in chosen[:most])


def _is_first(scores: HeadScores, heads: Sequence[HeadScores]) -> bool:
    """Return whether a head is first of all in what it stands out by, and not as all others are."""
    out = outstanding(scores, heads)
    return out is not None and out.place == 1 and not math.isclose(out.score, out.mean)
