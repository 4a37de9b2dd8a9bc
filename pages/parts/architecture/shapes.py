"""The diagram, every tensor of one forward pass, and the source lines that made them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.explain.blueprint import inside
from core.explain.listing import listings
from core.figures.wording import count
from pages.parts.architecture import runs, stack_diagram
from pages.parts.architecture.chosen import PART, Chosen
from pages.shared.figures import pictures
from pages.shared.frame import notices
from pages.shared.frame.notices import literal

if TYPE_CHECKING:
    from core.describe import TensorFact

DIAGRAM = "stack_diagram"
ROWS = 16
"""Rows of the table that are seen at once."""


def draw(chosen: Chosen) -> None:
    """Draw the view: the diagram at once, the table when the network has run."""
    part = _part(chosen)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        layers = 1 if chosen.heavy else max(chosen.transformer.encoder_layers, chosen.transformer.decoder_layers)
        stack_diagram.draw(chosen.transformer, part, layers, key=DIAGRAM, on_pick=_picked)
        caption = stack_diagram.caption(chosen.name, chosen.transformer)
        st.caption(literal(caption))
        with st.container(horizontal=True):
            with st.popover("Table", icon=":material/table:"):
                st.dataframe(stack_diagram.table(chosen.transformer), hide_index=True, width=720)
            pictures.save_view(DIAGRAM, "architecture", caption, lambda: stack_diagram.table(chosen.transformer))
    with right:
        st.header(stack_diagram.title(chosen.transformer, part), anchor=False)
        with st.spinner("Building the network and running it once …"):
            found = runs.facts(chosen)
        _tensors(chosen, part, found)


def _part(chosen: Chosen) -> str:
    """The chosen box; one that this model has not is noted and dropped."""
    part = PART.value
    if not stack_diagram.known(chosen.transformer, 1 if chosen.heavy else 10_000, part):
        notices.note(f"“{chosen.name}” has no part {part[:60]!r} that is run here: all of it is shown.")
        part = PART.value = PART.default
    return part


def _picked() -> None:
    PART.value = (st.session_state[DIAGRAM].pick or {}).get("path", "")


def _tensors(chosen: Chosen, part: str, found: "Sequence[TensorFact]") -> None:
    shown = [fact for fact in found if inside(fact.part, part)]
    st.caption(literal(said(chosen, shown)))
    table = rows(shown)
    with st.container(key="tensors"):
        st.dataframe(
            table,
            hide_index=True,
            height=36 * (min(len(shown), ROWS) + 1),
            column_config={
                "Tensor": st.column_config.TextColumn(width=180),
                "Shape": st.column_config.TextColumn(width=110),
                "Axes": st.column_config.TextColumn(width=105),
                "Parameters": st.column_config.NumberColumn(width=95, format="localized"),
                "Line": st.column_config.TextColumn(width="large"),
            },
            alt="Every tensor with its shape, its layer and its line of source",
        )
    pictures.save_table(table, "tensors", "save_tensors")
    if part:
        _source(shown)
    else:
        hint = "Click a box of the diagram: only its tensors stay, and the lines that made them."
        st.info(hint, icon=":material/ads_click:")


def said(chosen: Chosen, shown: "Sequence[TensorFact]") -> str:
    """What the table holds, in one or two sentences."""
    if not shown:
        return "No tensor is made here."
    largest = max(shown, key=lambda fact: math.prod(fact.shape))
    sizes = f"B = {chosen.batch}, S = {chosen.source}, T = {chosen.target}"
    caption = (
        f"{count(len(shown), 'tensor')} with {sizes}; the largest, “{largest.name}” {list(largest.shape)}, holds "
        f"{count(math.prod(largest.shape), 'number')}. Parameters used: {sum(fact.parameters for fact in shown):,}."
    )
    if chosen.heavy:
        caption += " To spare memory one layer of each stack was run: the others are built alike."
    return caption


def rows(shown: "Sequence[TensorFact]") -> dict[str, list[Any]]:
    """The table: a line a tensor."""
    return {
        "Tensor": [fact.name for fact in shown],
        "Shape": [str(list(fact.shape)) for fact in shown],
        "Axes": [" × ".join(fact.axes).replace("HK", "H·K") for fact in shown],
        "Parameters": [fact.parameters for fact in shown],
        "Layer": [fact.layer or "transformer" for fact in shown],
        "Class": [fact.kind for fact in shown],
        "File and line": [f"{fact.file}:{fact.line}" for fact in shown],
        "Line": [fact.code for fact in shown],
    }


def _source(shown: "Sequence[TensorFact]") -> None:
    st.markdown("**The lines that ran**, with the shapes that they made")
    for listing in listings(shown):
        st.caption(f"{literal(listing.file)}, line {listing.start}")
        st.code(listing.text, language="python", wrap_lines=False)
