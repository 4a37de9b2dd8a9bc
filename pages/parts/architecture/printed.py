"""Shapes that teaching material shows, beside those of our own networks."""

import streamlit as st

from core.figures.wording import count
from pages.parts.architecture import runs
from pages.parts.architecture.chosen import Chosen
from pages.shared.figures import pictures
from pages.shared.frame.notices import literal


def draw(_: Chosen) -> None:
    """Draw the published tables beside the shapes of our own networks."""
    st.markdown(
        "Teaching material shows shapes of tensors: a tutorial those of three examples, student projects those of the "
        "attention matrices of a decoder. Each network is built and run here, whatever model is chosen above, to "
        "compare."
    )
    with st.spinner("Building three networks and running each once …"):
        tables = runs.printed()
    lines = [line for table in tables for line in table.lines]
    equal = sum(line.equal for line in lines)
    st.caption(literal(f"{equal} of {count(len(lines), 'shape')} are the same here."))
    for place, table in enumerate(tables):
        with st.container(border=True, key=f"printed_{place}"):
            st.markdown(f"**{table.title}**: {literal(table.about)}")
            shown = {
                "Shape of": [line.name for line in table.lines],
                "Published": [str(list(line.printed)) for line in table.lines],
                "Ours": [str(list(line.ours)) for line in table.lines],
                "Equal": ["✓" if line.equal else "✗ differs" for line in table.lines],
                "Our tensor": [line.source for line in table.lines],
            }
            st.dataframe(shown, hide_index=True, alt=f"Shapes of the tutorial's {table.title.lower()}")
            pictures.save_table(shown, f"printed-{table.title.lower()}", f"save_printed_{place}")
