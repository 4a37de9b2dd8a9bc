"""The diagram, every tensor of one forward pass or every layer, and the source lines that made them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.config import RecurrentConfig
from core.explain.architecture.blueprint import inside
from core.explain.architecture.listing import listings
from core.figures.architecture import stacks
from core.figures.shared.wording import count
from core.words import later, say
from pages.parts.architecture import runs
from pages.parts.architecture.chosen import PART, Chosen
from pages.parts.architecture.stack_diagram import stack_diagram
from pages.shared.figures import pictures
from pages.shared.session import notices
from pages.shared.session.notices import literal
from pages.shared.teaching import projector

if TYPE_CHECKING:
    from core.experiments.architecture.describe import TensorFact

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
        with st.container(horizontal=True):
            pictures.table_popover(stacks.table(chosen.config))
            pictures.save_view(DIAGRAM, "architecture", caption, lambda: stacks.table(chosen.config))
    with right:
        st.header(stacks.title(chosen.config, part), anchor=False)
        if cells := chosen.config.has.cells:
            _layers(cells, part)
        else:
            with st.spinner(say("Building the network and running it once …")):
                facts = runs.facts(chosen)
            _tensors(chosen, part, [fact for fact in facts if inside(fact.part, part)])
        st.caption(literal(caption))


def _part(chosen: Chosen) -> str:
    """Return the chosen box; one that this model does not have is noted and dropped."""
    part = PART.value
    if not stacks.known(chosen.config, part, chosen.layers):
        asked = {"name": chosen.name, "part": repr(part[:60])}
        notices.note(
            say("“{name}” has no part {part} that is run here: all of it is shown.", **asked)
            if chosen.config.has.blocks
            else say("“{name}” has no part {part}: all of it is shown.", **asked)
        )
        part = PART.value = PART.default
    return part


def _picked() -> None:
    PART.value = (st.session_state[DIAGRAM].pick or {}).get("path", "")


def _layers(config: RecurrentConfig, part: str) -> None:
    """Draw every layer of a recurrent model with its size and its source."""
    with st.spinner(say("Building the network …")):
        layers = [fact for fact in runs.layers(config) if inside(fact.path, part)]
    if not layers:
        st.caption(say("It has no layer of its own."))
        return
    table: dict[str, list[Any]] = {
        later("Layer"): [fact.path for fact in layers],
        later("Python class"): [fact.kind for fact in layers],
        later("Output"): [" × ".join(map(str, fact.output_shape)) for fact in layers],
        later("Parameters"): [fact.parameters for fact in layers],
        later("Defined in"): [fact.source for fact in layers],
    }
    pictures.table(table, say("Every layer with its output, its parameters and its source"))
    st.caption(say("B batch, S source and T target tokens; a layer counts its parts, too."))
    pictures.save_table(table, "layers", "save_layers")


def _tensors(chosen: Chosen, part: str, shown: "Sequence[TensorFact]") -> None:
    """Draw every tensor of a part of a Transformer and, of a part alone, the lines that made them."""
    st.caption(literal(_said(chosen, shown)))
    table: dict[str, list[Any]] = {
        later("Tensor"): [fact.name for fact in shown],
        later("Shape"): [str(list(fact.shape)) for fact in shown],
        later("Axes"): [" × ".join(fact.axes).replace("HK", "H·K") for fact in shown],
        "Parameters": [fact.parameters for fact in shown],
        "Layer": [fact.layer or "transformer" for fact in shown],
        "Python class": [fact.kind for fact in shown],
        later("File and line"): [f"{fact.file}:{fact.line}" for fact in shown],
        later("Line"): [fact.code for fact in shown],
    }
    with st.container(key="tensors"):
        pictures.table(
            table,
            say("Every tensor with its shape, its layer and its line of source"),
            height=36 * (min(len(shown), ROWS) + 1),
            column_config={
                "Tensor": st.column_config.TextColumn(say("Tensor"), width=180),
                "Shape": st.column_config.TextColumn(say("Shape"), width=110),
                "Axes": st.column_config.TextColumn(say("Axes"), width=105),
                "Parameters": st.column_config.NumberColumn(say("Parameters"), width=95, format="localized"),
                "Line": st.column_config.TextColumn(say("Line"), width="large"),
            },
        )
    pictures.save_table(table, "tensors", "save_tensors")
    if not part:
        hint = say("Click a box of the diagram: only its tensors stay, and the lines that made them.")
        st.info(hint, icon=":material/ads_click:")
        return
    st.markdown(say("**The lines that ran**, with the shapes that they made"))
    for listing in listings(shown):
        st.caption(say("{file}, line {line}", file=literal(listing.file), line=listing.start))
        st.code(listing.text, language="python", wrap_lines=False)


def _said(chosen: Chosen, shown: "Sequence[TensorFact]") -> str:
    """Return what the table holds, in one or two sentences."""
    if not shown:
        return say("No tensor is made here.")
    largest = max(shown, key=lambda fact: math.prod(fact.shape))
    sizes = f"B = {chosen.batch}, S = {chosen.source}, T = {chosen.target}"
    caption = say(
        "{tensors} with {sizes}; the largest, “{name}” {shape}, holds {numbers}. Parameters used: {used:,}.",
        tensors=count(len(shown), "tensor"),
        sizes=sizes,
        name=largest.name,
        shape=list(largest.shape),
        numbers=count(math.prod(largest.shape), "number"),
        used=sum(fact.parameters for fact in shown),
    )
    if not chosen.heavy:
        return caption
    return f"{caption} {say('To spare memory one layer of each stack was run: the others are built alike.')}"
