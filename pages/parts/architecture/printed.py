"""Shapes that teaching material shows, beside those of our own networks."""

import streamlit as st

from core.figures.shared.wording import count
from core.words import later, say
from pages.parts.architecture import runs
from pages.parts.architecture.chosen import Chosen
from pages.shared.figures import pictures
from pages.shared.session.notices import literal

NAMES = ("encoder", "decoder", "transformer")
"""Of the tables, in names of files."""


def draw(_: Chosen) -> None:
    """Draw the published tables beside the shapes of our own networks."""
    bar = st.progress(0.0, text=say("Building three networks and running each once …"))
    tables = []
    for place, name in enumerate(NAMES):
        table = runs.printed(name)
        tables.append(table)
        bar.progress((place + 1) / len(NAMES), text=say("{strategy} is done", strategy=table.title))
        with st.container(border=True, key=f"printed_{place}"):
            st.markdown(f"**{table.title}**: {literal(table.about)}")
            shown = {
                later("Shape of"): [line.name for line in table.lines],
                later("Published"): [str(list(line.printed)) for line in table.lines],
                later("Ours"): [str(list(line.ours)) for line in table.lines],
                later("Equal"): ["✓" if line.equal else say("✗ differs") for line in table.lines],
                later("Our tensor"): [line.source for line in table.lines],
            }
            alt = say("Shapes of the tutorial's example “{title}”", title=table.title)
            pictures.table(shown, alt, (f"printed-{name}", f"save_printed_{place}"))
    bar.empty()
    lines = [line for table in tables for line in table.lines]
    equal = sum(line.equal for line in lines)
    shapes = count(len(lines), "shape")
    st.caption(literal(say("{equal} of {shapes} are the same as published.", equal=equal, shapes=shapes)))
    st.markdown(
        say(
            "Teaching material shows shapes of tensors: a tutorial those of three examples, student projects those of "
            "the attention matrices of a decoder. Each network is built and run here to compare."
        )
    )
