"""The table of the tokens that could stand at a step, before and after temperature and cut."""

from collections.abc import Callable
from typing import Any

from core.config import END
from core.explain.distribution import Candidate, NextToken
from core.figures.wording import percent
from pages.shared.components import component

_PROBABILITY_TABLE = component(__file__)


def probability_table(
    next_token: NextToken,
    *,
    chosen: int,
    reference: int | None,
    settings: tuple[float, int, float],
    key: str,
    on_fork: Callable[[], None],
) -> None:
    """Draw the tokens that could stand at a step, before and after temperature and cut.

    Args:
        next_token: the distribution.
        chosen: id of the token that was written.
        reference: id of the token that the reference has here, or None.
        settings: temperature, top-k (0: all) and top-p (1: all) that made the distribution.
        key: of the component; `st.session_state[key].fork` is {id} inside `on_fork`.
        on_fork: called when someone wants another token here.
    """
    data = table_data(next_token, chosen, reference, settings)
    _PROBABILITY_TABLE(key=key, data=data, on_fork_change=on_fork)


def table_data(
    next_token: NextToken, chosen: int, reference: int | None, settings: tuple[float, int, float]
) -> dict[str, Any]:
    """Return what the script draws; `cut` is the row above the line of the cut, -1 for no line."""
    rows = [
        _table_row(each) | {"chosen": each.id == chosen, "reference": each.id == reference}
        for each in next_token.candidates
    ]
    others = {
        "text": f"all other tokens ({next_token.others:,})",
        "kept": f"{next_token.others_kept:,} kept",
        "removed": not next_token.others_kept,
        "before": _share(next_token.others_probability),
        "after": _share(next_token.others_after),
    }
    return {
        "temperature": f"{settings[0]:g}",
        "meaning": _cut_meaning(*settings[1:]),
        "rows": rows,
        "others": others if next_token.others else None,
        "cut": _cut_row(next_token),
        "sum": _sum_line(next_token),
    }


def _table_row(candidate: Candidate) -> dict[str, Any]:
    end = candidate.id == END
    return {
        "id": candidate.id,
        "text": candidate.text,
        "end": end,
        "action": "End the summary here instead" if end else f"Write “{candidate.text.strip()}” here instead",
        "rank": f"{candidate.rank:,}",
        "logit": f"{candidate.logit:.2f}".replace("-", "−"),
        "scaled": f"{candidate.scaled:.2f}".replace("-", "−"),
        "kept": candidate.cut or "✓",
        "before": _share(candidate.probability),
        "after": _share(candidate.after),
    }


def _share(value: float) -> list[Any]:
    """Return the length of a bar, 0 to 1, and the number on it."""
    text = "0\u00a0%" if value == 0 else percent(value).replace("under", "<").replace("over", ">")
    return [round(value, 6), text]


def _cut_row(next_token: NextToken) -> int:
    """Return the last kept row, if the kept ones are the most probable of those that the rules allow; otherwise -1."""
    allowed = [(index, each.cut) for index, each in enumerate(next_token.candidates) if each.cut != "rule"]
    kept = [index for index, cut in allowed if not cut]
    below = len(allowed) > len(kept) or next_token.others > next_token.others_kept == 0
    in_order = kept == [index for index, _ in allowed[: len(kept)]]
    return kept[-1] if kept and below and in_order else -1


def _cut_meaning(top_k: int, top_p: float) -> str:
    """Return one sentence for each sign in the column that says what was kept."""
    parts = ["✓: it can be drawn."]
    if top_k:
        parts.append(f"top-k: not among the {top_k:,} most probable tokens.")
    if top_p < 1:
        parts.append(f"top-p: not needed to reach {100 * top_p:g}\u00a0% with the most probable tokens.")
    return " ".join([*parts, "rule: not allowed at this step."])


def _sum_line(next_token: NextToken) -> str:
    """Return the check that both columns add up, and what the cut did."""
    before = sum(each.probability for each in next_token.candidates) + next_token.others_probability
    after = sum(each.after for each in next_token.candidates) + next_token.others_after
    totals = dict.fromkeys(percent(round(total, 4)) for total in (before, after))
    hold = "holds" if next_token.kept == 1 else "hold"
    return (
        f"Together {' and '.join(totals)} · entropy {next_token.entropy:.2f} nats over the whole vocabulary, "
        f"{next_token.entropy_after:.2f} after the cut · "
        f"{next_token.kept:,} of {len(next_token.candidates) + next_token.others:,} tokens kept, which {hold} "
        f"{percent(next_token.kept_probability)} of the whole vocabulary's probability"
    )
