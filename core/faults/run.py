"""Run every detector on one summary, with probabilities, attention and swaps of the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.faults.detectors import find_faults
from core.faults.fault import Fault
from core.faults.source import written_tags
from core.faults.swaps import swap_faults
from core.text.dialogue import Dialogue
from core.text.encoded import AnyTokenizer, EncodedDialogue
from core.trace import AttentionTrace

if TYPE_CHECKING:
    from core.service import Summarizer
    from core.trace import Summary


def forced_faults(
    summarizer: "Summarizer",
    encoded: EncodedDialogue,
    summary: str,
    forced: "Summary",
    references: Sequence[str] = (),
) -> tuple[Fault, ...]:
    """Find every hint for a summary that was forced already: `forced` is its run over the encoded dialogue."""
    return _by_rules(forced, summary, summarizer.tokenizer, references) + swap_faults(summarizer, encoded, summary)


def run_faults(run: "Summary", tokenizer: AnyTokenizer, references: Sequence[str] = ()) -> tuple[Fault, ...]:
    """Find the hints for a run that need no model: rules, confidence and attention.

    Args:
        run: the run.
        tokenizer: of the checkpoint that wrote it.
        references: reference summaries, if any.
    """
    return _by_rules(run, run.text, tokenizer, references)


def _by_rules(run: "Summary", summary: str, tokenizer: AnyTokenizer, references: Sequence[str]) -> tuple[Fault, ...]:
    # The spans of the tokens are only valid if decoding gives the same text again.
    tokens = written_tokens(run) if run.text == summary else ()
    attention, tags = turn_attention(run.attention, run.dialogue), written_tags(tokenizer, run.dialogue)
    return find_faults(
        run.dialogue,
        summary,
        references=references,
        tokens=tokens,
        attention=attention,
        tags=tags,
        ended=None if run.forced else run.finished,
    )


@dataclass(frozen=True, slots=True)
class ForcedToken:
    """A token of a given summary: its characters and its probability under teacher forcing."""

    start: int
    end: int
    probability: float


def written_tokens(summary: "Summary") -> tuple[ForcedToken, ...]:
    """Return the tokens of a trace with their probabilities, the end token left out."""
    steps = (step for step in summary.steps if step.token.end > step.token.start)
    return tuple(ForcedToken(step.token.start, step.token.end, step.probability) for step in steps)


def turn_attention(attention: AttentionTrace, dialogue: Dialogue) -> tuple[float, ...]:
    """Return each turn's share of the copy distribution, else of the mean of the last layer's cross-attention.

    Returns:
        One share for each turn, with sum 1; () for a model without attention.
    """
    if attention.copy is not None:
        columns = attention.copy.sum(axis=0)
    elif attention.cross is not None and len(attention.cross):
        columns = attention.cross[-1].mean(axis=0).sum(axis=0)
    else:
        return ()
    shares = np.zeros(len(dialogue.turns))
    for token, weight in zip(attention.source, columns, strict=True):
        if token.turn is not None:
            shares[token.turn] += float(weight)
    total = shares.sum()
    return tuple(float(share / total) for share in shares) if total > 0 else ()
