"""Small matrices with their words as plain values, in groups: what a board of them draws.

A cell knows the cells that it is made of and the arithmetic that leads to it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.explain.attention_lab.presets import SINGLE, Preset, Rows, agrees
from core.explain.attention_lab.steps import BLOCKED, Step
from core.explain.shared.source_lines import source_line
from core.figures.attention_lab import words
from core.figures.attention_lab.derivations import cell_derivation, short
from core.words import say

MOST_DECIMALS = 3


@dataclass(frozen=True, eq=False)
class Grid:
    """One matrix as it is drawn.

    Args:
        step: its numbers and what they are made of.
        scoring: how the scores were made.
        preset: whose printed numbers stand beside ours.
        rows: labels; None: numbers.
        columns: labels; None: numbers.
        formula: what stands below the title, if not the usual.
        shown: which rows and how many columns are drawn; None: all.
    """

    step: Step
    scoring: str = "scaled"
    preset: Preset | None = None
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    formula: str | None = None
    shown: tuple[Sequence[int], int] | None = None

    @property
    def drawn(self) -> tuple[Sequence[int], range]:
        """Return rows and columns that are drawn."""
        rows, columns = self.step.values.shape
        down, count = self.shown or (range(rows), columns)
        return down, range(min(count, columns))

    @property
    def printed(self) -> Rows | None:
        """Return the printed numbers, None where there are none of this shape."""
        return self.preset.printed[self.step.name] if self.preset and words.fits(self.step, self.preset) else None

    @property
    def decimals(self) -> int:
        """Return with how many decimals they were printed."""
        return self.preset.decimals if self.preset else 2


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


def grouped(steps: Iterable[Step], make: Callable[[Step], Grid] = Grid) -> list[Group]:
    """Return steps under the name of their sub-layer, in their order."""
    by_group: dict[str, list[Grid]] = {}
    for step in steps:
        by_group.setdefault(step.group, []).append(make(step))
    return [Group(say(words.GROUPS[name]), grids) for name, grids in by_group.items()]


def board_data(groups: Sequence[Group], label: str, chosen: str, version: int) -> dict[str, Any]:
    """Return what a script draws.

    Args:
        groups: what to draw.
        label: what the board shows, for screen readers.
        chosen: the locked cell, scores.2.4 with row and column from 1, or ""; a cell that is not drawn means none.
        version: raise it with every change of `chosen` that did not come from the component.
    """
    drawn = [grid for group in groups for grid in group.grids]
    names = _names([grid.step for grid in drawn])
    limit = max((_largest(grid) for grid in drawn if grid.step.stage != "weights"), default=0.0)
    made: list[dict[str, Any]] = [
        {"title": group.title, "note": group.note, "grids": [_grid(grid, names, limit) for grid in group.grids]}
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
    """Return every cell that is drawn, as it stands in a link: scores.2.4, rows and columns from 1."""
    names = _names([each.step for group in groups for each in group.grids])
    return {
        _place(names[grid.step], row, column)
        for group in groups
        for grid in group.grids
        for row in grid.drawn[0]
        for column in grid.drawn[1]
    }


def _names(steps: Sequence[Step]) -> dict[Step, str]:
    """Return the name of each step on its board; a name that stands there already gets a number: weights, weights~2."""
    names: dict[Step, str] = {}
    for step in steps:
        again = sum(other.name == step.name for other in names)
        names[step] = f"{step.name}~{again + 1}" if again else step.name
    return names


def _place(name: str, row: int, column: int) -> str:
    return f"{name}.{row + 1}.{column + 1}"


def _seen(grid: Grid) -> np.ndarray:
    """Return the numbers that are drawn, without those that a mask blocks."""
    values = grid.step.values[np.ix_(*map(list, grid.drawn))]
    return values[values > BLOCKED / 2]


def _largest(grid: Grid) -> float:
    return float(np.abs(_seen(grid)).max(initial=0.0))


def _grid(grid: Grid, names: Mapping[Step, str], limit: float) -> dict[str, Any]:
    """Return a matrix; limit: the end of the scale that all but the weights share, so that colours can be compared."""
    rows, columns = grid.step.values.shape
    down, across = grid.drawn
    seen = _seen(grid)
    if grid.step.stage == "weights":
        limit = max(_largest(grid), 1.0)
    digits = _decimals(seen, max(MOST_DECIMALS, min(grid.decimals, SINGLE)) if grid.printed else MOST_DECIMALS)
    numbers = [[_cell(grid, row, column, limit, digits, names) for column in across] for row in down]
    place = words.source_key(grid.step, grid.scoring)
    source = source_line(place) if place else None
    labels = words.axes(grid.step)
    return {
        "name": names[grid.step],
        "title": words.title(grid.step),
        "formula": words.formula(grid.step, grid.scoring) if grid.formula is None else grid.formula,
        "size": f"{rows} × {columns}",
        "computed": grid.step.kind != "given",
        "weights": grid.step.stage == "weights",
        "source": source.place if source else "",
        "code": source.code if source else "",
        "rows": [(grid.rows or labels[0])[row] for row in down],
        "columns": [(grid.columns or labels[1])[column] for column in across],
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
    hidden = value == BLOCKED or (grid.step.kind == "softmax" and grid.step.parts[0].values[row, column] == BLOCKED)
    printed = grid.printed[row][column] if grid.printed else None
    made_of = grid.step.feeds(row, column)
    cell: dict[str, Any] = {
        "id": _place(names[grid.step], row, column),
        "text": short(value) if value == BLOCKED else f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−"),
        "share": 0 if value == BLOCKED or not limit else round(value / limit, 3),
        "masked": bool(hidden),
        "sum": cell_derivation(grid.step, row, column),
        "from": [_place(names[part], *place) for part, places in made_of if part in names for place in places],
    }
    if printed is not None:
        digits = grid.decimals
        same = agrees(value, printed, digits)
        cell["printed"] = [_printed(printed, digits), same]
        ours, original = f"{value:.{digits}f}", _printed(printed, digits)
        cell["exact"] = say("Ours: {ours}; in the original: {original}.", ours=ours, original=original)
    return cell


def _printed(value: float, decimals: int) -> str:
    """A printed number, with two decimals at least."""
    text = f"{value:.{decimals}f}"
    return text[: max(len(text.rstrip("0")), text.index(".") + 3)]


def _agree(cells: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """How many printed numbers of a grid agree, in words."""
    marks = [cell["printed"][1] for row in cells for cell in row if "printed" in cell]
    if not marks:
        return ""
    return say("{agreeing} of {all} as in the original", agreeing=sum(marks), all=len(marks))
