"""Scores and matrices for the page, from a small cache."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.scoring import baselines, encoders
from core.scoring.anchors import Anchor, anchors
from core.scoring.baselines import Baseline
from core.scoring.matching import Match
from pages.parts.bertscore import encoder
from pages.parts.bertscore.candidates import Candidate

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
        """What known summaries score under these settings."""
        return anchors(self.name, self.idf is not None)

    @property
    def shown_baseline(self) -> Baseline | None:
        """The baseline, which was measured without idf weights: with them it does not hold."""
        return None if self.idf else self.baseline

    def scores(self, text: str, reference: str) -> Scores:
        """Of a candidate against one reference; 0 for a blank one."""
        return _scores(self.name, self.idf, text, reference, self.scorer)

    def best(self, candidate: Candidate) -> Scores:
        """Each measure's maximum over the references, as the library takes it."""
        columns = zip(*(self.scores(candidate.text, each) for each in candidate.references), strict=True)
        precision, recall, f1 = (max(column) for column in columns)
        return precision, recall, f1

    def winner(self, candidate: Candidate) -> int:
        """The reference with the highest F1."""
        values = [self.scores(candidate.text, each)[2] for each in candidate.references]
        return values.index(max(values))

    def match(self, text: str, reference: str) -> Match:
        """The matrix of one pair; raises ScoringError if either is blank."""
        return _match(self.name, self.idf, text, reference, self.scorer)


def scoring(name: str, idf: tuple[str, ...] | None) -> Scoring:
    """What the page scores with."""
    found = encoders.find(name)
    return Scoring(name, idf, encoder.scorer(name, idf), baselines.read(found) if found.baseline else None)


@st.cache_resource(max_entries=200, show_spinner=False)
def _scores(name: str, idf: tuple[str, ...] | None, text: str, reference: str, _scorer: "BertScorer") -> Scores:
    (found,) = _scorer.score([text], [[reference]])
    return found.precision, found.recall, found.f1


@st.cache_resource(max_entries=24, show_spinner=False)
def _match(name: str, idf: tuple[str, ...] | None, text: str, reference: str, _scorer: "BertScorer") -> Match:
    return _scorer.match(text, reference)
