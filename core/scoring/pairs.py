"""Score one pair of texts after the other under the same settings; what was scored lately is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.scoring import baselines, encoders
from core.scoring.anchors import Anchor, anchors
from core.scoring.baselines import Baseline
from core.scoring.bertscore import BertScorer
from core.scoring.matching import Match

Scores = tuple[float, float, float]
"""Precision, recall, F1."""


@dataclass(frozen=True)
class Scoring:
    """The settings under which pairs are scored, without rescaling.

    Args:
        encoder: its name; it is on this machine.
        idf: the references that idf weights are counted over; None: all tokens count the same.
    """

    encoder: str
    idf: tuple[str, ...] | None

    @property
    def scorer(self) -> BertScorer:
        """Return the scorer."""
        return _scorer(self)

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """Return what known summaries score under these settings."""
        return anchors(self.encoder, self.idf is not None)

    @property
    def baseline(self) -> Baseline | None:
        """Return what random pairs score; None where nobody measured it, as with idf weights."""
        return None if self.idf else _baseline(self.encoder)

    def scores(self, text: str, reference: str) -> Scores:
        """Return the scores of a text against one reference; 0 for a blank one."""
        return _scores(self, text, reference)

    def best(self, text: str, references: Sequence[str]) -> Scores:
        """Return each measure's maximum over the references, as the library takes it."""
        precision, recall, f1 = map(max, zip(*(self.scores(text, reference) for reference in references), strict=True))
        return precision, recall, f1

    def winner(self, text: str, references: Sequence[str]) -> int:
        """Return which reference gives the highest F1."""
        values = [self.scores(text, reference)[2] for reference in references]
        return values.index(max(values))

    def match(self, text: str, reference: str) -> Match:
        """Return the similarities of one pair; raises ScoringError if either text is blank."""
        return _match(self, text, reference)


@lru_cache(maxsize=4)
def _scorer(scoring: Scoring) -> BertScorer:
    return BertScorer(scoring.encoder, idf_references=scoring.idf)


@lru_cache(maxsize=4)
def _baseline(encoder: str) -> Baseline | None:
    network = encoders.find(encoder)
    return baselines.read(network) if network.baseline else None


@lru_cache(maxsize=200)
def _scores(scoring: Scoring, text: str, reference: str) -> Scores:
    (score,) = scoring.scorer.score([text], [[reference]])
    return score.precision, score.recall, score.f1


@lru_cache(maxsize=24)
def _match(scoring: Scoring, text: str, reference: str) -> Match:
    return scoring.scorer.match(text, reference)
