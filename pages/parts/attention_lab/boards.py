"""Boards of steps: the locked cell, the table and the files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.explain.attention_lab.presets import Preset
from core.explain.attention_lab.steps import Step
from core.figures.attention_lab.board import Group, board_data, cells
from core.figures.attention_lab.words import step_table
from core.words import say
from pages.parts.attention_lab.matrix_board import matrix_board
from pages.shared.figures import pictures
from pages.shared.place import address
from pages.shared.place.declarations import page_at
from pages.shared.session.fields import Text
from pages.shared.session.notices import literal
from pages.shared.teaching import projector

CELL = Text("lab_cell", 40)
KEY, EVERY = "lab_board", "lab_every_step"
INSIDE_NORM = ("mean", "variance", "normal", "gamma", "beta")
EDITED: Mapping[str, Mapping[str, str]] = {
    "lab_matrices": {name: name for name in ("query", "key", "value", "mask")},
    "lab_parameters": {"W": "bilinear", "key_map": "key_map", "query_map": "query_map", "vector": "vector"},
    "lab_block": {"x": "x", "memory": "memory"}
    | {f"{name}/{letter}": name for name in ("self", "cross", "feed") for letter in ("gamma", "beta")},
}
"""A click on one of these matrices chooses it in the editor."""


def show(
    groups: Sequence[Group],
    name: str,
    caption: str,
    steps: Sequence[Step],
    *,
    preset: Preset | None = None,
    beside: bool = False,
) -> None:
    """Draw a board with its sentence, its table and its files.

    Args:
        groups: what to draw.
        name: of the files.
        caption: one sentence computed from the numbers.
        steps: what the table holds.
        preset: whose printed numbers stand in it.
        beside: whether the groups stand side by side where there is room.
    """
    session = st.session_state
    CELL.fit(sorted(cells(groups)), say("cell"))
    view = page_at("attention_lab").view.value
    version = hash((session.get(address.JUMPS, 0), view, session.get("lab_preset"))) % 2**31
    data = board_data(groups, say("Matrices"), CELL.value, version)
    data |= {"beside": beside or projector.on(), "narrow": projector.on() and not st.session_state.get(EVERY)}
    matrix_board(key=KEY, data=data, on_pick_change=_picked)
    st.caption(literal(caption))
    with st.container(horizontal=True):
        pictures.table_popover(step_table(steps, preset))
        pictures.save_view(KEY, name, caption, lambda: step_table(steps, preset))


def parts(groups: Sequence[Group], box: DeltaGenerator, most: int = 0) -> Sequence[Group]:
    """Draw the switch "Every step", and return what is drawn: all of each part, or the steps that matter most.

    Args:
        groups: all of each part.
        box: where the switch stands.
        most: how many of the last steps of a part stay when it is off, 0 for all; those that lead to the result of a
            LayerNorm go. A projector shows two.
    """
    most = 2 if projector.on() else most
    kept = [[grid for grid in group.grids if grid.step.stage not in INSIDE_NORM] for group in groups]
    short = [
        replace(group, grids=grids[-most:], note="" if projector.on() else group.note)
        for group, grids in zip(groups, kept, strict=True)
    ]
    if CELL.value in cells(groups) - cells(short):  # of a link
        st.session_state[EVERY] = True
    tip = say("Off: the steps that matter most, so that all parts can be seen at once.")
    every = box.toggle(say("Every step"), key=EVERY, help=tip, on_change=clear_cell, persist_state="session")
    return groups if every else short


def clear_cell() -> None:
    """Forget the locked cell; for a control that shows other matrices."""
    CELL.value = ""


def _picked() -> None:
    """Lock a cell, and let the editor hold its matrix."""
    CELL.value = (st.session_state[KEY].pick or {}).get("cell", "")
    for editor, names in EDITED.items():
        matrix = CELL.value.partition(".")[0]
        if matrix in names:
            st.session_state[f"{editor}_which"] = names[matrix]
