"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) by the `rouge-score` library, with stemming."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from core.errors import SettingsError
from core.runtime.imports import without

ReferenceMode = Literal["first", "mean", "max"]
NAMES = ("rouge1", "rouge2", "rougeL")


@dataclass(frozen=True, slots=True)
class Rouge:
    """F-measures, 0 to 100."""

    rouge1: float
    rouge2: float
    rougeL: float


def rouge(candidate: str, references: Sequence[str], mode: ReferenceMode = "first") -> Rouge:
    """Score one candidate.

    Args:
        candidate: the summary; an empty one scores 0.
        references: at least one reference.
        mode: "first" reference, "mean" over all, or "max" of each measure over all.

    Returns:
        The F-measures.

    Raises:
        SettingsError: no reference, or an unknown mode.
    """
    if mode not in get_args(ReferenceMode):
        raise SettingsError(f"mode must be one of {', '.join(get_args(ReferenceMode))}. Received: mode={mode!r}")
    if not references:
        raise SettingsError("ROUGE needs at least one reference. Received: none")
    used = references[:1] if mode == "first" else references
    scores = [_scorer().score(reference, candidate) for reference in used]
    values = {name: [100.0 * score[name].fmeasure for score in scores] for name in NAMES}
    join = max if mode == "max" else _mean
    return Rouge(**{name: join(each) for name, each in values.items()})


def mean_rouge(scores: Sequence[Rouge]) -> Rouge:
    """Return the mean of each measure over a corpus; zeros for an empty one."""
    return Rouge(**{name: _mean([getattr(score, name) for score in scores]) for name in NAMES})


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@cache
def _scorer() -> Any:
    with without("scipy", "sklearn"):
        from rouge_score import rouge_scorer

    return rouge_scorer.RougeScorer(list(NAMES), use_stemmer=True)
