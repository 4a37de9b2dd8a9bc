"""Parameters by part, and what a pass costs as the source grows."""

from typing import Any

import streamlit as st

from core.config import PRESETS
from core.explain import cost
from core.figures import architecture as figures
from core.figures.wording import percent
from pages.parts.architecture.chosen import Chosen
from pages.shared.figures import pictures
from pages.shared.frame.fields import Number
from pages.shared.frame.notices import literal

LENGTH = Number("arch_length", 1, 16384, 512)
PAPER = ("vaswani-base", "vaswani-big")


def parameters(chosen: Chosen) -> None:
    """Draw the view: trained numbers by part, and beside the paper's models."""
    st.markdown("Counted from the configuration: no network is built for this.")
    pictures.show(figures.parameter_bars(chosen.name, chosen.transformer), "parameter_bars_picture")
    st.header("Beside the models of the paper", anchor=False)
    paper = {name: PRESETS[name].model.has.blocks for name in PAPER}
    models = {chosen.name: chosen.transformer} | {name: blocks for name, blocks in paper.items() if blocks}
    pictures.show(figures.parameter_shares(models), "parameter_shares_picture")


def costs(chosen: Chosen) -> None:
    """Draw the view: multiply–adds and memory of attention."""
    st.markdown(
        "A product of matrices, *a* × *b* times *b* × *c*, takes *a* · *b* · *c* multiply–adds; softmax, norms, biases "
        "and ReLU are not counted. Self-attention costs S² · width, a map at every position S · width² (Vaswani et al. "
        "2017, table 1)."
    )
    config, batch, target = chosen.transformer, chosen.batch, chosen.target
    pictures.show(figures.work_curves(chosen.name, config, batch, target), "work_picture")
    pictures.show(figures.memory_curves(chosen.name, config, batch, target), "memory_picture")
    st.header("One length, part by part", anchor=False)
    length = int(
        st.number_input(
            "Source length",
            min_value=1,
            max_value=figures.LENGTHS[-1],
            step=64,
            key=LENGTH.name,
            persist_state="session",
            width=150,
            help="Also beyond what the model can read: what it would cost.",
        )
    )
    parts = cost.work(config, batch, length, target)
    whole = sum(part.count for part in parts)
    table: dict[str, list[Any]] = {
        "Part": [part.name for part in parts],
        "One layer, one row": [part.formula for part in parts],
        "Multiply–adds": [part.count for part in parts],
        "Share": [percent(part.count / whole) for part in parts],
    }
    st.caption(literal(said(chosen, length)))
    st.dataframe(table, hide_index=True, alt="Multiply–adds of every part")
    pictures.save_table(table, "multiply-adds-by-part", "save_costs")


def said(chosen: Chosen, length: int) -> str:
    """One length in one sentence."""
    parts = cost.work(chosen.transformer, chosen.batch, length, chosen.target)
    whole = sum(part.count for part in parts)
    most = max(parts, key=lambda part: part.count)
    memory = sum(cost.attention_bytes(chosen.transformer, chosen.batch, length, chosen.target).values()) / 1e6
    return (
        f"B = {chosen.batch}, S = {length:,}, T = {chosen.target}: {whole:,} multiply–adds, most of them in "
        f"“{most.name}” ({percent(most.count / whole)}); the attention weights take {memory:,.2f} MB."
    )
