"""The matching of BERTScore between the tokens of one candidate and one reference.

P = sum_i w_i max_j s_ij / sum_i w_i over the candidate's tokens, R the same over the reference's, F = 2PR / (P + R)
(Zhang et al. 2020, section 3). The two special tokens have weight 0 and are not scored, but other tokens may match
them: their rows and columns belong to the matrix.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import ScoringError


@dataclass(frozen=True, slots=True)
class Side:
    """The tokens of one text.

    Args:
        tokens: their texts.
        special: whether the tokenizer added each of them.
        weights: [tokens] weight of each; 0 for special ones.
    """

    tokens: tuple[str, ...]
    special: tuple[bool, ...]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not len(self.tokens) == len(self.special) == len(self.weights):
            sizes = (len(self.tokens), len(self.special), len(self.weights))
            raise ScoringError(f"a text needs as many tokens as marks and weights. Received: {sizes}")

    @property
    def shares(self) -> NDArray[np.float64]:
        """Weights that add up to 1, [tokens]; zeros if all weights are 0."""
        total = self.weights.sum()
        return self.weights / total if total > 0 else np.zeros(len(self.weights))


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate against a reference.

    Args:
        candidate: C tokens.
        reference: R tokens.
        similarity: [C, R] cosines.
    """

    candidate: Side
    reference: Side
    similarity: NDArray[np.float32]

    def __post_init__(self) -> None:
        expected = (len(self.candidate.tokens), len(self.reference.tokens))
        if self.similarity.shape != expected:
            raise ScoringError(f"similarity must be {expected}, a row a token. Received: {self.similarity.shape}")

    @property
    def row_choice(self) -> NDArray[np.intp]:
        """Index of the closest reference token of each candidate token, [C]: for precision."""
        chosen: NDArray[np.intp] = self.similarity.argmax(axis=1)
        return chosen

    @property
    def column_choice(self) -> NDArray[np.intp]:
        """Index of the closest candidate token of each reference token, [R]: for recall."""
        chosen: NDArray[np.intp] = self.similarity.argmax(axis=0)
        return chosen

    @property
    def precision_cells(self) -> list[tuple[int, int]]:
        """The cells of precision: each candidate token with a weight, and its closest reference token."""
        rows = np.flatnonzero(self.candidate.weights > 0)
        return [(int(row), int(self.row_choice[row])) for row in rows]

    @property
    def recall_cells(self) -> list[tuple[int, int]]:
        """The cells of recall: each reference token with a weight, and its closest candidate token."""
        columns = np.flatnonzero(self.reference.weights > 0)
        return [(int(self.column_choice[column]), int(column)) for column in columns]

    @property
    def precision_parts(self) -> NDArray[np.float64]:
        """Contribution of each candidate token to precision, [C]."""
        parts: NDArray[np.float64] = self.candidate.shares * self.similarity.max(axis=1)
        return parts

    @property
    def recall_parts(self) -> NDArray[np.float64]:
        """Contribution of each reference token to recall, [R]."""
        parts: NDArray[np.float64] = self.reference.shares * self.similarity.max(axis=0)
        return parts

    @property
    def scores(self) -> tuple[float, float, float]:
        """Precision, recall and F1 by the formula, before rescaling."""
        precision, recall = float(self.precision_parts.sum()), float(self.recall_parts.sum())
        return precision, recall, f1(precision, recall)


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both are 0."""
    return 2.0 * precision * recall / (precision + recall) if precision + recall else 0.0
