"""The diagram, every tensor of one forward pass or every layer, and the source lines that made them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.config import RecurrentConfig
from core.explain.blueprint import inside
from core.explain.listing import listings
from core.figures import stacks
from core.figures.wording import count
from pages.parts.architecture import runs
from pages.parts.architecture.chosen import PART, Chosen
from pages.parts.architecture.stack_diagram import stack_diagram
from pages.shared.figures import pictures
from pages.shared.frame import notices, projector
from pages.shared.frame.notices import literal

if TYPE_CHECKING:
    from core.describe import TensorFact

DIAGRAM = "stack_diagram"
ROWS = 16
"""Rows of the table that are seen at once."""


def draw(chosen: Chosen) -> None:
    """Draw the view: the diagram at once, the table when the network has been built and run."""
    part = _part(chosen)
    left, right = (st.container(), st.container()) if projector.on() else st.columns([5, 6], gap="medium")
    with left:
        data = stacks.diagram_data(chosen.config, part, chosen.layers)
        stack_diagram(key=DIAGRAM, data=data, on_pick_change=_picked)
        caption = stacks.caption(chosen.name, chosen.config)
        st.caption(literal(caption))
        with st.container(horizontal=True):
            with st.popover("Table", icon=":material/table:"):
                st.dataframe(stacks.table(chosen.config), hide_index=True, width=720)
            pictures.save_view(DIAGRAM, "architecture", caption, lambda: stacks.table(chosen.config))
    with right:
        st.header(stacks.title(chosen.config, part), anchor=False)
        if cells := chosen.config.has.cells:
            _layers(cells, part)
        else:
            with st.spinner("Building the network and running it once …"):
                found = runs.facts(chosen)
            _tensors(chosen, part, [fact for fact in found if inside(fact.part, part)])


def _part(chosen: Chosen) -> str:
    """Return the chosen box; one that this model has not is noted and dropped."""
    part = PART.value
    if not stacks.known(chosen.config, part, chosen.layers):
        run = " that is run here" if chosen.config.has.blocks else ""
        notices.note(f"“{chosen.name}” has no part {part[:60]!r}{run}: all of it is shown.")
        part = PART.value = PART.default
    return part


def _picked() -> None:
    PART.value = (st.session_state[DIAGRAM].pick or {}).get("path", "")


def _layers(config: RecurrentConfig, part: str) -> None:
    """Draw every layer of a recurrent model with its size and its source."""
    with st.spinner("Building the network …"):
        found = [fact for fact in runs.layers(config) if inside(fact.path, part)]
    if not found:
        st.caption("It has no layer of its own.")
        return
    table: dict[str, list[Any]] = {
        "Layer": [fact.path for fact in found],
        "Class": [fact.kind for fact in found],
        "Output": [" × ".join(map(str, fact.output_shape)) for fact in found],
        "Parameters": [fact.parameters for fact in found],
        "Defined in": [fact.source for fact in found],
    }
    st.dataframe(table, hide_index=True, alt="Every layer with its output, its parameters and its source")
    st.caption("B batch, S source and T target tokens; a layer counts its parts, too.")
    pictures.save_table(table, "layers", "save_layers")


def _tensors(chosen: Chosen, part: str, shown: "Sequence[TensorFact]") -> None:
    """Draw every tensor of a part of a Transformer and, of a part alone, the lines that made them."""
    st.caption(literal(_said(chosen, shown)))
    table: dict[str, list[Any]] = {
        "Tensor": [fact.name for fact in shown],
        "Shape": [str(list(fact.shape)) for fact in shown],
        "Axes": [" × ".join(fact.axes).replace("HK", "H·K") for fact in shown],
        "Parameters": [fact.parameters for fact in shown],
        "Layer": [fact.layer or "transformer" for fact in shown],
        "Class": [fact.kind for fact in shown],
        "File and line": [f"{fact.file}:{fact.line}" for fact in shown],
        "Line": [fact.code for fact in shown],
    }
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
    if not part:
        hint = "Click a box of the diagram: only its tensors stay, and the lines that made them."
        st.info(hint, icon=":material/ads_click:")
        return
    st.markdown("**The lines that ran**, with the shapes that they made")
    for listing in listings(shown):
        st.caption(f"{literal(listing.file)}, line {listing.start}")
        st.code(listing.text, language="python", wrap_lines=False)


def _said(chosen: Chosen, shown: "Sequence[TensorFact]") -> str:
    """Return what the table holds, in one or two sentences."""
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
