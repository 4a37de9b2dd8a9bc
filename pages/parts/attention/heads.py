"""All heads at a glance, and what kinds of tokens take their attention."""

from typing import Any

import numpy as np
import streamlit as st

from core.explain import sinks
from core.figures import attention as figures
from core.figures.wording import percent
from pages.parts.attention import looks
from pages.parts.attention.looks import Look
from pages.shared import attention_views, pictures
from pages.shared.errors import literal


def draw(look: Look) -> None:
    """Draw the view."""
    layers, heads = look.weights.shape[:2]
    st.markdown("Every head is a small picture: rows look, columns are looked at. Click one to open it.")
    found, _ = looks.measured(look.summary)
    tags = None
    if found:
        every = {(i, j): found.find(look.kind, i, j) for i in range(layers) for j in range(heads)}
        tags = {place: each.tag.name for place, each in every.items() if each}
    attention_views.head_grid(
        look.kind,
        look.weights,
        layer=look.layer,
        head=look.head,
        tags=tags,
        key="head_grid",
        on_open=_open_from_grid,
    )
    table = _largest(look)
    caption = _caption(look, table)
    st.caption(literal(caption))
    pictures.save_view("head_grid", "attention-heads", caption, lambda: table)
    st.subheader("Sinks first", anchor=False)
    st.markdown(
        "Marks, speaker tags and punctuation often collect attention that a head does not need elsewhere. "
        "The switch “Sinks” above leaves them out and makes the rest of each row 100 % again."
    )
    shares = [
        {each: float(values.mean()) for each, values in sinks.shares(look.weights[i, j], look.keys).items()}
        for i in range(layers)
        for j in range(heads)
    ]
    names = [f"Layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(heads)]
    current = None if look.head is None else look.layer * heads + look.head
    pictures.show(
        figures.sinks(shares, names, current),
        "sinks_picture",
        on_select=lambda: looks.show_clicked("sinks_picture", heads),
    )


def _largest(look: Look) -> dict[str, list[Any]]:
    """A row a head: its largest weight, and between which tokens that stands."""
    down = looks.texts(look.row_groups("token"), "token", look.dialogue, look.queries)
    across = looks.texts(look.column_groups("token"), "token", look.dialogue, look.keys)
    table: dict[str, list[Any]] = {name: [] for name in ("Layer", "Head", "Largest weight", "Query", "Key")}
    for layer, head in np.ndindex(look.weights.shape[:2]):
        matrix = look.weights[layer, head]
        row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
        found = (layer + 1, head + 1, float(matrix.max()), down[int(row)], across[int(column)])
        for values, value in zip(table.values(), found, strict=True):
            values.append(value)
    return table


def _caption(look: Look, table: dict[str, list[Any]]) -> str:
    """One sentence about the strongest head."""
    layer, head, weight, query, key = next(
        each for each in zip(*table.values(), strict=True) if each[2] == max(table["Largest weight"])
    )
    return (
        f"{attention_views.NAMES[look.kind]}: the largest single weight of all heads is {percent(weight)}, "
        f"in layer {layer}, head {head}: “{query}” → “{key}”."
    )


def _open_from_grid() -> None:
    place = st.session_state["head_grid"].open
    if place:
        looks.show(int(place["layer"]), int(place["head"]))
