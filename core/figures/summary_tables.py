"""The numbers of a summary as tables: its tokens, the other hypotheses of the beam, ROUGE against references."""

from collections.abc import Sequence
from typing import Any

from core.scoring.rouge import rouge
from core.trace import Summary


def tokens(summary: Summary) -> dict[str, list[Any]]:
    """Return a row a token."""
    return {
        "Token": [step.token.text for step in summary.steps],
        "Probability": [step.probability for step in summary.steps],
        "Rank": [step.rank for step in summary.steps],
        "Log-probability": [step.log_probability for step in summary.steps],
        "Entropy (nats)": [step.entropy for step in summary.steps],
        "Copied": [step.copied for step in summary.steps],
    }


def hypotheses(summary: Summary) -> dict[str, list[Any]]:
    """Return a row a finished hypothesis of the beam, best first."""
    found = summary.hypotheses
    return {
        "Score": [each.score for each in found],
        "Log-probability": [each.log_probability for each in found],
        "Tokens": [len(each.ids) for each in found],
        "Summary": [each.text for each in found],
    }


ROUGE = "ROUGE counts shared words (1), word pairs (2) and the longest common sequence (L), 0 to 100."
"""What the columns of `references` mean."""


def references(text: str, references: Sequence[str]) -> dict[str, list[Any]]:
    """Return the ROUGE of a text against each reference, then against the best of them."""
    scores = [*(rouge(text, [each]) for each in references), rouge(text, references, "max")]
    numbers = {f"ROUGE-{name}": [getattr(score, f"rouge{name}") for score in scores] for name in "12L"}
    return {"Reference": [*(str(number) for number in range(1, len(scores))), "Best"], **numbers}
