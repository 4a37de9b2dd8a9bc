"""The distribution of one step in words and columns; its table is drawn by a component."""

from typing import Any

from core.explain.distribution import NextToken
from core.figures.wording import BLANK, percent, quoted
from core.trace import DecodingStep


def sentence(found: NextToken, written: DecodingStep, step: int) -> str:
    """Return what the table says of the token that was written at a step, counted from 0."""
    after = next((each.after for each in found.candidates if each.id == written.token.id), 0.0)
    return (
        f"Step {step + 1}: {quoted(written.token)} was written; it has {percent(written.probability)} of the whole "
        f"vocabulary's probability, rank {written.rank}, and {percent(after)} after the cut."
    )


def columns(found: NextToken) -> dict[str, list[Any]]:
    """Return the table as it is saved; the last row is of all other tokens."""
    names = ("rank", "id", "text", "logit", "scaled", "cut", "probability", "after")
    others = {"text": f"all other tokens ({found.others})", "probability": found.others_probability}
    others |= {"after": found.others_after, "cut": f"{found.others_kept} kept"}
    return {name: [*(getattr(each, name) for each in found.candidates), others.get(name)] for name in names}


def cut_meaning(top_k: int, top_p: float) -> str:
    """Return one sentence for each sign in the column that says what was kept."""
    parts = ["✓: it can be drawn."]
    if top_k:
        parts.append(f"top-k: not among the {top_k:,} most probable tokens.")
    if top_p < 1:
        parts.append(f"top-p: not needed to reach {100 * top_p:g}{BLANK}% with the most probable tokens.")
    return " ".join([*parts, "rule: not allowed at this step."])


def sum_line(found: NextToken) -> str:
    """Return the check that both columns add up, and what the cut did."""
    before = sum(each.probability for each in found.candidates) + found.others_probability
    after = sum(each.after for each in found.candidates) + found.others_after
    totals = dict.fromkeys(percent(round(total, 4)) for total in (before, after))
    return (
        f"Together {' and '.join(totals)} · entropy {found.entropy:.2f} nats over the whole vocabulary, "
        f"{found.entropy_after:.2f} after the cut · "
        f"{found.kept:,} of {len(found.candidates) + found.others:,} tokens kept, "
        f"which {'holds' if found.kept == 1 else 'hold'} "
        f"{percent(found.kept_probability)} of the whole vocabulary's probability"
    )
