"""A branch in numbers: as columns of a table, and in one line."""

from collections.abc import Sequence

from core.explain.decoding.beams import length_score
from core.explain.decoding.branches import Branch
from core.figures.shared.wording import count, nats, number
from core.scoring.rouge import rouge
from core.words import later, say


def numbers(branch: Branch, penalty: float, references: Sequence[str]) -> dict[str, float]:
    """Return a branch's length, log-probability (nats) and scores, by their names, which are to be said.

    ROUGE is there with a reference only.
    """
    length = max(len(branch.ids), 1)
    found = {
        later("Tokens"): length,
        later("Log-probability"): branch.log_probability,
        later("Per token"): branch.log_probability / length,
        later("Score"): length_score(branch.log_probability, len(branch.ids), penalty),
    }
    if references:
        scores = rouge(branch.text, references, "max")
        found |= {f"ROUGE-{name}": getattr(scores, f"rouge{name}") for name in "12L"}
    return found


def line(branch: Branch, penalty: float, references: Sequence[str]) -> str:
    """Return the same numbers in one line."""
    found = numbers(branch, penalty, references)
    tokens = count(int(found["Tokens"]), "token")
    parts = [
        tokens if branch.finished else say("{tokens}, cut", tokens=tokens),
        say("log-probability {value}", value=nats(found["Log-probability"])),
        say("{value} a token", value=number(found["Per token"])),
        say("score {score} at length penalty {penalty:g}", score=number(found["Score"]), penalty=penalty),
    ]
    if references:
        parts.append("ROUGE-1/2/L " + " / ".join(f"{found[f'ROUGE-{name}']:.1f}" for name in "12L"))
    return " · ".join(parts)
