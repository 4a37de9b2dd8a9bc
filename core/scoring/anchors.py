"""What known summaries score, to hold a number against: all with the embedded encoder, raw, without idf weights."""

from dataclasses import dataclass

from core.scoring.encoders import EMBEDDED
from core.scoring.matching import Match

PROVENANCE = "DialogSum test split (500 dialogues), mean F1 against the first reference"


@dataclass(frozen=True, slots=True)
class Anchor:
    """Mean F1 of a way to summarise.

    Args:
        name: of the way.
        f1: raw, 0 to 1.
    """

    name: str
    f1: float


_ANCHORS = (
    Anchor("The dialogue’s first three turns", 0.569),
    Anchor("BART-large, fine-tuned", 0.722),
    Anchor("A second human", 0.768),
)


def anchors(encoder: str, idf: bool) -> tuple[Anchor, ...]:
    """The anchors that hold for an encoder's raw scores: none for another encoder or with idf weights."""
    return _ANCHORS if encoder == EMBEDDED and not idf else ()


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a candidate scores higher with one reference than with another, as tokens and their best cosines.

    Args:
        gained: candidate tokens that find a closer one in the winner: token, cosine there, cosine in the other.
        missed: tokens of the other reference that nothing in the candidate comes close to: token, best cosine.
    """

    gained: tuple[tuple[str, float, float], ...]
    missed: tuple[tuple[str, float], ...]


def reasons(winner: Match, other: Match, most: int = 3) -> Reasons:
    """Compare the matches of one candidate with two references.

    Args:
        winner: with the reference that it scores higher with.
        other: with the other one.
        most: tokens of each kind.
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
