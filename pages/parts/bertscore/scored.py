"""The scorer of the page: its scores and matrices come from a small cache."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.scoring import baselines, encoders
from core.scoring.anchors import Anchor, anchors
from core.scoring.baselines import Baseline
from core.scoring.matching import Match
from pages.parts.bertscore import encoder
from pages.parts.bertscore.candidates import Candidate
from pages.shared.frame.cache import cached

if TYPE_CHECKING:
    from core.scoring.bertscore import BertScorer

Scores = tuple[float, float, float]
"""Precision, recall, F1."""


@dataclass(frozen=True)
class Scoring:
    """The settings under which the page scores, and their scorer.

    Args:
        name: of the encoder.
        idf: the references that idf weights are counted over; None: all tokens count the same.
        scorer: raw scores.
        baseline: what random pairs score; None where nobody measured it.
    """

    name: str
    idf: tuple[str, ...] | None
    scorer: "BertScorer"
    baseline: Baseline | None

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """Return what known summaries score under these settings."""
        return anchors(self.name, self.idf is not None)

    @property
    def shown_baseline(self) -> Baseline | None:
        """Return the baseline; None with idf weights, because it was measured without them."""
        return None if self.idf else self.baseline

    def scores(self, text: str, reference: str) -> Scores:
        """Return the scores of a text against one reference; 0 for a blank one."""
        return _scores(self.name, self.idf, text, reference)

    def best(self, candidate: Candidate) -> Scores:
        """Return each measure's maximum over the references, as the library takes it."""
        columns = zip(*(self.scores(candidate.text, each) for each in candidate.references), strict=True)
        precision, recall, f1 = (max(column) for column in columns)
        return precision, recall, f1

    def winner(self, candidate: Candidate) -> int:
        """Return which reference gives the highest F1."""
        values = [self.scores(candidate.text, each)[2] for each in candidate.references]
        return values.index(max(values))

    def match(self, text: str, reference: str) -> Match:
        """Return the similarities of one pair; raises ScoringError if either text is blank."""
        return _match(self.name, self.idf, text, reference)


def scoring(name: str, idf: tuple[str, ...] | None) -> Scoring:
    """Return what the page scores with."""
    found = encoders.find(name)
    return Scoring(name, idf, encoder.scorer(name, idf), baselines.read(found) if found.baseline else None)


@cached(200)
def _scores(name: str, idf: tuple[str, ...] | None, text: str, reference: str) -> Scores:
    (found,) = encoder.scorer(name, idf).score([text], [[reference]])
    return found.precision, found.recall, found.f1


@cached(24)
def _match(name: str, idf: tuple[str, ...] | None, text: str, reference: str) -> Match:
    return encoder.scorer(name, idf).match(text, reference)
