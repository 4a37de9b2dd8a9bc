"""The table itself: its numbers as a map and as curves, and the formula of one of them."""

import numpy as np
import streamlit as st

from core.errors import SettingsError
from core.explain import positions
from core.figures.positions import encoding as figures
from core.figures.positions import heatmap
from core.figures.positions.encoding import Side
from core.words import later, say
from pages.parts.positions import biases, table
from pages.parts.positions.table import PLACE, Chosen, code_line
from pages.shared.controls.choices import one_of
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session import notices
from pages.shared.session.fields import Choice, Number, Text

SPREAD = {"together": later("A few, together"), "apart": later("All, apart")}
APART = Choice("pos_apart", SPREAD)
DIMENSION = Number("pos_dimension", 0, 99_999, 2)
CURVES: dict[Side, Text] = {"dimensions": Text("pos_dimensions", 60), "positions": Text("pos_places", 60)}
FIELDS = (*table.FIELDS, *biases.FIELDS, APART, DIMENSION, *CURVES.values())
MOST: dict[Side, int] = {"dimensions": 8, "positions": 4}
"""Curves that can be told apart."""
_heat_map = cached(4, worded=True)(heatmap.heat_map)
_curves_apart = cached(4, worded=True)(figures.curves_apart)
_chosen_curves = cached(8, worded=True)(figures.chosen_curves)


def draw() -> None:
    """Draw the table as a map and as curves, and one number with its formula."""
    chosen = table.choose(biases.by_distance)
    if chosen is None:
        return
    pictures.show(_heat_map(chosen.values, chosen.base, chosen.halves), "pos_map_picture")
    table.about(chosen)
    if chosen.is_slides:
        _printed(chosen)
    with st.expander(say("The same numbers as curves")):
        tip = say("Apart: each curve lies below the one before, so that many can be seen at once.")
        apart = one_of(say("Curves"), APART, tip=tip)
        for side in CURVES:
            _curves(chosen, side, apart == "apart")
    with st.expander(say("One number, step by step")):
        _formula(chosen)


def _printed(chosen: Chosen) -> None:
    """Compare the slides' table with ours, rounded to single precision as theirs is."""
    ours, printed = chosen.values.astype(np.float32), np.array(positions.PRINTED)
    columns = [heatmap.as_printed(ours[:, place], printed[:, place]) for place in range(ours.shape[1])]
    same = sum(text.endswith("✓") for column in columns for text in column)
    st.markdown(
        say(
            "**{same} of {size} numbers are as slides of a lecture show them**, with up to {digits} digits from single "
            "precision. Another table of the slides rounds more (0.025 for 0.02511622).",
            same=same,
            size=ours.size,
            digits=heatmap.DIGITS,
        )
    )
    with st.expander(say("The numbers of the slides"), icon=":material/checklist:"):
        shown = {say("Dimension {place}", place=place): column for place, column in enumerate(columns)}
        st.table({say("Position"): list(range(len(ours)))} | shown)


def _curves(chosen: Chosen, side: Side, apart: bool) -> None:
    """Draw dimensions against position, or positions against dimension."""
    of_dimensions = side == "dimensions"
    st.markdown(say("**Dimensions against position**") if of_dimensions else say("**Positions against dimension**"))
    if apart:
        picture = _curves_apart(chosen.values, side, chosen.base, chosen.halves)
        pictures.show(picture, f"pos_{side}_apart_picture")
        return
    size = chosen.values.shape[1 if of_dimensions else 0]
    start = positions.spread(size, pairs=of_dimensions)
    text = st.text_input(
        say("Which dimensions, 0 to {last}", last=size - 1)
        if of_dimensions
        else say("Which positions, 0 to {last}", last=size - 1),
        key=CURVES[side].name,
        placeholder=", ".join(map(str, start)),
        max_chars=CURVES[side].longest,
        persist_state="session",
        width=340,
    )
    try:
        places = positions.numbers(text, size, side, MOST[side]) if text.strip() else start
    except SettingsError as error:
        notices.show(error)
        places = start
    picture = _chosen_curves(chosen.values, places, side, chosen.base, chosen.halves)
    pictures.show(picture, f"pos_{side}_picture")


def _formula(chosen: Chosen) -> None:
    """Show one number, from the formula to its value, and the lines of our source."""
    length, width = chosen.values.shape
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = say("Position p, 0 to {last:,}", last=length - 1)
        place = table.within(label, PLACE, length - 1, say("position"))
        label = say("Dimension, 0 to {last:,}", last=width - 1)
        dimension = table.within(label, DIMENSION, width - 1, say("dimension"))
    value = float(chosen.values[place, dimension])
    if chosen.base is None:
        st.markdown(
            say(
                "The learned number at position {place}, dimension {dimension}, is **{value:.6f}**.",
                place=place,
                dimension=dimension,
                value=value,
            )
        )
        code_line("learned positions")
        return
    first, second = ("i", "d/2 + i") if chosen.halves else ("2i", "2i+1")
    waves = rf"PE(p, {first}) &= \sin(p \,/\, b^{{2i/d}})\\ PE(p, {second}) &= \cos(p \,/\, b^{{2i/d}})"
    st.latex(rf"\begin{{aligned}}{waves}\end{{aligned}}")
    derived, caption = heatmap.formula(place, dimension, width, chosen.base, value, chosen.halves)
    st.latex(derived)
    st.caption(caption)
    code_line("angles")
    code_line("sinusoids")
