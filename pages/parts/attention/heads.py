"""All heads at a glance, and what kinds of tokens take their attention."""

from typing import Any

import numpy as np
import streamlit as st

from core.explain import sinks
from core.figures import attention as figures
from core.figures.wording import KIND_NAMES, percent
from pages.parts.attention import view
from pages.parts.attention.head_grid import grid_data, head_grid
from pages.parts.attention.view import AttentionView
from pages.parts.attention.weights import texts
from pages.shared.figures import pictures
from pages.shared.frame.notices import literal

GRID = "head_grid"


def draw(found: AttentionView) -> None:
    """Draw a small picture of every head, and the shares of special tokens, tags and punctuation."""
    st.markdown("Every head is a small picture: rows look, columns are looked at. Click one to open it.")
    measured, _ = found.measured()
    tags = (
        {place[1:]: label for place, label in measured.labels().items() if place.kind == found.kind} if measured else {}
    )
    data = grid_data(found.kind, found.weights, found.layer, found.head, tags)
    head_grid(data, key=GRID, on_open=_open_from_grid)
    if tags:
        st.caption("Below each head: its published type or, if it has none, by what it stands out, from the catalogue.")
    table = _largest(found)
    caption = _caption(found, table)
    st.caption(literal(caption))
    pictures.save_view(GRID, "attention-heads", caption, lambda: table)
    st.header("Sinks first", anchor=False)
    st.markdown(
        "Special tokens, speaker tags and punctuation often collect attention that a head does not need elsewhere. "
        "The switch “Sinks” above leaves them out and scales the rest of each row to 100 %."
    )
    heads = found.weights.shape[1]
    places = list(np.ndindex(*found.weights.shape[:2]))
    every = [sinks.shares(found.weights[place], found.keys) for place in places]
    shares = [{name: float(values.mean()) for name, values in each.items()} for each in every]
    names = [f"Layer {layer + 1}, head {head + 1}" for layer, head in places]
    pictures.show(
        figures.sinks(shares, names, None if found.head is None else found.layer * heads + found.head),
        "sinks_picture",
        on_select=lambda: view.show_clicked("sinks_picture", heads),
    )


def _largest(found: AttentionView) -> dict[str, list[Any]]:
    """Return for each head its largest weight, and between which tokens that stands."""
    down, across = texts(found.rows("token")), texts(found.columns("token"))
    table: dict[str, list[Any]] = {name: [] for name in ("Layer", "Head", "Largest weight", "Query", "Key")}
    for layer, head in np.ndindex(found.weights.shape[:2]):
        matrix = found.weights[layer, head]
        row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
        line = (layer + 1, head + 1, float(matrix.max()), down[int(row)], across[int(column)])
        for values, value in zip(table.values(), line, strict=True):
            values.append(value)
    return table


def _caption(found: AttentionView, table: dict[str, list[Any]]) -> str:
    """Return one sentence about the strongest head."""
    layer, head, weight, query, key = max(zip(*table.values(), strict=True), key=lambda line: line[2])
    return (
        f"{KIND_NAMES[found.kind]}: the largest single weight of all heads is {percent(weight)}, "
        f"in layer {layer}, head {head}: “{query}” → “{key}”."
    )


def _open_from_grid() -> None:
    place = st.session_state[GRID].open
    if place:
        view.show(int(place["layer"]), int(place["head"]))
