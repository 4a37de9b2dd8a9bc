"""Small matrices on a page, in groups with arrows, and the arithmetic of the cell under the pointer.

The folder of the same name holds the style sheet and the script, which draws what is computed here. Pointing at a cell
rings the cells that it is made of; a click locks it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.explain.lab_presets import SINGLE, Rows, agrees
from core.explain.lab_steps import BLOCKED, Step
from core.explain.source_lines import source_line
from pages.parts.attention_lab.matrix_board.derivations import cell_derivation, short
from pages.shared.components import component

MOST_DECIMALS = 3
_MATRIX_BOARD = component(__file__)


@dataclass(frozen=True, eq=False)
class Grid:
    """One matrix as it is drawn.

    Args:
        step: its numbers and what they are made of.
        title: on top.
        formula: below it.
        source: a key of `source_lines.PLACES`, or None.
        rows: labels of the rows.
        columns: labels of the columns.
        shown: which rows and how many columns are drawn; None: all.
        printed: numbers to compare with, None where there are none.
        decimals: with which they were printed.
    """

    step: Step
    title: str
    formula: str
    source: str | None
    rows: Sequence[str]
    columns: Sequence[str]
    shown: tuple[Sequence[int], int] | None = None
    printed: Rows | None = None
    decimals: int = 2

    @property
    def drawn(self) -> tuple[Sequence[int], range]:
        """Rows and columns that are drawn."""
        rows, columns = self.step.values.shape
        down, count = self.shown or (range(rows), columns)
        return down, range(min(count, columns))


@dataclass(frozen=True, eq=False)
class Group:
    """Matrices under one heading.

    Args:
        title: "" for none.
        grids: in their order.
        note: a line below the heading.
    """

    title: str
    grids: Sequence[Grid]
    note: str = ""


def matrix_board(
    groups: Sequence[Group],
    *,
    label: str,
    chosen: str,
    version: int,
    beside: bool = False,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw matrices.

    It keeps its own lock while people use it, so that a slow rerun does not set it back.

    Args:
        groups: what to draw.
        label: what the board shows, for screen readers.
        chosen: the locked cell, scores.2.4 with row and column from 1, or ""; taken over only if `version` is new.
        version: raise it with every change of `chosen` that did not come from the component.
        beside: whether the groups stand side by side where there is room.
        key: of the component; `st.session_state[key].pick` is {cell, version} inside `on_pick`.
        on_pick: called when someone locked or released a cell.
    """
    _MATRIX_BOARD(key=key, data=board_data(groups, label, chosen, version) | {"beside": beside}, on_pick_change=on_pick)


def board_data(groups: Sequence[Group], label: str, chosen: str, version: int) -> dict[str, Any]:
    """What the script draws; a chosen cell that is not drawn is none."""
    names = _names([each.step for group in groups for each in group.grids])
    made: list[dict[str, Any]] = [
        {"title": group.title, "note": group.note, "grids": [_grid(each, names) for each in group.grids]}
        for group in groups
    ]
    grids = [grid for group in made for grid in group["grids"]]
    last = next((grid for grid in reversed(grids) if grid["computed"]), grids[-1])
    return {
        "label": label,
        "groups": made,
        "first": last["cells"][0][0]["id"],
        "chosen": chosen if chosen in cells(groups) else "",
        "version": version,
    }


def cells(groups: Sequence[Group]) -> set[str]:
    """Every cell that is drawn, as it stands in a link: scores.2.4, rows and columns from 1."""
    names = _names([each.step for group in groups for each in group.grids])
    return {
        _place(names[grid.step], row, column)
        for group in groups
        for grid in group.grids
        for row in grid.drawn[0]
        for column in grid.drawn[1]
    }


def _names(steps: Sequence[Step]) -> dict[Step, str]:
    """The name of each step on its board; a name that stands there already gets a number: weights, weights~2."""
    found: dict[Step, str] = {}
    for step in steps:
        again = sum(other.name == step.name for other in found)
        found[step] = f"{step.name}~{again + 1}" if again else step.name
    return found


def _place(name: str, row: int, column: int) -> str:
    return f"{name}.{row + 1}.{column + 1}"


def _grid(grid: Grid, names: Mapping[Step, str]) -> dict[str, Any]:
    rows, columns = grid.step.values.shape
    down, across = grid.drawn
    values = grid.step.values[np.ix_(list(down), list(across))]
    seen = values[values > BLOCKED / 2]
    limit = float(np.abs(seen).max()) if seen.size else 0.0
    if grid.step.stage == "weights" and limit <= 1:
        limit = 1.0
    digits = _decimals(seen, max(MOST_DECIMALS, min(grid.decimals, SINGLE)) if grid.printed else MOST_DECIMALS)
    numbers = [[_cell(grid, row, column, limit, digits, names) for column in across] for row in down]
    source = source_line(grid.source) if grid.source else None
    return {
        "name": names[grid.step],
        "title": grid.title,
        "formula": grid.formula,
        "size": f"{rows} × {columns}",
        "computed": grid.step.kind != "given",
        "source": source.place if source else "",
        "code": source.code if source else "",
        "rows": [grid.rows[row] for row in down],
        "columns": [grid.columns[column] for column in across],
        "more": columns - len(across),
        "cells": numbers,
        "ends": [*([short(-limit)] if (seen < 0).any() else []), "0", *([short(limit)] if limit else [])],
        "agree": _agree(numbers),
    }


def _decimals(values: np.ndarray, most: int) -> int:
    """The fewest decimals with which every number is exact, or the most."""
    exact = (places for places in range(most) if np.abs(values - values.round(places)).max(initial=0.0) < 1e-9)
    return next(exact, most)


def _cell(grid: Grid, row: int, column: int, limit: float, digits: int, names: Mapping[Step, str]) -> dict[str, Any]:
    value = float(grid.step.values[row, column])
    hidden = value == BLOCKED or (grid.step.kind == "softmax" and _hidden(grid.step, row, column))
    printed = grid.printed[row][column] if grid.printed else None
    cell: dict[str, Any] = {
        "id": _place(names[grid.step], row, column),
        "text": short(value) if value == BLOCKED else f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−"),
        "share": 0 if value == BLOCKED or not limit else round(value / limit, 3),
        "masked": hidden,
        "sum": cell_derivation(grid.step, row, column),
        "from": [
            _place(names[part], *place) for part, places in grid.step.feeds(row, column) if part in names
            for place in places
        ],
    }  # fmt: skip
    if printed is not None:
        digits = grid.decimals
        same = agrees(value, printed, digits)
        cell["printed"] = [_printed(printed, digits), same]
        cell["exact"] = f"Ours: {value:.{digits}f}; printed: {_printed(printed, digits)}."
    return cell


def _hidden(step: Step, row: int, column: int) -> bool:
    return float(step.parts[0].values[row, column]) == BLOCKED


def _printed(value: float, decimals: int) -> str:
    """A printed number, with two decimals at least."""
    text = f"{value:.{decimals}f}"
    return text[: max(len(text.rstrip("0")), text.index(".") + 3)]


def _agree(cells: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """How many printed numbers of a grid agree, in words."""
    marks = [cell["printed"][1] for row in cells for cell in row if "printed" in cell]
    return f"{sum(marks)} of {len(marks)} as printed" if marks else ""
