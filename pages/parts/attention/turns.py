"""Attention between words, turns and speakers: the view that opens first."""

import streamlit as st

from core.explain import sinks
from core.explain.rollup import Unit
from core.figures.attention import CATEGORY_NAMES as NAMES
from core.figures.attention_view import AttentionView
from core.figures.weights import Weights
from core.figures.wording import percent, turn_ranges
from pages.parts.attention.ribbons import ribbon_data, ribbons
from pages.parts.attention.view import SHARE, UNITS
from pages.shared.controls.choices import one_of, slider
from pages.shared.figures import pictures
from pages.shared.frame.fields import Choice

ROW_UNIT = Choice("row_unit", tuple(UNITS), "word")
COLUMN_UNIT = Choice("column_unit", tuple(UNITS), "turn")
MOST_CELLS, MOST_ROWS, MOST_RIBBONS = 6000, 100, 70


def draw(found: AttentionView) -> None:
    """Draw the open head by word, turn or speaker: as ribbons and as a matrix."""
    units, coarser = _units(found)
    if coarser:
        st.caption(f"So many tokens are shown {coarser}. “One head” has every cell.")
    _sinks(found)
    weights = found.open_head(units)
    picture = weights.picture(found.what)
    if found.kind != "decoder":
        _ribbons(found, weights, units)
    pictures.show(picture, "turn_matrix")
    if found.summary.omitted:
        st.caption(f"The model did not read turns {turn_ranges(found.summary.omitted)}: they have no column.")


def _ribbons(found: AttentionView, weights: Weights, units: tuple[Unit, Unit]) -> None:
    """Draw ribbons from rows to columns; by turn where there would be too many of either."""
    fewer = (
        "turn" if found.kind == "encoder" and len(weights.rows) > MOST_RIBBONS else units[0],
        "turn" if len(weights.columns) > MOST_RIBBONS else units[1],
    )
    shown = weights if fewer == units else found.open_head(fewer)
    if max(len(shown.rows), len(shown.columns)) > MOST_RIBBONS:
        return
    ribbons(key="ribbons", data=ribbon_data(shown, SHARE.value / 100), on_pick_change=lambda: None)
    slider("Draw the largest weights that hold this share of each row (%)", SHARE)
    pictures.save_view("ribbons", "attention-ribbons", shown.caption(found.what), lambda: shown.table)


def _sinks(found: AttentionView) -> None:
    """Say how much of this attention falls on tokens without meaning of their own."""
    if found.kind == "decoder":
        return
    every = sinks.shares(found.one(found.weights[found.layer]), found.keys, found.speakers)
    shares = {each: float(values.mean()) for each, values in every.items()}
    parts = [f"{NAMES[each]} {percent(share)}" for each, share in shares.items() if share >= 0.005]
    shown = "Only the words are shown, as 100 %." if found.words_only else "“Sinks: left out” shows the words alone."
    st.caption(f"Of this attention goes to: {', '.join(parts)}. {shown}")


def _units(found: AttentionView) -> tuple[tuple[Unit, Unit], str]:
    """Draw the choice of units; return those of rows and columns, and what was made coarser to stay readable."""
    of_summary = found.kind != "encoder"
    choices = {unit: UNITS[unit] for unit in UNITS if not of_summary or unit in ("token", "word")}
    if ROW_UNIT.value not in choices:
        ROW_UNIT.value = ROW_UNIT.default
    if found.kind == "decoder":  # the summary on both sides: the choice for dialogues stays as it was
        unit = one_of("Rows and columns by", choices, ROW_UNIT)
        return (unit, unit), ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row, column = one_of("Rows by", choices, ROW_UNIT), one_of("Columns by", UNITS, COLUMN_UNIT)
    return readable(found, row, column)


def readable(found: AttentionView, row: Unit, column: Unit) -> tuple[tuple[Unit, Unit], str]:
    """Return units of rows and columns that stay readable, and what was made coarser for that."""
    rows = len(found.rows(row))
    coarser = []
    if rows * len(found.columns(column)) > MOST_CELLS and column in ("token", "word"):
        column = "turn"
        coarser.append("with columns by turn")
    many = rows * len(found.columns(column)) > MOST_CELLS or rows > MOST_ROWS
    if many and found.kind == "encoder" and row != "speaker":
        row = "turn"
        coarser.append("with rows by turn")
    return (row, column), " and ".join(coarser)
