"""Editing small matrices in place; what they hold stands as a short text in the session, and so in the link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas
import streamlit as st

from core.errors import SettingsError
from core.explain.attention_lab.lab import LIMIT
from core.explain.attention_lab.matrix_text import read, resized, write
from core.explain.attention_lab.steps import Matrix
from core.words import say
from pages.shared.controls.choices import one_of
from pages.shared.session import session as frame
from pages.shared.session.fields import Text

COLUMN, ROW = 62, 28
"""Pixels of a column and of a row."""


@dataclass(frozen=True)
class Box:
    """One matrix to edit.

    Args:
        label: on its button, marked with `later`.
        rows: letter before the number of a row.
        columns: letter before the number of a column.
        fill: what new cells hold.
        binary: whether it holds 0 and 1 only.
        fixed: names of its rows, if its size cannot be changed.
    """

    label: str
    rows: str = ""
    columns: str = ""
    fill: float = 0.0
    binary: bool = False
    fixed: Sequence[str] = ()

    def frame(self, matrix: Matrix) -> pandas.DataFrame:
        """Return the matrix with the names of its rows and columns."""
        rows, columns = matrix.shape
        index = list(self.fixed) or [f"{self.rows}{row + 1}" for row in range(rows)]
        return pandas.DataFrame(matrix, index, [f"{self.columns}{column + 1}" for column in range(columns)])

    def columns_of(self, matrix: Matrix) -> dict[str, Any]:
        """Return how the columns of the matrix are edited."""
        low, high, step = (0.0, 1.0, 1.0) if self.binary else (-LIMIT, LIMIT, None)
        number = st.column_config.NumberColumn(min_value=low, max_value=high, step=step, width=COLUMN, format="plain")
        names = st.column_config.TextColumn(say("Row"), disabled=True, width=COLUMN)
        return {"_index": names} | {f"{self.columns}{column + 1}": number for column in range(matrix.shape[1])}


@dataclass(frozen=True)
class _Base:
    """What an editor began with, and what it held in its last run."""

    matrices: Mapping[str, Matrix]
    text: str
    version: int
    run: int


@dataclass(frozen=True)
class Editor:
    """The editor of some matrices, one at a time.

    Args:
        field: where their text stands; an empty one means the standard matrices.
        most: rows and columns.
    """

    field: Text
    most: int

    def held(self, standard: Mapping[str, Matrix]) -> dict[str, Matrix]:
        """Return the matrices without drawing; a text in the link that cannot be read is noted and forgotten.

        Args:
            standard: what they are before anyone edits, by name.
        """
        text = self.field.value
        if text:
            try:
                return read(text, list(standard), self.most)
            except SettingsError as error:
                refused = say(
                    "The link asks for {name}={value}, which is not possible here: {reason}.",
                    name=self.field.name,
                    value=text[:40],
                    reason=error,
                )
                self.field.refuse(refused)
        return read(write(standard), list(standard), self.most)

    def draw(self, standard: Mapping[str, Matrix], boxes: Mapping[str, Box]) -> dict[str, Matrix]:
        """Draw the editor of one matrix with its size; return all matrices, empty cells as NaN.

        Args:
            standard: all matrices before anyone edits, by name.
            boxes: those that can be edited; the others stay as they are.
        """
        session, own = st.session_state, self.field.name
        now = self.held(standard)
        names = " · ".join(say(box.label) for box in boxes.values())
        around = st.expander(say("Edit {matrices}", matrices=names), icon=":material/edit:", key=f"{own}_editor")
        left, right = around.columns(2)
        with left:
            if session.get(f"{own}_which") not in boxes:
                session[f"{own}_which"] = next(iter(boxes))
            name = one_of(say("Edit"), {key: say(box.label) for key, box in boxes.items()}, f"{own}_which")
            box = boxes[name]
            with st.container(horizontal=True, vertical_alignment="bottom"):
                self._size(now, name, box)
                st.button(say("Reset all"), icon=":material/undo:", key=f"{own}_reset", on_click=self.clear)
        before: _Base | None = session.get(f"{own}_held")
        text, run = write(now), session[frame.RUNS]
        kept = before is not None and before.text == text and before.run == run - 1
        if before is None or not kept or f"{own}_{name}_{before.version}" not in session:
            before = _Base(now, text, before.version + 1 if before else 0, run)
        try:
            edited = right.data_editor(
                box.frame(before.matrices[name]),
                key=f"{own}_{name}_{before.version}",
                width="content",
                row_height=ROW,
                column_config=box.columns_of(before.matrices[name]),
                alt=say("{matrix}, to be edited", matrix=say(box.label)),
            ).to_numpy(dtype=float)
            if edited.shape != before.matrices[name].shape:
                raise ValueError(f"{edited.shape}")
        except (LookupError, ValueError, TypeError, OverflowError):  # a forged edit; the next run draws another table
            session[f"{own}_held"] = _Base(now, text, before.version + 1, run)
            refused = say(
                "{matrix} was edited where it has no cell, or with what is no number; the edit was left out",
                matrix=say(box.label),
            )
            raise SettingsError(refused) from None
        text = write(now | {name: edited})
        session[f"{own}_held"] = _Base(before.matrices, text, before.version, run)
        self.field.value = "" if text == write(standard) else text
        return read(text, list(standard), self.most)

    def clear(self) -> None:
        """Forget what was edited."""
        self.field.value = ""

    def _size(self, matrices: Mapping[str, Matrix], name: str, box: Box) -> None:
        """Draw the numbers of rows and columns; what is beyond a new size is cut off, what is new is filled."""
        keys = [f"{self.field.name}_{word}" for word in ("rows", "columns")]

        def resize() -> None:
            rows, columns = (int(st.session_state[key]) for key in keys)
            self.field.value = write({**matrices, name: resized(matrices[name], rows, columns, box.fill)})

        for key, word, size in zip(keys, (say("Rows"), say("Columns")), matrices[name].shape, strict=True):
            if not box.fixed:
                st.session_state[key] = size
                st.number_input(word, 1, self.most, key=key, on_change=resize, width=110)
