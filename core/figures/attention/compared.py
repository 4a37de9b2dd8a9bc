"""Two checkpoints on the same dialogue, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.explain.attention.catalogue import Catalogue
from core.explain.attention.inside import Kind
from core.figures.shared.wording import KIND_NAMES, nats
from core.scoring.rouge import rouge
from core.trace import Summary
from core.words import later, say


@dataclass(frozen=True, eq=False)
class Compared:
    """One of the checkpoints.

    Args:
        name: of the checkpoint.
        summary: what it wrote.
        card: of the checkpoint.
        catalogue: of its heads, None if they were not measured.
    """

    name: str
    summary: Summary
    card: Mapping[str, Any]
    catalogue: Catalogue | None


def table(both: Sequence[Compared], kind: Kind, references: Sequence[str]) -> dict[str, list[str]]:
    """Return a row a measure and a column a checkpoint; what was measured for none of them has no row.

    Args:
        both: the checkpoints.
        kind: the attention without which summaries lose probability.
        references: of the dialogue; without one, this summary has no scores.
    """
    columns = [_measures(checkpoint, kind, references) for checkpoint in both]
    names = [name for name in columns[0] if any(column[name] for column in columns)]
    columns_by_name = {
        checkpoint.name: [column[name] or "–" for name in names]
        for checkpoint, column in zip(both, columns, strict=True)
    }
    return {later("Measure"): names, **columns_by_name}


def _measures(checkpoint: Compared, kind: Kind, references: Sequence[str]) -> dict[str, str]:
    here = rouge(checkpoint.summary.text, references) if references else None
    scores = checkpoint.card.get("scores") or {}
    many = scores.get("rouge") or {}
    bertscore = (scores.get("bertscore") or {}).get("f1")
    catalogue = checkpoint.catalogue
    typed = (
        sum(bool((near := catalogue.nearest(head)) and near.reached) for head in catalogue.heads) if catalogue else 0
    )
    lost = catalogue.effects.of(kind) if catalogue and catalogue.effects else None
    of_all = say("{count} of {all}", count=typed, all=len(catalogue.heads)) if catalogue else ""
    return {
        say("ROUGE-1 / 2 / L of this summary"): _three(here.rouge1, here.rouge2, here.rougeL) if here else "",
        say("ROUGE-1 / 2 / L, mean of many"): _three(*many.values()) if len(many) == 3 else "",
        say("BERTScore F1, mean of many"): "" if bertscore is None else f"{bertscore:.3f}",
        say("Heads that reach a published type"): of_all,
        say("{attention} off: nats lost per token", attention=say(KIND_NAMES[kind])): ""
        if lost is None
        else nats(lost),
    }


def _three(*scores: float) -> str:
    return " / ".join(f"{score:.1f}" for score in scores)
