"""The BERTScore of a summary against each of its references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.scoring.bertscore import BertScore, BertScorer


@dataclass(frozen=True)
class Scored:
    """BERTScore of one summary.

    Args:
        encoder: its name.
        fingerprint: everything that shaped the numbers.
        scores: one for each reference.
    """

    encoder: str
    fingerprint: Mapping[str, Any]
    scores: tuple[BertScore, ...]


def bertscore(summary: str, references: Sequence[str], encoder: str) -> Scored:
    """Score a summary against each reference; raises ScoringError if the encoder is not there."""
    scorer = BertScorer(encoder)
    scores = scorer.score([summary] * len(references), [[reference] for reference in references])
    return Scored(scorer.encoder.name, scorer.fingerprint, tuple(scores))
