"""What every head tends to do, measured over a corpus."""

from dataclasses import asdict

import numpy as np
import streamlit as st

from core.figures import attention as figures
from pages.parts.attention import looks
from pages.parts.attention.looks import Look
from pages.shared import family, pictures
from pages.shared.attention_data import NAMES
from pages.shared.errors import literal
from pages.shared.state import Key

MEASURES = {
    "entropy": "entropy, normalised (0 to 1)",
    "gini": "Gini index: sparsity (0 to 1)",
    "effective": "effective number of keys",
    "confidence": "mean maximum of a row",
    "sink": "mass on marks and punctuation",
    "speakers": "mass on speaker tags",
    "previous": "mass on the token before",
    "same": "mass on the same token",
    "turn": "mass inside the own turn",
}


def draw(look: Look) -> None:
    """Draw the view."""
    if not family.transformer_or_note("heads that could be measured"):
        return
    found, reason = looks.measured(look.summary)
    if found is None:
        st.info(literal(reason), icon=":material/info:")
        st.code("python -m core heads DATA --checkpoint NAME --limit 200 --output checkpoints/NAME/heads.json")
        return
    layers, heads = look.weights.shape[:2]
    st.markdown(
        f"Means over {found.dialogues} dialogues of {literal(found.data)}. A name says what a head *resembles*; "
        "most heads do a little of everything, and a head may do something else on your dialogue."
    )
    if st.session_state[Key.MEASURE] not in MEASURES:
        st.session_state[Key.MEASURE] = "entropy"
    measure = st.selectbox(
        "Measure",
        list(MEASURES),
        format_func=lambda name: MEASURES[name].capitalize(),
        key=Key.MEASURE,
        persist_state="session",
    )
    every = [[found.find(look.kind, i, j) for j in range(heads)] for i in range(layers)]
    values = np.array(
        [[_number(getattr(each.scores, measure) if each else None) for each in row] for row in every], dtype=np.float32
    )
    tags = [[each.tag.name if each else "not measured" for each in row] for row in every]
    pictures.show(
        figures.head_map(values, MEASURES[measure], tags, found.dialogues, look.layer, look.head or 0),
        "head_map",
        on_select=lambda: looks.show_clicked("head_map", heads),
    )
    rows = [each for each in found.heads if each.scores.kind == look.kind]
    table = {
        "Layer": [each.scores.layer + 1 for each in rows],
        "Head": [each.scores.head + 1 for each in rows],
        "Resembles": [each.tag.name for each in rows],
        "Score": [each.tag.score for each in rows],
        "Next": [each.tag.runner_up for each in rows],
        "Next's score": [each.tag.runner_up_score for each in rows],
    }
    left_out = ("kind", "layer", "head")
    for name in asdict(rows[0].scores) if rows else ():
        column = [getattr(each.scores, name) for each in rows]
        if name not in left_out and any(value is not None for value in column):
            table[name] = column
    st.markdown(f"**{NAMES[look.kind]}: every number**")
    st.dataframe(table, hide_index=True, alt="Statistics of every head")
    pictures.save_table(table, "heads", "save_heads")
    st.caption(f"Measured by: {literal(found.command)}")


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
