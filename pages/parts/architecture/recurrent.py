"""The views of a recurrent model: its boxes, its layers, its parameters, and what a pass costs."""

from typing import Any

import streamlit as st

from core.config import RecurrentConfig
from core.explain import recurrent_stacks
from core.explain.blueprint import Box, inside
from core.figures.wording import count, percent
from pages.parts.architecture import runs, stack_diagram
from pages.parts.architecture.chosen import PART, Chosen
from pages.shared.figures import pictures
from pages.shared.frame import notices
from pages.shared.frame.notices import literal

DIAGRAM = "recurrent_diagram"
KINDS = (("embeddings", "embeddings"), ("feed-forward", "LSTM"), ("attention", "attention"), ("output", "output"))


def draw(chosen: Chosen, config: RecurrentConfig, view: str) -> None:
    """Draw a view: "shapes", "parameters" or "cost"."""
    {"shapes": _shapes, "parameters": _parameters, "cost": _cost}[view](chosen, config)


def _shapes(chosen: Chosen, config: RecurrentConfig) -> None:
    """The diagram, and every layer with its size and its source."""
    part = _part(chosen, config)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        stack_diagram.show(_data(config, part), key=DIAGRAM, on_pick=_picked)
        caption = _caption(chosen.name, config)
        st.caption(literal(caption))
        pictures.save_view(DIAGRAM, "architecture", caption, lambda: _table(config))
    with right:
        st.header(next((box.name for box in _boxes(config) if box.path == part), "Every layer"), anchor=False)
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


def _parameters(chosen: Chosen, config: RecurrentConfig) -> None:
    """Trained numbers by part."""
    whole = recurrent_stacks.total(config)
    st.markdown(f"Counted from the configuration: **{whole:,} parameters** in “{literal(chosen.name)}”.")
    table = _table(config) | {"Share": [percent(box.parameters / whole) for box in _boxes(config)]}
    st.dataframe(table, hide_index=True, alt="Parameters of every part")
    pictures.save_table(table, "parameters", "save_recurrent_parameters")


def _cost(chosen: Chosen, config: RecurrentConfig) -> None:
    """Multiply–adds of one batch, and the steps that wait for each other."""
    batch, source, target = chosen.batch, chosen.source, chosen.target
    parts = recurrent_stacks.work(config, batch, source, target)
    whole = sum(amount for _, amount in parts.values())
    st.markdown(
        f"With B = {batch}, S = {source}, T = {target}: **{whole:,} multiply–adds**, and **{source + target} steps** "
        "that wait for each other: a state needs the one before it. A Transformer does more work as the source grows, "
        "S² for its self-attention, but all positions of a layer at once."
    )
    table: dict[str, list[Any]] = {
        "Part": list(parts),
        "One row": [formula for formula, _ in parts.values()],
        "Multiply–adds": [amount for _, amount in parts.values()],
        "Share": [percent(amount / whole) for _, amount in parts.values()],
    }
    st.dataframe(table, hide_index=True, alt="Multiply–adds of every part")
    pictures.save_table(table, "multiply-adds-by-part", "save_recurrent_costs")


def _boxes(config: RecurrentConfig) -> list[Box]:
    return [box for stack in recurrent_stacks.stacks(config) for box in stack.boxes]


def _part(chosen: Chosen, config: RecurrentConfig) -> str:
    """The chosen box; one that this model has not is noted and dropped."""
    part = PART.value
    if part not in ("", *(box.path for box in _boxes(config))):
        notices.note(f"“{chosen.name}” has no part {part[:60]!r}: all of it is shown.")
        part = PART.value = PART.default
    return part


def _picked() -> None:
    PART.value = (st.session_state[DIAGRAM].pick or {}).get("path", "")


def _data(config: RecurrentConfig, part: str) -> dict[str, Any]:
    one_vector = config.attention == "none"
    lines = [("memory", "the last state: one vector" if one_vector else "every state of the encoder")]
    return {
        "stacks": [stack_diagram.stack_data(stack, 1) for stack in recurrent_stacks.stacks(config)],
        "edges": recurrent_stacks.edges(config),
        "chosen": part,
        "kinds": [list(kind) for kind in KINDS if kind[0] != "attention" or not one_vector],
        "lines": [list(line) for line in (*lines, *([stack_diagram.SHARED_LINE] if config.share_embeddings else []))],
        "hint": "Click a box for its layers; Esc shows all again.",
    }


def _table(config: RecurrentConfig) -> dict[str, list[Any]]:
    """The boxes as a table."""
    boxes = _boxes(config)
    return {
        "Box": [box.name for box in boxes],
        "Sizes": [box.detail for box in boxes],
        "Parameters": [box.parameters for box in boxes],
        "Path": [box.path for box in boxes],
    }


def _caption(name: str, config: RecurrentConfig) -> str:
    """The diagram in one sentence."""
    attention = (
        "no attention: one vector carries the source to the decoder"
        if config.attention == "none"
        else f"{config.attention} attention to every state of the encoder, where the decoder begins with the last one"
    )
    amount = count(recurrent_stacks.total(config), "parameter")
    return f"“{name}”: two LSTMs of {config.units:,} units, {attention}; {amount}."
