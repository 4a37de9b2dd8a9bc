"""Steps as boards: titles, labels and printed numbers, the locked cell, the table and the files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.explain.lab_presets import Preset
from core.explain.lab_steps import Step
from core.figures import lab_words
from pages.parts.attention_lab import editors
from pages.shared import pictures, state
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.matrix_board import Grid, Group, cells, matrix_board
from pages.shared.state import Key

KEY, PICKED = "lab_board", "lab_picked"
EDITED: Mapping[Key, Mapping[str, str]] = {
    Key.LAB_MATRICES: {name: name for name in ("query", "key", "value", "mask")},
    Key.LAB_PARAMETERS: {"W": "bilinear", "key_map": "key_map", "query_map": "query_map", "vector": "vector"},
    Key.LAB_BLOCK: {"x": "x", "memory": "memory"}
    | {f"{name}/{letter}": name for name in ("self", "cross", "feed") for letter in ("gamma", "beta")},
}
"""A click on one of these matrices opens its editor."""


def grid(
    step: Step,
    *,
    scoring: str = "scaled",
    preset: Preset | None = None,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    formula: str | None = None,
    shown: tuple[Sequence[int], int] | None = None,
) -> Grid:
    """One step with its words.

    Args:
        step: the step.
        scoring: how the scores were made.
        preset: whose printed numbers stand beside ours.
        rows: labels; None: numbers.
        columns: likewise.
        formula: what stands below the title, if not the usual.
        shown: which rows and how many columns are drawn; None: all.
    """
    down, across = lab_words.axes(step)
    printed = preset.printed[step.name] if preset and lab_words.fits(step, preset) else None
    return Grid(
        step,
        lab_words.title(step),
        lab_words.formula(step, scoring) if formula is None else formula,
        lab_words.source_key(step, scoring),
        rows or down,
        columns or across,
        shown,
        printed,
        preset.decimals if preset else 2,
    )


def grouped(steps: Iterable[Step], make: Callable[[Step], Grid]) -> list[Group]:
    """Steps under the name of their sub-layer, in their order."""
    found: dict[str, list[Grid]] = {}
    for step in steps:
        found.setdefault(step.group, []).append(make(step))
    return [Group(lab_words.GROUPS[name], grids) for name, grids in found.items()]


def show(
    groups: Sequence[Group],
    name: str,
    caption: str,
    table: Callable[[], Mapping[str, Sequence[object]]],
    beside: bool = False,
) -> None:
    """Draw a board with its sentence, its table and its files.

    Args:
        groups: what to draw.
        name: of the files.
        caption: one sentence computed from the numbers.
        table: the same numbers.
        beside: whether the groups stand side by side.
    """
    session = st.session_state
    view = session[Key.LAB]
    chosen = session[Key.LAB_CELL]
    if chosen and chosen not in cells(groups):
        if session.get(PICKED) != chosen:  # it was not picked, and never drawn
            state.note(f"The link asks for {Key.LAB_CELL}={chosen}, which is not a cell of these matrices.")
        clear_cell()
    session[PICKED] = session[Key.LAB_CELL]
    matrix_board(
        groups,
        label=name,
        chosen=session[Key.LAB_CELL],
        version=hash((session.get(Key.JUMPS, 0), view, session[Key.LAB_PRESET])) % 2**31,
        beside=beside,
        key=KEY,
        on_pick=_picked,
    )
    st.caption(literal(caption))
    with st.container(horizontal=True):
        with st.popover("Table", icon=":material/table:", width="content"):
            st.dataframe(table(), hide_index=True, width=720)
        pictures.save_view(KEY, name, caption, table)


def _picked() -> None:
    cell = (st.session_state[KEY].pick or {}).get("cell", "")
    st.session_state.update({Key.LAB_CELL: cell, PICKED: cell})
    for key, names in EDITED.items():
        if cell.partition(".")[0] in names:
            editors.show_editor(key, names[cell.partition(".")[0]])


def clear_cell() -> None:
    """Forget the locked cell; for a control that shows other matrices."""
    st.session_state[Key.LAB_CELL] = ""


def choice(label: str, options: Mapping[Any, str], key: Key, tip: str | None = None) -> Any:
    """One of a few, as segments."""
    return one_of(label, options, key, tip, on_change=clear_cell)


