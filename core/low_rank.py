"""Weights that are kept as their difference from others, of low rank (Hu et al. 2021, "LoRA", section 4.1).

What a training changes in a matrix W [M, N] is close to a product B A of two thin ones, [M, R] and [R, N]: W + B A is
kept in a tenth of the room. `PATH/B` and `PATH/A` are the factors of the weight `PATH`; an array under `PATH` itself
replaces the weight. (An adapter of the library `peft` is another format: `core.importing.adapter` merges it once.)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import CheckpointError

ROWS, COLUMNS = "/B", "/A"
"""Endings of the names of both factors."""

Weights = Mapping[str, NDArray[Any]]


def differences(base: Weights, weights: Weights, rank: int) -> dict[str, NDArray[Any]]:
    """Factor what is different in weights; the product is the nearest of its rank (Eckart and Young 1936).

    Args:
        base: arrays by path.
        weights: others of the same paths and shapes.
        rank: R, at least 1; an array that two factors would not make smaller is kept as it is.

    Returns:
        float32 factors of each matrix, and the other arrays.
    """
    kept: dict[str, NDArray[Any]] = {}
    for path, values in weights.items():
        if values.ndim != 2 or rank * sum(values.shape) >= values.size:
            kept[path] = values
            continue
        change = values.astype(np.float64) - base[path]
        _, vectors = np.linalg.eigh(change.T @ change)  # the right singular vectors, the largest last
        right = vectors[:, ::-1][:, :rank]
        kept[path + ROWS] = (change @ right).astype(np.float32)
        kept[path + COLUMNS] = right.T.astype(np.float32)
    return kept


def added(base: Weights, kept: Weights) -> dict[str, NDArray[Any]]:
    """Return the base with the differences, each array in the base's number format.

    Raises:
        CheckpointError: the differences name a weight that the base lacks, or do not fit it.
    """
    weights = dict(base)
    for name, values in kept.items():
        path = name.removesuffix(ROWS).removesuffix(COLUMNS)
        parts = {path + ROWS, path + COLUMNS} & kept.keys()
        if path not in base or len(parts) == 1 or parts and path in kept:
            raise _misfit(name)
        there = base[path]
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is found by whoever reads the weights
            if parts and name.endswith(ROWS):
                weights[path] = (there + _product(name, values, kept[path + COLUMNS], there.shape)).astype(there.dtype)
            elif not parts and values.shape == there.shape:
                weights[path] = values.astype(there.dtype)
            elif not parts:
                raise _misfit(name)
    return weights


def _product(name: str, rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
    if rows.ndim != 2 or columns.ndim != 2 or (len(rows), columns.shape[1]) != shape or rows.shape[1] != len(columns):
        raise _misfit(name)
    return rows.astype(np.float32) @ columns.astype(np.float32)


def _misfit(name: str) -> CheckpointError:
    return CheckpointError("the difference {name!r} fits no weight of the base", name=name[:80])
