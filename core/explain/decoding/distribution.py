"""The next-token distribution of one step, before and after temperature, rules and cut.

Shapes: V vocabulary. All numbers are float64 and in nats.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Cut = Literal["", "rule", "top-k", "top-p"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One token that could come next.

    Args:
        id: vocabulary id.
        text: as on a label, a leading space kept.
        rank: 1 + number of tokens with a strictly higher probability over the whole vocabulary.
        logit: the model's output; for a copying model it is the natural log of the mixed probability.
        scaled: logit / temperature.
        probability: softmax(logit) over the whole vocabulary: temperature 1, nothing cut.
        cut: the reason for its removal: "rule" (not allowed here), "top-k", "top-p", or "" if it was kept.
        after: its probability after temperature, rules and cut, renormalised over the kept tokens; 0 if removed.
    """

    id: int
    text: str
    rank: int
    logit: float
    scaled: float
    probability: float
    cut: Cut
    after: float


@dataclass(frozen=True, slots=True)
class NextToken:
    """The distribution of one step.

    Args:
        candidates: the rows of the table, most probable first.
        others: number of tokens that are not in `candidates`.
        others_kept: how many of those were kept.
        others_probability: their probability over the whole vocabulary.
        others_after: their probability after the cut.
        kept: number of tokens of the whole vocabulary that were kept.
        kept_probability: probability of the kept tokens over the whole vocabulary at temperature 1.
        entropy: over the whole vocabulary at temperature 1, in nats.
        entropy_after: after temperature, rules and cut, in nats.
    """

    candidates: tuple[Candidate, ...]
    others: int
    others_kept: int
    others_probability: float
    others_after: float
    kept: int
    kept_probability: float
    entropy: float
    entropy_after: float

    @property
    def cut_row(self) -> int:
        """The last kept row, if the kept ones are the most probable of those that the rules allow; otherwise -1."""
        allowed = [(row, each.cut) for row, each in enumerate(self.candidates) if each.cut != "rule"]
        kept = [row for row, cut in allowed if not cut]
        below = len(allowed) > len(kept) or self.others > self.others_kept == 0
        in_order = kept == [row for row, _ in allowed[: len(kept)]]
        return kept[-1] if kept and below and in_order else -1


_CUTS: tuple[Cut, ...] = ("", "rule", "top-k", "top-p")


def next_token_distribution(
    logits: NDArray[Any],
    *,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    banned: NDArray[np.bool_] | None = None,
    rows: int = 12,
    always: Sequence[int] = (),
    text: Callable[[int], str],
) -> NextToken:
    """Apply temperature, rules and cut to the distribution of one step, as `core.decoding.search.sample` does.

    The rules come first, then the temperature, then top-k (Fan et al. 2018), then top-p over what top-k kept
    (Holtzman et al. 2020, equation 2). Tokens as probable as the last one kept are kept too, and at least one is.

    Args:
        logits: [V] of one step.
        temperature: divides the logits.
        top_k: most probable tokens kept; 0 = all.
        top_p: the smallest set whose probability reaches it is kept; 1 = all.
        banned: [V], true where the rules forbid a token, or None.
        rows: number of the most probable tokens in the table.
        always: ids that are in the table whatever their rank.
        text: returns the label of an id.

    Returns:
        NextToken; tokens with equal probability are in the order of their ids.

    Raises:
        ValueError: a setting is outside its range, an array has another shape, or every token is banned.
    """
    values = np.asarray(logits, dtype=np.float64)
    allowed = np.ones(values.shape, dtype=bool) if banned is None else ~np.asarray(banned, dtype=bool)
    _check(values, allowed, temperature, top_k, top_p, always)
    scaled = values / temperature
    order = np.argsort(-values, kind="stable")
    last_k, last_p = _last_kept(scaled[order[allowed[order]]], top_k, top_p)
    removed = np.select([~allowed, scaled < last_k, scaled < last_p], [1, 2, 3], 0)  # indices of _CUTS
    kept = removed == 0
    probabilities = _softmax(values)
    after = _softmax(np.where(kept, scaled, -np.inf))
    shown = np.zeros(values.shape, dtype=bool)
    shown[order[:rows]] = True
    shown[list(always)] = True
    ids = order[shown[order]]
    ranks = 1 + np.searchsorted(-values[order], -values[ids])
    columns = (ids, ranks, values[ids], scaled[ids], probabilities[ids], removed[ids], after[ids])
    return NextToken(
        candidates=tuple(
            Candidate(token, text(token), rank, logit, tempered, probability, _CUTS[cut], share)
            for token, rank, logit, tempered, probability, cut, share in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ),
        others=int(np.sum(~shown)),
        others_kept=int(np.sum(kept & ~shown)),
        others_probability=float(probabilities[~shown].sum()),
        others_after=float(after[~shown].sum()),
        kept=int(kept.sum()),
        kept_probability=float(probabilities[kept].sum()),
        entropy=float(entropy(probabilities)),
        entropy_after=float(entropy(after)),
    )


def entropy(probabilities: NDArray[Any]) -> Numbers:
    """Return -sum p ln p over the last axis, in nats; 0 ln 0 = 0."""
    wide = np.asarray(probabilities, dtype=np.float64)
    logs = np.log(wide, out=np.zeros_like(wide), where=wide > 0)
    return np.asarray(-np.sum(wide * logs, axis=-1)) + 0.0  # no -0.0


def _check(
    values: Numbers, allowed: NDArray[np.bool_], temperature: float, top_k: int, top_p: float, always: Sequence[int]
) -> None:
    """Check the arguments of `next_token_distribution`; raises ValueError."""
    if values.ndim != 1 or allowed.shape != values.shape:
        raise ValueError(
            "logits and banned must both have the shape [V]. "
            f"Received: logits {list(values.shape)}, banned {list(allowed.shape)}"
        )
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be a number above 0. Received: temperature={temperature}")
    if top_k < 0:
        raise ValueError(f"top_k must be at least 0. Received: top_k={top_k}")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1. Received: top_p={top_p}")
    if strange := [token for token in always if not 0 <= token < len(values)]:
        raise ValueError(f"always must hold ids from 0 to {len(values) - 1}. Received: {strange[0]}")
    if not allowed.any():
        raise ValueError(f"at least one token must be allowed. Received: all {len(values)} banned")


def _last_kept(ordered: Numbers, top_k: int, top_p: float) -> tuple[float, float]:
    """Return the lowest scaled logits that top-k and top-p keep; `ordered` are those of allowed tokens, best first."""
    within = ordered[: top_k or None]
    if top_p == 1:  # the sum may reach 1 by rounding before the last token
        return float(within[-1]), float(within[-1])
    before = np.concatenate([[0.0], np.cumsum(_softmax(within))[:-1]])
    return float(within[-1]), float(within[before < top_p][-1])


def _softmax(logits: Numbers) -> Numbers:
    """Return probabilities [V]; 0 for a logit of minus infinity."""
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())
