"""Pairs of positions: dot product, distance, and the linear map from PE(p) to PE(p + k)."""

import streamlit as st

from core.explain import positions
from core.figures.positions import pairs as figures
from core.words import later, say
from pages.parts.positions import biases, table
from pages.parts.positions.table import PLACE, Chosen
from pages.shared.controls.choices import one_of, row
from pages.shared.figures import pictures
from pages.shared.session.fields import Choice, Number

MEASURES = {"dot": later("Dot product"), "distance": later("Euclidean distance")}
MEASURE = Choice("pos_measure", MEASURES)
OFFSET = Number("pos_offset", 0, "table_positions", 1)
FIELDS = (*table.FIELDS, *biases.FIELDS, MEASURE, OFFSET)


def draw() -> None:
    """Draw how alike the vectors of two positions are, and the map from one to the other."""
    chosen = table.choose(biases.on_scores)
    if chosen is None:
        return
    with row():
        measure = one_of(say("Measure"), MEASURE)
    matrix = positions.dots(chosen.values) if measure == "dot" else positions.distances(chosen.values)
    pictures.show(figures.pair_map(matrix, measure), "pos_pairs_picture")
    st.markdown(
        say(
            "How alike are the vectors of two positions? Learned vectors need not be alike where the positions are "
            "near."
        )
        if chosen.base is None
        else say(
            "The dot product of two positions is Σ cos((q − p) / bᵗ) over all pairs of dimensions, with t = 2i / d. "
            "Where every sine has its cosine, it depends on the offset q − p alone."
        )
    )
    table.about(chosen)
    last = len(matrix) - 1
    with st.expander(say("One position beside all others")):
        place = table.within(say("From position p, 0 to {last:,}", last=last), PLACE, last, say("position"), 220)
        pictures.show(figures.pair_curve(matrix, place, measure), "pos_pair_curve_picture")
    with st.expander(say("From p to p + k")):
        if last:
            _map(chosen, last)
        else:
            st.info(say("There is one position only: none is k further on."), icon=":material/straighten:")


def _map(chosen: Chosen, last: int) -> None:
    """Draw the matrix that leads from a position to the one k further on."""
    if chosen.base is None:
        st.markdown(
            say(
                "For sinusoids one matrix M leads from every PE(p) to PE(p + k). A learned table has no such formula: "
                "here is the matrix that comes nearest, by least squares over all pairs of its rows."
            )
        )
    else:
        st.markdown(
            say(
                "Where every sine has its cosine, one matrix M leads from **every** PE(p) to PE(p + k): it turns each "
                "pair (sin, cos) by the angle k / bᵗ, t = 2i / d, whatever p is. Such a map is why the paper hoped "
                "that attention to relative positions would be easy to learn (Vaswani et al. 2017, section 3.5)."
            )
        )
        st.latex(
            r"\begin{gathered}\begin{pmatrix}\sin(a + c)\\ \cos(a + c)\end{pmatrix} =\\ "
            r"\begin{pmatrix}\cos c & \sin c\\ -\sin c & \cos c\end{pmatrix}"
            r"\begin{pmatrix}\sin a\\ \cos a\end{pmatrix}\\ "
            r"a = p \,/\, b^{2i/d}, \quad c = k \,/\, b^{2i/d}\end{gathered}"
        )
    offset = table.within(say("Offset k, 0 to {last:,}", last=last), OFFSET, last, say("offset"))
    if chosen.base is None:
        matrix = positions.fitted_map(chosen.values, offset)
    else:
        matrix = positions.shift_map(offset, chosen.values.shape[1], chosen.base, chosen.halves)
    left = positions.residual(chosen.values, matrix, offset, chosen.halves)
    pictures.show(figures.shift_picture(matrix, offset, left, chosen.base is None, chosen.halves), "pos_shift_picture")
