"""A branch in numbers: as columns of a table, and in one line."""

from collections.abc import Sequence

from core.explain.decoding.beams import length_score
from core.explain.decoding.branches import Branch
from core.figures.shared.wording import count, nats, number
from core.scoring.rouge import rouge
from core.words import later, say


def numbers(branch: Branch, penalty: float, references: Sequence[str]) -> dict[str, float]:
    """Return a branch's length, log-probability (nats) and scores, by their names, marked with `later`.

    ROUGE needs a reference.
    """
    by_name = {
        later("Tokens"): len(branch.ids),
        later("Log-probability"): branch.log_probability,
        later("Per token"): branch.mean,
        later("Score"): length_score(branch.log_probability, len(branch.ids), penalty),
    }
    if references:
        scores = rouge(branch.text, references, "max")
        by_name |= {f"ROUGE-{name}": getattr(scores, f"rouge{name}") for name in "12L"}
    return by_name


def line(branch: Branch, penalty: float, references: Sequence[str]) -> str:
    """Return the same numbers in one line."""
    values = numbers(branch, penalty, references)
    tokens = count(int(values["Tokens"]), "token")
    parts = [
        tokens if branch.finished else say("{tokens}, cut", tokens=tokens),
        say("log-probability {value}", value=nats(values["Log-probability"])),
        say("{value} a token", value=number(values["Per token"])),
        say("score {score} at length penalty {penalty:g}", score=number(values["Score"]), penalty=penalty),
    ]
    if references:
        parts.append("ROUGE-1/2/L " + " / ".join(f"{values[f'ROUGE-{name}']:.1f}" for name in "12L"))
    return " · ".join(parts)
