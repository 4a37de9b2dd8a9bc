"""Calibration of tokens: reliability bins and calibration errors. A calibrated 0.7 is right in 7 of 10 cases.

After Guo et al. (2017, arXiv 1706.04599). It is used for two events: the dialogue supports a written token; and, under
teacher forcing, the most probable next token is that of the reference. N tokens, G bins, D dialogues.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import DialoscopeError, ScoringError
from core.faults.case import WrittenToken
from core.faults.source import Source
from core.text.dialogue import Dialogue

if TYPE_CHECKING:
    from core.service import Summarizer

BINS = 15
MANY, FEW_BINS = 1500, 5
"""With fewer tokens there are fewer bins."""
SHOWN = 30
"""Bins with fewer tokens are too noisy to be drawn, but count in the error."""
RESAMPLES = 1000

Scheme = Literal["equal width", "equal mass"]
Numbers = NDArray[np.float64]
Tokens = tuple[tuple[float, ...], tuple[bool, ...]]
"""Of one text: the probabilities of its tokens, and whether each was right."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Tokens of similar probability: bounds, number, mean probability, and the share that is right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of some tokens.

    Args:
        bins: the bins with a token, from the lowest probability up.
        error: expected calibration error, the mean over tokens of |accuracy - confidence| of their bin.
        low: 2.5 percentile of the error when dialogues are drawn with replacement.
        high: 97.5 percentile.
        signed: mean of accuracy - confidence; positive if the model is underconfident.
        brier: mean squared difference of the probability from right (1) or wrong (0).
        count: number of tokens.
    """

    bins: tuple[Bin, ...]
    error: float
    low: float
    high: float
    signed: float
    brier: float
    count: int

    @property
    def shown(self) -> list[Bin]:
        """Return the bins with enough tokens to be drawn."""
        return [each for each in self.bins if each.count >= SHOWN]


def calibrate_between(
    p: Numbers, right: Numbers, owner: NDArray[np.int64], edges: Numbers, resamples: int = RESAMPLES
) -> Calibration:
    """Compare probabilities with the rates of right tokens, between given bounds of the bins.

    Args:
        p: [N], 0 to 1.
        right: [N], 0 or 1.
        owner: [N], number of the dialogue of each token: whole dialogues are resampled.
        edges: [G+1] from 0 to 1; a token on a bound is in the bin below. The resamples keep them.
        resamples: number of resamples for the interval.
    """
    groups = len(edges) - 1
    place = np.clip(np.searchsorted(edges, p, side="left") - 1, 0, groups - 1)
    _, number = np.unique(owner, return_inverse=True)
    sums = np.zeros((3, int(number.max()) + 1, groups))  # [count | probability | right, D, G]
    for row, values in zip(sums, (np.ones_like(p), p, right), strict=True):
        np.add.at(row, (number, place), values)
    whole = sums.sum(axis=1)
    low, high = np.percentile(_resampled_errors(sums, resamples), (2.5, 97.5))
    bins = tuple(
        Bin(float(edges[g]), float(edges[g + 1]), int(n), float(whole[1, g] / n), float(whole[2, g] / n))
        for g, n in enumerate(whole[0])
        if n
    )
    signed = float(right.mean() - p.mean())
    brier = float(np.mean((p - right) ** 2))
    return Calibration(bins, float(_errors(whole[:, None])[0]), float(low), float(high), signed, brier, len(p))


@lru_cache(maxsize=16)
def calibrate(texts: tuple[Tokens, ...], scheme: Scheme) -> Calibration | None:
    """Calibrate the tokens of some texts, one a dialogue, in fewer bins if they are few; None if there are none.

    Raises:
        ScoringError: probabilities outside 0 to 1.
    """
    p = np.array([value for column, _ in texts for value in column])
    if not len(p):
        return None
    if not ((p >= 0) & (p <= 1)).all():
        raise ScoringError(f"probabilities must be from 0 to 1. Received: {float(p.min())} to {float(p.max())}")
    right = np.array([value for _, column in texts for value in column], dtype=np.float64)
    owner = np.repeat(np.arange(len(texts)), [len(column) for column, _ in texts])
    bins = BINS if len(p) >= MANY else FEW_BINS
    edges = np.linspace(0, 1, bins + 1) if scheme == "equal width" else mass_edges(p, bins)
    return calibrate_between(p, right, owner, edges)


def mass_edges(p: Numbers, bins: int) -> Numbers:
    """Choose bounds from 0 to 1 of bins with equally many tokens, as far as equal probabilities allow."""
    inner = np.quantile(p, np.linspace(0, 1, bins + 1)[1:-1])
    edges: Numbers = np.unique(np.concatenate([[0.0], inner, [1.0]]))
    return edges


def next_tokens(summarizer: "Summarizer", dialogue: str, target: str) -> Tokens:
    """Force a target; return the probability of the best token at every step, and whether it is the target's.

    A dialogue that the model cannot read has no tokens.
    """
    try:
        steps = summarizer.force(dialogue, target).steps
    except DialoscopeError:  # longer than the model's positions
        return (), ()
    best = [step.alternatives[0] for step in steps]
    right = tuple(one.id == step.token.id for one, step in zip(best, steps, strict=True))
    return tuple(one.probability for one in best), right


def support(dialogue: Dialogue, summary: str, tokens: Sequence[WrittenToken]) -> Tokens:
    """Return the probabilities of the tokens of content words, and whether the word's stem is in the dialogue.

    Function words and speakers are left out, because every dialogue has them. Support is no proof: a word of the
    dialogue may still be wrong.
    """
    source = Source(dialogue)
    words = [word for word in source.read(summary) if word.content]
    probabilities, supported = [], []
    index = 0
    for token in sorted(tokens, key=lambda each: (each.start, each.end)):
        while index < len(words) and words[index].end <= token.start:
            index += 1
        if index < len(words) and token.end > token.start and token.end > words[index].start:
            probabilities.append(token.probability)
            supported.append(source.has(words[index]))
    return tuple(probabilities), tuple(supported)


def _errors(sums: Numbers) -> Numbers:
    """Return the calibration error of each row of [3, B, G]: sum over bins of |right - probability| / tokens."""
    errors: Numbers = np.abs(sums[2] - sums[1]).sum(axis=-1) / np.maximum(sums[0].sum(axis=-1), 1)
    return errors


def _resampled_errors(sums: Numbers, resamples: int) -> Numbers:
    """Compute the errors of B resamples of the dialogues, [B]; a dialogue that is drawn twice counts twice."""
    size = sums.shape[1]
    generator = np.random.default_rng(0)
    errors = []
    for _ in range(resamples):
        weights = np.bincount(generator.integers(0, size, size), minlength=size)
        errors.append(_errors((weights @ sums)[:, None])[0])
    return np.array(errors)
