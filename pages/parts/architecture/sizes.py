"""Parameters by part, and what a pass costs as the source grows."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.config import PRESETS, RecurrentConfig
from core.explain.architecture import cost, recurrent_stacks
from core.figures.architecture import diagram as figures
from core.figures.architecture import stacks
from core.figures.shared.wording import percent
from core.words import later, say
from pages.parts.architecture.chosen import Chosen
from pages.shared.controls.choices import number
from pages.shared.figures import pictures
from pages.shared.session.fields import Number
from pages.shared.session.notices import literal
from pages.shared.teaching import projector

LENGTH = Number("arch_length", 1, 16384, 512, 64)
PAPER = ("vaswani-base", "vaswani-big")


def parameters(chosen: Chosen) -> None:
    """Draw the view: trained numbers by part, and beside the paper's models."""
    if chosen.config.has.cells:
        table = stacks.table(chosen.config)
        whole = sum(table["Parameters"])
        sentence = say(
            "Counted from the configuration: **{number:,} parameters** in “{name}”.",
            number=whole,
            name=literal(chosen.name),
        )
        st.markdown(sentence)
        table[later("Share")] = [percent(amount / whole) for amount in table["Parameters"]]
        pictures.table(table, say("Parameters of every part"), ("parameters", "save_recurrent_parameters"))
        return
    picture = pictures.kept(figures.parameter_bars, chosen.name, chosen.transformer, projector.on())
    pictures.show(picture, "parameter_bars_picture")
    st.markdown(say("Counted from the configuration: no network is built for this."))
    paper = {name: PRESETS[name].model.has.blocks for name in PAPER}
    models = {chosen.name: chosen.transformer} | {name: blocks for name, blocks in paper.items() if blocks}
    with st.expander(say("Beside the models of the paper")):
        pictures.show(pictures.kept(figures.parameter_shares, models), "parameter_shares_picture")


def costs(chosen: Chosen) -> None:
    """Draw the view: multiply–adds, and the memory of attention."""
    if cells := chosen.config.has.cells:
        _recurrent(chosen, cells)
        return
    config, batch, target = chosen.transformer, chosen.batch, chosen.target
    pictures.show(pictures.kept(figures.work_curves, chosen.name, config, batch, target), "work_picture")
    st.markdown(
        say(
            "A product of matrices, *a* × *b* times *b* × *c*, takes *a* · *b* · *c* multiply–adds; softmax, norms, "
            "biases and activations are not counted. Self-attention costs S² · width, a map at every position "
            "S · width² (Vaswani et al. 2017, table 1)."
        )
    )
    with st.expander(say("The memory of attention")):
        pictures.show(pictures.kept(figures.memory_curves, chosen.name, config, batch, target), "memory_picture")
    with st.expander(say("One length, part by part")):
        tip = say("Also beyond what the model can read: what it would cost.")
        length = int(number(say("Source length"), LENGTH, tip, width=150))
        st.caption(literal(figures.work_caption(config, batch, length, target)))
        parts = cost.work(config, batch, length, target)
        _table(later("One layer, one row"), [(part.name, part.formula, part.count) for part in parts])


def _recurrent(chosen: Chosen, config: RecurrentConfig) -> None:
    """Draw the multiply–adds of one batch of a recurrent model, and the steps that wait for each other."""
    batch, source, target = chosen.batch, chosen.source, chosen.target
    parts = recurrent_stacks.work(config, batch, source, target)
    whole = sum(amount for _, amount in parts.values())
    st.markdown(
        say(
            "With B = {batch}, S = {source}, T = {target}: **{number:,} multiply–adds**, and **{steps} steps** that "
            "wait for each other: a state needs the one before it. A Transformer does more work as the source grows, "
            "S² for its self-attention, but all positions of a layer at once.",
            batch=batch,
            source=source,
            target=target,
            number=whole,
            steps=source + target,
        )
    )
    _table(later("One row"), [(name, formula, amount) for name, (formula, amount) in parts.items()])


def _table(formula: str, parts: Sequence[tuple[str, str, int]]) -> None:
    """Draw the multiply–adds of every part; `formula` is the heading of the formulas, to be said."""
    whole = sum(amount for _, _, amount in parts)
    table: dict[str, list[Any]] = {
        later("Part"): [name for name, _, _ in parts],
        formula: [text for _, text, _ in parts],
        later("Multiply–adds"): [amount for _, _, amount in parts],
        later("Share"): [percent(amount / whole) for _, _, amount in parts],
    }
    pictures.table(table, say("Multiply–adds of every part"), ("multiply-adds-by-part", "save_costs"))
