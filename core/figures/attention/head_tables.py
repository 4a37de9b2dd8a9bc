"""What a catalogue of heads holds, as tables and as a map; two checkpoints on the same dialogue, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.explain.attention.catalogue import Catalogue, CatalogueHead, Effects
from core.explain.attention.head_types import THRESHOLDS
from core.explain.attention.inside import Kind
from core.figures.attention.maps import head_map
from core.figures.shared.picture import Picture
from core.figures.shared.wording import KIND_NAMES, count, listed, nats, number
from core.scoring.rouge import rouge
from core.trace import Summary
from core.words import later, say

MEASURES: Mapping[str, str] = {
    "entropy": later("entropy, normalised (0 to 1)"),
    "gini": later("Gini index: sparsity (0 to 1)"),
    "effective": later("effective number of keys"),
    "confidence": later("mean maximum of a row"),
    "offset_rate": later("share of rows with their maximum at the commonest offset"),
    "sink": later("weight on special tokens and punctuation"),
    "speakers": later("weight on speaker tags"),
    "previous": later("weight on the token before"),
    "following": later("weight on the token after"),
    "same": later("weight on the same token"),
    "copied": later("share of tokens to copy that get the largest weight"),
    "turn": later("weight inside the own turn"),
    "effect": later("nats a token lost without the head"),
}
"""Statistics of a head that a map can show."""
LOST = later("Nats a token lost without it")
DARKEST = 0.1
"""Nats of the darkest colour of a map, unless a head has more."""


def measures(catalogue: Catalogue, kind: Kind) -> dict[str, str]:
    """Return the statistics that a catalogue has of a kind: weight on the token before is none of cross-attention."""
    heads = [head for head in catalogue.heads if head.scores.kind == kind]
    return {
        name: say(text)
        for name, text in MEASURES.items()
        if any(_value(catalogue, head, name) is not None for head in heads)
    }


def measured_map(
    catalogue: Catalogue, kind: Kind, measure: str, shape: tuple[int, int], open_head: tuple[int, int]
) -> Picture:
    """Draw a statistic of every head of a kind as the colour of a square.

    Args:
        catalogue: of the heads of a checkpoint.
        kind: of attention.
        measure: one of `MEASURES`.
        shape: layers and heads of the model; a head that was not measured has no colour.
        open_head: the head that the page looks at.
    """
    values = np.full(shape, np.nan, dtype=np.float32)
    unknown = say("not measured")
    tags = [[unknown] * shape[1] for _ in range(shape[0])]
    labels = catalogue.labels()
    for measured in catalogue.heads:
        _, layer, head = measured.place
        value = _value(catalogue, measured, measure)
        if measured.place.kind == kind and layer < shape[0] and head < shape[1]:
            tags[layer][head] = labels.get(measured.place, unknown)
            values[layer, head] = np.nan if value is None else value
    lost = catalogue.effects if measure == "effect" else None
    dialogues, darkest = (lost.dialogues, DARKEST) if lost else (catalogue.dialogues, 1.0)
    return head_map(values, MEASURES[measure], tags, dialogues, *open_head, darkest)


def lost_without(effects: Effects, kind: Kind) -> str:
    """Return what the model's own summaries lose without a kind of attention, and without each of its layers."""
    layers = [effects.of(kind, layer) for layer in range(len(effects.nats))]
    losses = listed(
        [
            say("{nats} without layer {layer}", nats=number(lost), layer=layer + 1)
            for layer, lost in enumerate(layers)
            if lost is not None
        ]
    )
    return say(
        "{attention} switched off: the model’s own summaries lose {lost} a token; {layers} alone. Measured under "
        "teacher forcing on {dialogues}, {tokens}.",
        attention=say(KIND_NAMES[kind]),
        lost=nats(effects.of(kind) or 0.0),
        layers=losses,
        dialogues=count(effects.dialogues, "dialogue"),
        tokens=count(effects.tokens, "token"),
    )


def types_table(catalogue: Catalogue, heads: Sequence[CatalogueHead]) -> dict[str, list[Any]]:
    """Return for each head its type or the nearest, with score, threshold and rank, and by what it stands out."""
    rows: list[dict[str, Any]] = []
    for head in heads:
        by_type, out = catalogue.type_or_nearest(head), catalogue.outstanding(head)
        rows.append(
            {
                later("Layer"): head.scores.layer + 1,
                later("Head"): head.scores.head + 1,
                later("Type"): by_type.type_text if by_type else say("not measured"),
                later("Type's score"): by_type.score if by_type else None,
                later("Threshold"): THRESHOLDS[by_type.name].value if by_type else None,
                later("Rank"): by_type.place if by_type else None,
                later("Stands out by"): say(out.name) if out else "",
                later("Its score"): out.score if out else None,
                later("Mean of all"): out.mean if out else None,
                later("Its rank"): out.place if out else None,
            }
            | ({LOST: _effect(catalogue, head)} if catalogue.effects else {})
        )
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def numbers_table(heads: Sequence[CatalogueHead]) -> dict[str, list[Any]]:
    """Return every statistic that is defined for one of these heads."""
    rows = [asdict(head.scores) for head in heads]
    table = {later("Layer"): [row["layer"] + 1 for row in rows], later("Head"): [row["head"] + 1 for row in rows]}
    for name in rows[0] if rows else ():
        column = [row[name] for row in rows]
        if name not in ("kind", "layer", "head") and any(value is not None for value in column):
            table[name] = column
    return table


def _effect(catalogue: Catalogue, head: CatalogueHead) -> float | None:
    return catalogue.effects.of(*head.place) if catalogue.effects else None


def _value(catalogue: Catalogue, head: CatalogueHead, measure: str) -> float | None:
    return _effect(catalogue, head) if measure == "effect" else getattr(head.scores, measure)


def threshold(name: str) -> str:
    """Return the published threshold of a type of head with its source, in brackets."""
    if name not in THRESHOLDS:
        return say("(no published threshold: only ranked)")
    published = THRESHOLDS[name]
    if published.at_most:
        return say("(at most {value:g}; {source})", value=published.value, source=say(published.source))
    return say("(at least {value:g}; {source})", value=published.value, source=say(published.source))


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


def compared_table(both: Sequence[Compared], kind: Kind, references: Sequence[str]) -> dict[str, list[str]]:
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
    standings = [catalogue.type_or_nearest(head) for head in catalogue.heads] if catalogue else []
    typed = sum(bool(standing and standing.reached) for standing in standings)
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
