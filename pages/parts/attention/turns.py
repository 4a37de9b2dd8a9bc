"""Attention between words, turns and speakers: the view that opens first."""

from contextlib import nullcontext
from dataclasses import replace

import streamlit as st

from core.explain.attention import sinks
from core.explain.shared.rollup import Unit
from core.figures.attention.maps import CATEGORY_NAMES as NAMES
from core.figures.attention.view import AttentionView
from core.figures.attention.weights import Weights
from core.figures.shared.wording import UNIT_NAMES, percent, turn_ranges
from core.words import later, say
from pages.parts.attention import maps
from pages.parts.attention.ribbons import ribbon_data, ribbons
from pages.parts.attention.view import SHARE
from pages.shared.controls.choices import one_of, options, slider
from pages.shared.figures import pictures
from pages.shared.session.fields import Choice

ROW_UNIT = Choice("row_unit", UNIT_NAMES, "word")
COLUMN_UNIT = Choice("column_unit", UNIT_NAMES, "turn")
FIELDS = (ROW_UNIT, COLUMN_UNIT)
COARSER = {
    (False, True): later("The text is long, so columns are turns here. “One head” shows every cell."),
    (True, False): later("The text is long, so rows are turns here. “One head” shows every cell."),
    (True, True): later("The text is long, so rows and columns are turns here. “One head” shows every cell."),
}
"""What is said where rows or columns are coarser than asked for."""
MOST_CELLS, MOST_ROWS, MOST_RIBBONS = 6000, 100, 70


def draw(seen: AttentionView) -> None:
    """Draw the open head by word, turn or speaker: as ribbons and as a matrix."""
    units, coarser = _units(seen)
    weights = seen.open_head(units)
    picture = weights.picture(seen.what)
    if seen.kind != "decoder":
        _ribbons(seen, weights, units)
        maps.tell(seen)
    if coarser:
        st.caption(coarser)
    _sinks(seen)
    with st.expander(say("As a matrix")) if seen.kind != "decoder" else nullcontext():
        pictures.show(picture, "turn_matrix")
    if seen.kind == "decoder":
        maps.tell(seen)
    if seen.summary.omitted:
        turns = turn_ranges(seen.summary.omitted)
        st.caption(say("The model did not read turns {turns}: they have no column.", turns=turns))


def _ribbons(seen: AttentionView, weights: Weights, units: tuple[Unit, Unit]) -> None:
    """Draw ribbons from rows to columns; by turn where there would be too many of either."""
    fewer = (
        "turn" if seen.kind == "encoder" and len(weights.rows) > MOST_RIBBONS else units[0],
        "turn" if len(weights.columns) > MOST_RIBBONS else units[1],
    )
    shown = weights if fewer == units else seen.open_head(fewer)
    if max(len(shown.rows), len(shown.columns)) > MOST_RIBBONS:
        return
    ribbons(key="ribbons", data=ribbon_data(shown, SHARE.value / 100), on_pick_change=lambda: None)
    if shown is not weights:
        st.caption(
            say(
                "The ribbons go by turn: more than {most} of them side by side cannot be told apart.", most=MOST_RIBBONS
            )
        )
    with options():
        slider(say("Draw the largest weights that hold this share of each row (%)"), SHARE)
    pictures.save_view("ribbons", f"{maps.prefix(seen)}-ribbons", shown.caption(seen.what), shown.table)


def _sinks(seen: AttentionView) -> None:
    """Say how much of this attention falls on tokens without meaning of their own."""
    if seen.kind == "decoder":
        return
    weights = replace(seen, words_only=False).open_weights
    every = sinks.shares(weights, seen.keys, seen.summary.dialogue.speakers)
    shares = {name: float(values.mean()) for name, values in every.items()}
    parts = [f"{say(NAMES[name])} {percent(share)}" for name, share in shares.items() if share >= 0.005]
    if not parts:
        return
    shown = ", ".join(parts)
    note = say(
        "Part of this attention goes to: {shares}. “Tags and signs: left out” shows the words alone.", shares=shown
    )
    if seen.shows != "weights":
        note = say("Part of it comes from: {shares}. “Tags and signs: left out” shows the words alone.", shares=shown)
    elif seen.words_only:
        note = say("Part of this attention goes to: {shares}. Only the words are shown, as 100 %.", shares=shown)
    st.caption(note)


def _units(seen: AttentionView) -> tuple[tuple[Unit, Unit], str]:
    """Draw the choice of units; return those of rows and columns, and a sentence if one was made coarser."""
    of_summary = seen.kind != "encoder"
    names = ROW_UNIT.words
    choices = {unit: names[unit] for unit in ("token", "word")} if of_summary else names
    if ROW_UNIT.value not in choices:
        ROW_UNIT.value = ROW_UNIT.default
    if seen.kind == "decoder":  # the summary on both sides: the choice for dialogues stays as it was
        with options():
            unit = one_of(say("Rows and columns by"), choices, ROW_UNIT)
        return (unit, unit), ""
    with options():
        row = one_of(say("Rows by"), choices, ROW_UNIT)
        column = one_of(say("Columns by"), COLUMN_UNIT)
    return readable(seen, row, column)


def readable(seen: AttentionView, row: Unit, column: Unit) -> tuple[tuple[Unit, Unit], str]:
    """Return units of rows and columns that stay readable, and a sentence if one was made coarser for that."""
    rows, asked = len(seen.rows(row)), (row, column)
    if rows * len(seen.columns(column)) > MOST_CELLS and column in ("token", "word"):
        column = "turn"
    many = rows * len(seen.columns(column)) > MOST_CELLS or rows > MOST_ROWS
    if many and seen.kind == "encoder" and row != "speaker":
        row = "turn"
    coarser = (row != asked[0], column != asked[1])
    return (row, column), say(COARSER[coarser]) if any(coarser) else ""
