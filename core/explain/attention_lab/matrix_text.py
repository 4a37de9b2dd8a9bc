"""Write small matrices as a short text for links: 1_0.5~2_x~~3 is [[1, 0.5], [2, empty]] and [[3]]."""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from core.errors import SettingsError
from core.explain.attention_lab.steps import Matrix

DECIMALS = 6
"""Decimals of a number in a text; the app computes with the rounded numbers."""
_NUMBER = re.compile(r"-?[0-9]*\.?[0-9]+(e-?[0-9]{1,2})?|x")


def write(matrices: Mapping[str, Matrix]) -> str:
    """Write matrices as a text; an empty cell (NaN) is an x."""
    return "~~".join("~".join("_".join(_written(float(cell)) for cell in row) for row in m) for m in matrices.values())


def read(text: str, names: Sequence[str], most: int) -> dict[str, Matrix]:
    """Read what `write` wrote.

    Args:
        text: one matrix for each name.
        names: of the matrices, in their order.
        most: largest number of rows and columns.

    Raises:
        SettingsError: other text, or a matrix that is too large.
    """
    parts = text.split("~~")
    if len(parts) != len(names):
        raise SettingsError(
            "there must be {count} matrices, {names}. Received: {received}",
            count=len(names),
            names=", ".join(names),
            received=len(parts),
        )
    return {name: _matrix(part, name, most) for name, part in zip(names, parts, strict=True)}


def _written(value: float) -> str:
    return "x" if not math.isfinite(value) else f"{round(value, DECIMALS) + 0.0:.12g}"


def _matrix(text: str, name: str, most: int) -> Matrix:
    rows = [row.split("_") for row in text.split("~")]
    strange = [cell for row in rows for cell in row if not _NUMBER.fullmatch(cell)]
    if strange:
        raise SettingsError("{name} must hold numbers. Received: {value}", name=name, value=repr(strange[0][:20]))
    if len({len(row) for row in rows}) > 1:
        lengths = [len(row) for row in rows][:most]
        raise SettingsError("all rows of {name} must be of one length. Received: {lengths}", name=name, lengths=lengths)
    if max(len(rows), len(rows[0])) > most:
        raise SettingsError(
            "{name} must have at most {most} rows and {most} columns. Received: {rows} × {columns}",
            name=name,
            most=most,
            rows=len(rows),
            columns=len(rows[0]),
        )
    return np.array([[math.nan if cell == "x" else float(cell) for cell in row] for row in rows])


def resized(matrix: Matrix, rows: int, columns: int, fill: float) -> Matrix:
    """Change the size of a matrix: cut off what is outside, fill what is new."""
    fitted = np.full((rows, columns), fill)
    kept = matrix[:rows, :columns]
    fitted[: kept.shape[0], : kept.shape[1]] = kept
    return fitted
