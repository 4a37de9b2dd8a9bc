"""Editing small matrices in place; what they hold stands as a short text in the session, and so in the link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas
import streamlit as st

from core.errors import SettingsError
from core.explain.lab import LIMIT
from core.explain.lab_steps import Matrix
from core.explain.matrix_text import read, resized, write
from pages.shared import state
from pages.shared.choices import one_of
from pages.shared.state import Key

COLUMN, ROW = 62, 28
"""Pixels of a column and of a row."""
RUNS = "lab_runs"


@dataclass(frozen=True)
class Box:
    """One matrix to edit.

    Args:
        label: on its button.
        rows: letter before the number of a row.
        columns: letter before the number of a column.
        fill: what new cells hold.
        marks: whether it holds 0 and 1 only.
        fixed: names of its rows, if its size cannot be changed.
    """

    label: str
    rows: str = ""
    columns: str = ""
    fill: float = 0.0
    marks: bool = False
    fixed: Sequence[str] = ()


@dataclass(frozen=True)
class _Held:
    """What the editors began with, and what they held in their last run."""

    base: Mapping[str, Matrix]
    text: str
    version: int
    run: int


def count_run() -> None:
    """Count the runs of the page, so that editors know whether they were drawn in the last one; once a run."""
    st.session_state[RUNS] = st.session_state.get(RUNS, 0) + 1


def held(key: Key, standard: Mapping[str, Matrix], most: int) -> dict[str, Matrix]:
    """The matrices without their editors; a text in the link that is none is noted and forgotten.

    Args:
        key: where the text stands; an empty one means `standard`.
        standard: what they are before anyone edits.
        most: rows and columns.
    """
    text = st.session_state[key]
    if text:
        try:
            return read(text, list(standard), most)
        except SettingsError as error:
            state.note(f"The link asks for {key}={text[:40]}, which is not possible here: {error}.")
            st.session_state[key] = ""
    return read(write(standard), list(standard), most)


def edit(key: Key, standard: Mapping[str, Matrix], boxes: Mapping[str, Box], most: int) -> dict[str, Matrix]:
    """Draw the editor of one matrix at a time, with its size; returns all matrices, empty cells as NaN.

    Args:
        key: where their text stands.
        standard: all matrices before anyone edits, by name.
        boxes: those that can be edited; the others stay as they are.
        most: rows and columns.
    """
    session = st.session_state
    now = held(key, standard, most)
    left, right = st.columns(2)
    with left:
        name = _which(key, boxes)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _size(key, now, name, boxes[name], most)
            st.button("Reset all", icon=":material/undo:", key=f"{key}_reset", on_click=_forget, args=(key,))
    before: _Held | None = session.get(f"{key}_held")
    text, run = write(now), session[RUNS]
    kept = before is not None and before.text == text and before.run == run - 1
    if before is None or not kept or _editor(key, name, before.version) not in session:
        before = _Held(now, text, before.version + 1 if before else 0, run)
    box = boxes[name]
    edited = right.data_editor(
        _frame(before.base[name], box),
        key=_editor(key, name, before.version),
        width="content",
        row_height=ROW,
        column_config=_columns(before.base[name], box),
        alt=f"{box.label}, to be edited",
    )
    found = now | {name: edited.to_numpy(dtype=float)}
    text = write(found)
    session[f"{key}_held"] = _Held(before.base, text, before.version, run)
    session[key] = "" if text == write(standard) else text
    return read(text, list(standard), most)


def show_editor(key: Key, name: str) -> None:
    """Let the next run draw the editor of this matrix; for a callback."""
    st.session_state[f"{key}_which"] = name


def _editor(key: Key, name: str, version: int) -> str:
    return f"{key}_{name}_{version}"


def _which(key: Key, boxes: Mapping[str, Box]) -> str:
    """Which matrix is edited."""
    own = f"{key}_which"
    if st.session_state.get(own) not in boxes:
        st.session_state[own] = next(iter(boxes))
    return one_of("Edit", {name: box.label for name, box in boxes.items()}, own)  # type: ignore[no-any-return]


def _frame(matrix: Matrix, box: Box) -> pandas.DataFrame:
    rows, columns = matrix.shape
    index = list(box.fixed) or [f"{box.rows}{row + 1}" for row in range(rows)]
    return pandas.DataFrame(matrix, index=index, columns=[f"{box.columns}{column + 1}" for column in range(columns)])


def _columns(matrix: Matrix, box: Box) -> dict[str, object]:
    low, high, step = (0.0, 1.0, 1.0) if box.marks else (-LIMIT, LIMIT, None)
    number = st.column_config.NumberColumn(min_value=low, max_value=high, step=step, width=COLUMN, format="plain")
    names = st.column_config.TextColumn("", disabled=True, width=COLUMN)
    return {"_index": names} | {f"{box.columns}{column + 1}": number for column in range(matrix.shape[1])}


def _size(key: Key, matrices: Mapping[str, Matrix], name: str, box: Box, most: int) -> None:
    if box.fixed:
        return
    for place, word in enumerate(("rows", "columns")):
        own = f"{key}_{word}"
        st.session_state[own] = matrices[name].shape[place]
        st.number_input(
            word.capitalize(), 1, most, key=own, on_change=_resize, args=(key, dict(matrices), name, box), width=110
        )


def _resize(key: Key, matrices: dict[str, Matrix], name: str, box: Box) -> None:
    """What is beyond the new size is cut off, what is new is filled."""
    rows, columns = (int(st.session_state[f"{key}_{word}"]) for word in ("rows", "columns"))
    matrices[name] = resized(matrices[name], rows, columns, box.fill)
    st.session_state[key] = write(matrices)


def _forget(key: Key) -> None:
    st.session_state[key] = ""
