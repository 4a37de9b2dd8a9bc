"""The numbers of a summary as tables: its tokens, the other hypotheses of the beam, ROUGE against references."""

from collections.abc import Sequence
from typing import Any

from core.scoring.rouge import rouge
from core.trace import Summary
from core.words import later, say


def tokens(summary: Summary) -> dict[str, list[Any]]:
    """Return a row a token; the headings are marked with `later`."""
    return {
        later("Token"): [step.token.text for step in summary.steps],
        later("Probability"): [step.probability for step in summary.steps],
        later("Rank"): [step.rank for step in summary.steps],
        later("Log-probability"): [step.log_probability for step in summary.steps],
        later("Entropy (nats)"): [step.entropy for step in summary.steps],
        later("Copied"): [step.copied for step in summary.steps],
    }


def hypotheses(summary: Summary) -> dict[str, list[Any]]:
    """Return a row a finished hypothesis of the beam, best first; the headings are marked with `later`."""
    finished = summary.hypotheses
    return {
        later("Score"): [hypothesis.score for hypothesis in finished],
        later("Log-probability"): [hypothesis.log_probability for hypothesis in finished],
        later("Tokens"): [len(hypothesis.ids) for hypothesis in finished],
        later("Summary"): [hypothesis.text for hypothesis in finished],
    }


ROUGE = later("ROUGE counts shared words (1), word pairs (2) and the longest common sequence (L), 0 to 100.")
"""What the columns of `references` mean; marked with `later`."""


def references(text: str, references: Sequence[str]) -> dict[str, list[Any]]:
    """Return the ROUGE of a text against each reference, then the best; the headings are marked with `later`."""
    scores = [*(rouge(text, [reference]) for reference in references), rouge(text, references, "max")]
    numbers = {f"ROUGE-{name}": [getattr(score, f"rouge{name}") for score in scores] for name in "12L"}
    names = [*(str(number) for number in range(1, len(scores))), say("Best")]
    return {later("Reference"): names, **numbers}
