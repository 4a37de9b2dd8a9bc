"""BERTScores of known summaries, for comparison: with the embedded encoder, raw, without idf weights."""

from dataclasses import dataclass

from core.scoring.encoders import EMBEDDED
from core.scoring.matching import Match
from core.words import later


@dataclass(frozen=True, slots=True)
class Anchor:
    """Mean F1 of a method.

    Args:
        name: of the method, marked with `later`.
        f1: raw, 0 to 1.
    """

    name: str
    f1: float


_ANCHORS = (
    Anchor(later("The dialogue’s first three turns"), 0.569),
    Anchor(later("BART-large, fine-tuned"), 0.722),
    Anchor(later("A second human"), 0.768),
)


def anchors(encoder: str, idf: bool) -> tuple[Anchor, ...]:
    """Return the anchors for raw scores of an encoder; none for another encoder or with idf weights."""
    return _ANCHORS if encoder == EMBEDDED and not idf else ()


@dataclass(frozen=True, slots=True)
class Reasons:
    """Tokens that explain why a candidate scores higher with one reference than with another.

    Args:
        gained: candidate tokens with a closer match in the winner: token, cosine there, cosine in the other.
        missed: tokens of the other reference without a close match in the candidate: token, best cosine.
    """

    gained: tuple[tuple[str, float, float], ...]
    missed: tuple[tuple[str, float], ...]


def reasons(winner: Match, other: Match, most: int = 3) -> Reasons:
    """Compare the matches of one candidate with two references.

    Args:
        winner: match with the better reference.
        other: match with the other reference.
        most: largest number of tokens of each kind.
    """
    here, there = winner.similarity.max(axis=1), other.similarity.max(axis=1)
    gained = sorted(
        (float(there[row] - here[row]), row)
        for row in range(len(here))
        if winner.candidate.weights[row] > 0 and here[row] - there[row] > 0.05
    )
    best = other.similarity.max(axis=0)
    missed = sorted((float(best[column]), column) for column in range(len(best)) if other.reference.weights[column] > 0)
    return Reasons(
        tuple((winner.candidate.tokens[row], float(here[row]), float(there[row])) for _, row in gained[:most]),
        tuple((other.reference.tokens[column], value) for value, column in missed[:most] if value < 0.6),
    )
