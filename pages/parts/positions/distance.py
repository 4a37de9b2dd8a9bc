"""Pairs of positions: dot product, distance, and the linear map from PE(p) to PE(p + k)."""

import streamlit as st

from core.explain import positions
from core.figures import positions_pairs as figures
from pages.parts.positions import table
from pages.parts.positions.table import Chosen
from pages.shared import pictures
from pages.shared.choices import one_of
from pages.shared.state import Key

MEASURES = {"dot": "Dot product", "distance": "Euclidean distance"}


def draw(chosen: Chosen) -> None:
    """Draw the view."""
    learned = chosen.base is None
    st.markdown(
        "How alike are the vectors of two positions? Nothing forces learned ones to be alike where they are near."
        if learned
        else "The dot product of two positions is Σ cos((q − p) / bᵗ) over all pairs of dimensions, with t = 2i / d: "
        "where all sines have their cosines it depends on the offset q − p alone, wherever the pair stands."
    )
    measure = one_of("Measure", MEASURES, Key.POS_MEASURE)  # fmt: skip
    matrix = positions.dots(chosen.values) if measure == "dot" else positions.distances(chosen.values)
    pictures.show(figures.pair_map(matrix, measure), "pos_pairs_picture")
    last = len(matrix) - 1
    table.fit(Key.POS_PLACE, last, "position")
    place = int(
        st.number_input(
            f"From position p, 0 to {last}", 0, last, key=Key.POS_PLACE, persist_state="session", width=220
        )
    )
    pictures.show(figures.pair_curve(matrix, place, measure), "pos_pair_curve_picture")
    _map(chosen, last)


def _map(chosen: Chosen, last: int) -> None:
    """The map from a position to the one k further on."""
    st.subheader("From p to p + k", anchor=False)
    if not last:
        st.info("There is one position only: none is k further on.", icon=":material/straighten:")
        return
    if chosen.base is None:
        st.markdown(
            "For sinusoids one matrix M leads from every PE(p) to PE(p + k). A learned table has no such formula: "
            "here is the matrix that comes nearest, by least squares over all pairs of its rows."
        )
    else:
        st.markdown(
            "Where every sine has its cosine, one matrix M leads from **every** PE(p) to PE(p + k): it turns each pair "
            "(sin, cos) by the angle k / bᵗ, t = 2i / d, whatever p is. Such a map is why the paper hoped that "
            "attention to relative positions would be easy to learn (Vaswani et al. 2017, section 3.5)."
        )
        st.latex(
            r"\begin{gathered}\begin{pmatrix}\sin(a + c)\\ \cos(a + c)\end{pmatrix} = "
            r"\begin{pmatrix}\cos c & \sin c\\ -\sin c & \cos c\end{pmatrix}"
            r"\begin{pmatrix}\sin a\\ \cos a\end{pmatrix}\\ "
            r"a = p \,/\, b^{2i/d}, \quad c = k \,/\, b^{2i/d}\end{gathered}"
        )
    table.fit(Key.POS_OFFSET, last, "offset")
    offset = int(
        st.number_input(f"Offset k, 0 to {last}", 0, last, key=Key.POS_OFFSET, persist_state="session", width=190)
    )
    values, width = chosen.values, chosen.values.shape[1]
    if chosen.base is None:
        found = positions.fitted_map(values, offset)
    else:
        found = positions.shift_map(offset, width, chosen.base)
    left = positions.residual(values, found, offset)
    pictures.show(figures.shift_picture(found, offset, left, chosen.base is None), "pos_shift_picture")
