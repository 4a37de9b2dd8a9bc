"""The shape tables of the source documents, reproduced."""

import streamlit as st

from core.figures.wording import count
from pages.parts.architecture import runs
from pages.parts.architecture.chosen import Chosen
from pages.shared.figures import pictures
from pages.shared.frame.notices import literal


def draw(_: Chosen) -> None:
    """Draw the printed tables beside the shapes of our own networks."""
    st.markdown(
        "A tutorial that builds the Transformer bottom-up prints the shapes of three examples; the course reports name "
        "the attention matrices of a decoder. Each is built and run here, whatever model is chosen above."
    )
    with st.spinner("Building three networks and running each once …"):
        tables = runs.printed()
    lines = [line for table in tables for line in table.lines]
    equal = sum(line.equal for line in lines)
    st.caption(literal(f"{equal} of {count(len(lines), 'printed shape')} are ours, too."))
    for place, table in enumerate(tables):
        with st.container(border=True, key=f"printed_{place}"):
            st.markdown(f"**{table.title}**: {literal(table.about)}")
            shown = {
                "Shape of": [line.name for line in table.lines],
                "Printed": [str(list(line.printed)) for line in table.lines],
                "Ours": [str(list(line.ours)) for line in table.lines],
                "Equal": ["✓" if line.equal else "✗ differs" for line in table.lines],
                "Our tensor": [line.source for line in table.lines],
            }
            st.dataframe(shown, hide_index=True, alt=f"Shapes of the tutorial's {table.title.lower()}")
            pictures.save_table(shown, f"printed-{table.title.lower()}", f"save_printed_{place}")
