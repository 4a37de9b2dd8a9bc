"""The table of the tokens that could stand at a step, before and after temperature and cut."""

from typing import Any

from core.config import END
from core.explain.decoding.distribution import Candidate, NextToken
from core.figures.decoding.distribution import cut_meaning, sum_line
from core.figures.shared.wording import BLANK, number, percent
from core.words import say
from pages.shared.components import component

probability_table = component(__file__, fork={"id": int})
"""Calls `on_fork_change` when someone wants another token here; `st.session_state[key].fork` is then its {id}."""


def table_data(
    distribution: NextToken, chosen: int, reference: int | None, settings: tuple[float, int, float]
) -> dict[str, Any]:
    """Return what the script draws; `cut` is the row above the line of the cut, -1 for no line.

    Args:
        distribution: of the step.
        chosen: id of the token that was written.
        reference: id of the token that the reference has here, or None.
        settings: temperature, top-k (0: all) and top-p (1: all) that made the distribution.
    """
    rows = [
        _row(candidate) | {"chosen": candidate.id == chosen, "reference": candidate.id == reference}
        for candidate in distribution.candidates
    ]
    others = {
        "text": say("all other tokens ({amount:,})", amount=distribution.others),
        "kept": say("{amount:,} kept", amount=distribution.others_kept),
        "removed": not distribution.others_kept,
        "before": _share(distribution.others_probability),
        "after": _share(distribution.others_after),
    }
    return {
        "temperature": f"{settings[0]:g}",
        "meaning": cut_meaning(*settings[1:]),
        "rows": rows,
        "others": others if distribution.others else None,
        "cut": distribution.cut_row,
        "sum": sum_line(distribution),
    }


def _row(candidate: Candidate) -> dict[str, Any]:
    end = candidate.id == END
    here = say("Write “{token}” here instead", token=candidate.text.strip())
    return {
        "id": candidate.id,
        "text": candidate.text,
        "end": end,
        "action": say("End the summary here instead") if end else here,
        "rank": f"{candidate.rank:,}",
        "logit": number(candidate.logit),
        "scaled": number(candidate.scaled),
        "kept": say("rule") if candidate.cut == "rule" else candidate.cut or "✓",
        "before": _share(candidate.probability),
        "after": _share(candidate.after),
    }


def _share(value: float) -> list[Any]:
    """Return the length of a bar, 0 to 1, and the number on it."""
    if value == 0:
        text = f"0{BLANK}%"
    elif value < 0.001:
        text = f"< 0.1{BLANK}%"
    else:
        text = f"> 99.9{BLANK}%" if 0.999 < value < 1 else percent(value)
    return [round(value, 6), text]
