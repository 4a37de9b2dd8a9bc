"""Steps as boards: titles, labels and printed numbers, the locked cell, the table and the files."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st

from core.explain.lab_presets import Preset
from core.explain.lab_steps import Step
from core.figures import lab_words
from pages.parts.attention_lab.matrix_board import Grid, Group, cells, matrix_board
from pages.shared.figures import pictures
from pages.shared.frame import address
from pages.shared.frame.fields import Text
from pages.shared.frame.notices import literal

CELL = Text("lab_cell", 40)
KEY = "lab_board"
EDITED: Mapping[str, Mapping[str, str]] = {
    "lab_matrices": {name: name for name in ("query", "key", "value", "mask")},
    "lab_parameters": {"W": "bilinear", "key_map": "key_map", "query_map": "query_map", "vector": "vector"},
    "lab_block": {"x": "x", "memory": "memory"}
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
    """Return one step with its words.

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


def grouped(steps: Iterable[Step], make: Callable[[Step], Grid] = grid) -> list[Group]:
    """Return steps under the name of their sub-layer, in their order."""
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
    CELL.fit(sorted(cells(groups)), "cell")
    matrix_board(
        groups,
        label=name,
        chosen=CELL.value,
        version=hash((session.get(address.JUMPS, 0), session.get("lab"), session.get("lab_preset"))) % 2**31,
        beside=beside,
        key=KEY,
        on_pick=_picked,
    )
    st.caption(literal(caption))
    with st.container(horizontal=True):
        with st.popover("Table", icon=":material/table:", width="content"):
            st.dataframe(table(), hide_index=True, width=720)
        pictures.save_view(KEY, name, caption, table)


def clear_cell() -> None:
    """Forget the locked cell; for a control that shows other matrices."""
    CELL.value = ""


def _picked() -> None:
    """Lock a cell, and let the next run draw the editor of its matrix."""
    CELL.value = (st.session_state[KEY].pick or {}).get("cell", "")
    for editor, names in EDITED.items():
        matrix = CELL.value.partition(".")[0]
        if matrix in names:
            st.session_state[f"{editor}_which"] = names[matrix]
