"""A branch in numbers: as columns of a table, and in one line."""

from collections.abc import Sequence

from core.explain.beams import length_score
from core.explain.branches import Branch
from core.figures.wording import nats, number
from core.scoring.rouge import rouge


def numbers(branch: Branch, penalty: float, references: Sequence[str]) -> dict[str, float]:
    """Return a branch's length, log-probability (nats) and scores, by their names; ROUGE only with a reference."""
    count = max(len(branch.ids), 1)
    found = {
        "Tokens": count,
        "Log-probability": branch.log_probability,
        "Per token": branch.log_probability / count,
        "Score": length_score(branch.log_probability, len(branch.ids), penalty),
    }
    if references:
        scores = rouge(branch.text, references, "max")
        found |= {f"ROUGE-{name}": getattr(scores, f"rouge{name}") for name in "12L"}
    return found


def line(branch: Branch, penalty: float, references: Sequence[str]) -> str:
    """Return the same numbers in one line."""
    found = numbers(branch, penalty, references)
    parts = [
        f"{found['Tokens']} tokens{'' if branch.finished else ', cut'}",
        f"log-probability {nats(found['Log-probability'])}",
        f"{number(found['Per token'])} a token",
        f"score {number(found['Score'])} at length penalty {penalty:g}",
    ]
    if references:
        parts.append("ROUGE-1/2/L " + " / ".join(f"{found[f'ROUGE-{name}']:.1f}" for name in "12L"))
    return " · ".join(parts)
