"""Likelihood swaps: compare a summary with alternatives that have another speaker, name, number or negation.

After the ENDERANKER of Zhu, Qi and Lau (2023, arXiv 2305.16548), with our own model as the judge. A margin measures the
model's doubt, not truth. Summaries that the model wrote itself are near its optimum: few swaps win there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.faults import evidence
from core.faults.alternatives import Alternative, alternatives
from core.faults.fault import Fault
from core.faults.source import written_tags
from core.runtime.queue import CALLS
from core.text.encoded import EncodedDialogue

if TYPE_CHECKING:
    from core.service import Summarizer

MAX_ALTERNATIVES = 15
"""Most alternatives that are scored; with the summary itself they fill two batches of `SCORE_ROWS`."""


@dataclass(frozen=True, slots=True)
class Swap:
    """An alternative, and its likelihood compared with that of the summary under teacher forcing.

    Args:
        alternative: the change.
        per_token: mean log-probability per token of the alternative minus that of the summary, in nats.
        total: log-probability of the alternative minus that of the summary, in nats.
    """

    alternative: Alternative
    per_token: float
    total: float

    @property
    def wins(self) -> bool:
        """Return whether the alternative is more likely by both measures: a shorter text alone is not enough."""
        return self.per_token > 0 and self.total > 0


def weigh_swaps(summarizer: "Summarizer", encoded: EncodedDialogue, summary: str) -> tuple[Swap, ...]:
    """Score every alternative of a summary.

    Args:
        summarizer: the model.
        encoded: the encoded dialogue.
        summary: of the model or of another system.

    Returns:
        At most `MAX_ALTERNATIVES` swaps in the order of `alternatives`; none for a summary that is longer than the
        model's positions.
    """
    ids = summarizer.tokenizer.encode_summary(summary, encoded.speakers)
    pairs = []
    tags = written_tags(summarizer.tokenizer, encoded.dialogue)
    for alternative in alternatives(encoded.dialogue, summary, MAX_ALTERNATIVES, tags):
        other = summarizer.tokenizer.encode_summary(alternative.summary, encoded.speakers)
        if other != ids and len(other) <= summarizer.engine.length:
            pairs.append((alternative, other))
    if not pairs or len(ids) > summarizer.engine.length:
        return ()
    scores = _scores(summarizer, encoded.ids, [ids, *(other for _, other in pairs)])
    base = scores[0]
    return tuple(
        Swap(alternative, score / len(other) - base / len(ids), score - base)
        for (alternative, other), score in zip(pairs, scores[1:], strict=True)
    )


def swap_faults(summarizer: "Summarizer", encoded: EncodedDialogue, summary: str) -> tuple[Fault, ...]:
    """Find words with a more likely alternative; one hint for each, with the best alternative.

    Args:
        summarizer: the model.
        encoded: the encoded dialogue.
        summary: of the model or of another system.

    Returns:
        The hints in the order of the summary; `value` is the margin in nats per token.
    """
    best: dict[tuple[int, int], Swap] = {}
    for swap in weigh_swaps(summarizer, encoded, summary):
        place = (swap.alternative.start, swap.alternative.end)
        if swap.wins and (place not in best or swap.per_token > best[place].per_token):
            best[place] = swap
    return tuple(_fault(best[place]) for place in sorted(best))


def _fault(swap: Swap) -> Fault:
    alternative = swap.alternative
    margin = {"nats": f"{swap.per_token:.2f}", "total": f"{swap.total:.1f}"}
    reason = evidence.more_likely(alternative.change, **margin)
    return Fault(alternative.kind, alternative.start, alternative.end, alternative.turns, reason, swap.per_token)


def _scores(summarizer: "Summarizer", source: Sequence[int], targets: Sequence[Sequence[int]]) -> list[float]:
    """Return the summed log-probability of each target given one source, in nats."""
    from core.decoding.probes import SCORE_ROWS

    log_probabilities: list[float] = []
    for first in range(0, len(targets), SCORE_ROWS):
        batch = targets[first : first + SCORE_ROWS]
        with CALLS.turn():
            rows = summarizer.probes.score([source] * len(batch), batch)
        log_probabilities += [float(row.sum()) for row in rows]
    return log_probabilities
