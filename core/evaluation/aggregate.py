"""Aggregate scores for a checkpoint's card: over all dialogues, and by their length."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from core.evaluation.rows import ScoredSummary
from core.evaluation.totals import Totals
from core.scoring.bootstrap import mean_interval
from core.scoring.rouge import NAMES

EDGES = (0, 70, 100, 130, 170, 230, None)
"""Words of a dialogue, speakers' tags included: each group goes from one number to below the next."""
_DIGITS = 2


def scores_of(rows: Sequence[ScoredSummary]) -> dict[str, Any]:
    """Return mean scores, rates of visible faults, and the scores of each group of lengths, as plain JSON types.

    Args:
        rows: with ROUGE; BERTScore is included if they have it.
    """
    totals = Totals.of(rows)
    facts: dict[str, Any] = {"count": totals.count}
    for name, score in (("rouge", totals.rouge), ("rouge_without_tags", totals.untagged)):
        if score:
            facts[name] = {key: round(value, _DIGITS) for key, value in score.to_dict().items()}
    if totals.bertscore:
        facts["bertscore"] = {key: round(value, 4) for key, value in asdict(totals.bertscore).items()}
    facts["repeated_trigrams"] = totals.repeated
    facts["invented_names_or_numbers"] = totals.invented
    facts["by_length"] = by_length(rows)
    return facts


def by_length(rows: Sequence[ScoredSummary]) -> list[dict[str, Any]]:
    """Return mean scores with 95 % intervals for each group of dialogue lengths (`EDGES`) that has a scored row.

    BERTScore's F1 is `bertscore`, included if every row of the group has it.
    """
    lengths = [len(row.dialogue.split()) for row in rows]
    groups = []
    for low, high in pairwise(EDGES):
        low = low or 0
        inside = [
            (row.rouge, row.bertscore, length)
            for row, length in zip(rows, lengths, strict=True)
            if row.rouge and low <= length and (high is None or length < high)
        ]
        if not inside:
            continue
        group: dict[str, Any] = {"from": low, "to": high, "count": len(inside)}
        group["words"] = round(float(np.mean([length for _, _, length in inside])), 1)
        for name in NAMES:
            group[name] = _interval([getattr(score, name) for score, _, _ in inside], _DIGITS)
        alike = [score.f1 for _, score, _ in inside if score]
        if len(alike) == len(inside):
            group["bertscore"] = _interval(alike, 2 * _DIGITS)
        groups.append(group)
    return groups


def _interval(values: Sequence[float], digits: int) -> list[float]:
    """Return the mean and the ends of its interval."""
    estimate = mean_interval(values)
    return [round(value, digits) for value in (estimate.mean, estimate.low, estimate.high)]
