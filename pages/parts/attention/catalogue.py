"""What every head tends to do, measured over a corpus, and how it ranks among the other heads."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from core.explain.catalogue import Catalogue, CatalogueHead
from core.explain.head_types import MEANINGS, THRESHOLDS
from core.figures import attention as figures
from core.figures.wording import KIND_NAMES
from pages.parts.attention import view
from pages.parts.attention.view import AttentionView
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.frame import family
from pages.shared.frame.fields import Choice
from pages.shared.frame.notices import literal

MEASURES = {
    "entropy": "entropy, normalised (0 to 1)",
    "gini": "Gini index: sparsity (0 to 1)",
    "effective": "effective number of keys",
    "confidence": "mean maximum of a row",
    "offset_rate": "share of rows with their maximum at the commonest offset",
    "sink": "weight on special tokens and punctuation",
    "speakers": "weight on speaker tags",
    "previous": "weight on the token before",
    "following": "weight on the token after",
    "same": "weight on the same token",
    "turn": "weight inside the own turn",
}
MEASURE = Choice("measure", tuple(MEASURES))
HOW = (
    "A head has a **type** where it reaches a published threshold. If it reaches none, the table names the type of "
    "whose threshold it reaches most: “nearest”. It **stands out by** the score that is most standard deviations "
    "above the mean of all heads of its kind. Ranks are among these heads. Click a heading of the table to sort. "
    "A head may do something else on your dialogue."
)


def draw(found: AttentionView) -> None:
    """Draw the catalogue: a map of the heads, their types, and every statistic."""
    if not family.has_or_note("heads", "heads that could be measured"):
        return
    measured, reason = found.measured()
    if measured is None:
        st.info(literal(reason), icon=":material/info:")
        st.code("python -m core heads DATA --checkpoint NAME --limit 200 --output checkpoints/NAME/heads.json")
        return
    st.markdown(f"Means over {measured.dialogues} dialogues of {literal(measured.data)}. {HOW}")
    _map(found, measured)
    rows = [each for each in measured.heads if each.scores.kind == found.kind]
    st.markdown(f"**{KIND_NAMES[found.kind]}: types and ranks**")
    types = types_table(measured, rows)
    st.dataframe(types, hide_index=True, alt="Type and rank of every head")
    with st.expander("What the scores measure, and the published thresholds", icon=":material/straighten:"):
        st.markdown("\n".join(f"- **{name}**: {meaning}{_published(name)}" for name, meaning in MEANINGS.items()))
    st.markdown(f"**{KIND_NAMES[found.kind]}: every statistic**")
    numbers = numbers_table(rows)
    st.dataframe(numbers, hide_index=True, alt="Statistics of every head")
    pictures.save_table(types | numbers, "heads", "save_heads")
    st.caption(f"Measured by: {literal(measured.command)}")


def _map(found: AttentionView, measured: Catalogue) -> None:
    """Draw the choice of a statistic, and every head as a square of that colour."""
    select("Measure", {name: text.capitalize() for name, text in MEASURES.items()}, MEASURE, width=420)
    layers, heads = found.weights.shape[:2]
    values, tags = np.full((layers, heads), np.nan, dtype=np.float32), [["not measured"] * heads for _ in range(layers)]
    labels = measured.labels()
    for each in measured.heads:
        kind, layer, head = each.place
        value = getattr(each.scores, MEASURE.value)
        if kind == found.kind and layer < layers and head < heads:
            tags[layer][head] = labels.get(each.place, "not measured")
            values[layer, head] = np.nan if value is None else value
    pictures.show(
        figures.head_map(values, MEASURES[MEASURE.value], tags, measured.dialogues, found.layer, found.head or 0),
        "head_map",
        on_select=lambda: view.show_clicked("head_map", heads),
    )


def types_table(measured: Catalogue, rows: Sequence[CatalogueHead]) -> dict[str, list[Any]]:
    """Return for each head its type or the nearest, with score, threshold and rank, and by what it stands out."""
    table: dict[str, list[Any]] = {"Layer": [], "Head": []}
    for head in rows:
        kind, out = measured.nearest(head), measured.outstanding(head)
        line = {"Layer": head.scores.layer + 1, "Head": head.scores.head + 1}
        cells: dict[str, Any] = {
            "Type": kind.type_text if kind else "not measured",
            "Type's score": kind.score if kind else None,
            "Threshold": THRESHOLDS[kind.name].value if kind else None,
            "Rank": kind.place if kind else None,
            "Stands out by": out.name if out else "",
            "Its score": out.score if out else None,
            "Mean of all": out.mean if out else None,
            "Its rank": out.place if out else None,
        }
        for name, value in (line | cells).items():
            table.setdefault(name, []).append(value)
    return table


def numbers_table(rows: Sequence[CatalogueHead]) -> dict[str, list[Any]]:
    """Return every statistic that is defined for these heads."""
    table: dict[str, list[Any]] = {
        "Layer": [each.scores.layer + 1 for each in rows],
        "Head": [each.scores.head + 1 for each in rows],
    }
    for name in asdict(rows[0].scores) if rows else ():
        column = [getattr(each.scores, name) for each in rows]
        if name not in ("kind", "layer", "head") and any(value is not None for value in column):
            table[name] = column
    return table


def _published(name: str) -> str:
    """Return the threshold of a type with its source."""
    if name not in THRESHOLDS:
        return " (no published threshold: only ranked)"
    found = THRESHOLDS[name]
    return f" ({'at most' if found.at_most else 'at least'} {found.value:g}; {found.source})"
