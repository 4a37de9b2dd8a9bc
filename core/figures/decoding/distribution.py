"""The distribution of one step in words and columns; its table is drawn by a component."""

from typing import Any

from core.explain.decoding.distribution import NextToken
from core.figures.shared.wording import BLANK, listed, percent, quoted
from core.trace import DecodingStep
from core.words import say


def sentence(distribution: NextToken, written: DecodingStep, step: int) -> str:
    """Return what the table says of the token that was written at a step, counted from 0."""
    after = next((candidate.after for candidate in distribution.candidates if candidate.id == written.token.id), 0.0)
    return say(
        "Step {step}: {token} was written; it has {share} of the whole vocabulary's probability, rank {rank}, and "
        "{after} after the cut.",
        step=step + 1,
        token=quoted(written.token),
        share=percent(written.probability),
        rank=written.rank,
        after=percent(after),
    )


def columns(distribution: NextToken) -> dict[str, list[Any]]:
    """Return the table as it is saved; the last row is of all other tokens."""
    names = ("rank", "id", "text", "logit", "scaled", "cut", "probability", "after")
    others = {"text": f"all other tokens ({distribution.others})", "probability": distribution.others_probability}
    others |= {"after": distribution.others_after, "cut": f"{distribution.others_kept} kept"}
    return {
        name: [*(getattr(candidate, name) for candidate in distribution.candidates), others.get(name)] for name in names
    }


def cut_meaning(top_k: int, top_p: float) -> str:
    """Return one sentence for each sign in the column that says what was kept."""
    parts = [say("✓: it can be drawn.")]
    if top_k:
        parts.append(say("top-k: not among the {count:,} most probable tokens.", count=top_k))
    if top_p < 1:
        share = f"{100 * top_p:g}{BLANK}%"
        parts.append(say("top-p: not needed to reach {share} with the most probable tokens.", share=share))
    return " ".join([*parts, say("{sign}: not allowed at this step.", sign=say("rule"))])


def sum_line(distribution: NextToken) -> str:
    """Return the check that both columns add up, and what the cut did."""
    before = sum(candidate.probability for candidate in distribution.candidates) + distribution.others_probability
    after = sum(candidate.after for candidate in distribution.candidates) + distribution.others_after
    totals = dict.fromkeys(percent(round(total, 4)) for total in (before, after))
    entropies = say(
        "entropy {before:.2f} nats over the whole vocabulary, {after:.2f} after the cut",
        before=distribution.entropy,
        after=distribution.entropy_after,
    )
    share = percent(distribution.kept_probability)
    values = {"kept": distribution.kept, "all": len(distribution.candidates) + distribution.others, "share": share}
    if distribution.kept == 1:
        kept = say(
            "{kept:,} of {all:,} tokens kept, which holds {share} of the whole vocabulary's probability", **values
        )
    else:
        kept = say(
            "{kept:,} of {all:,} tokens kept, which hold {share} of the whole vocabulary's probability", **values
        )
    return " · ".join((say("Together {totals}", totals=listed(list(totals))), entropies, kept))
