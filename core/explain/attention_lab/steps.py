"""Small matrices with their derivation: each step keeps the steps that it was computed from.

float64 throughout, so that rounding does not hide the formula. R rows, C columns.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.config import Activation

Matrix = NDArray[np.float64]
Kind = Literal[
    "given", "dot", "additive", "divide", "mask", "softmax", "product", "add", "times", "mean", "variance",
    "normalise", "square", "rms", "scale", "relu", "gelu", "gelu_tanh", "silu", "join",
]  # fmt: skip
Feed = Literal["same", "row", "row of column", "column", "whole row"]
"""The cells of a part that cell (i, j) depends on: (i, j), row i, row j, column j, or the only row."""

BLOCKED = -1e9
"""Score of a masked key, as in `core.model.attention`."""
FEEDS: Mapping[Kind, tuple[Feed, ...]] = {
    "given": (),
    "dot": ("row", "row of column"),
    "additive": ("row", "row of column", "whole row"),
    "divide": ("same",),
    "mask": ("same", "same"),
    "softmax": ("row",),
    "product": ("row", "column", "column"),
    "add": ("same", "same"),
    "times": ("same", "same"),
    "mean": ("row",),
    "variance": ("row", "row"),
    "normalise": ("same", "row", "row"),
    "square": ("row",),
    "rms": ("same", "row"),
    "scale": ("same", "column", "column"),
    "relu": ("same",),
    "gelu": ("same",),
    "gelu_tanh": ("same",),
    "silu": ("same",),
}
"""For each kind the cells of its parts that a cell depends on; for a join they follow from the widths."""


@dataclass(frozen=True, eq=False)
class Step:
    """One matrix.

    Args:
        name: unique among the steps that are shown together; the text before the last / is its group.
        kind: of the computation.
        values: [R, C].
        parts: the steps that it was computed from, in the order of its formula.
        number: the d of the root, the value of the mask that means "attend", or the epsilon of a normalisation.
    """

    name: str
    kind: Kind
    values: Matrix
    parts: tuple["Step", ...] = ()
    number: float = 0.0

    @property
    def group(self) -> str:
        """The sub-layer, "" for none."""
        return self.name.rpartition("/")[0]

    @property
    def stage(self) -> str:
        """The name without its group and without the number of its head."""
        return self.name.rpartition("/")[2].rstrip("0123456789")

    def feeds(self, row: int, column: int) -> list[tuple["Step", list[tuple[int, int]]]]:
        """Return the cells that one cell depends on, part by part."""
        if self.kind == "join":
            return _joined(self, row, column)
        cells = []
        for part, feed in zip(self.parts, FEEDS[self.kind], strict=False):
            rows, columns = part.values.shape
            places = {
                "same": [(row, column)],
                "row": [(row, index) for index in range(columns)],
                "row of column": [(column, index) for index in range(columns)],
                "column": [(index, column) for index in range(rows)],
                "whole row": [(0, index) for index in range(columns)],
            }[feed]
            cells.append((part, places))
        return cells


def given(name: str, values: Any) -> Step:
    """Make an input step; a vector [C] becomes a row [1, C]."""
    return Step(name, "given", np.atleast_2d(np.asarray(values, dtype=np.float64)))


def dot(name: str, left: Step, right: Step) -> Step:
    """Multiply every row of one with every row of the other: left right^T."""
    return Step(name, "dot", left.values @ right.values.T, (left, right))


def additive(name: str, left: Step, right: Step, vector: Step) -> Step:
    """Compute v^T tanh(left_i + right_j) for every pair of rows (Bahdanau et al. 2015, appendix A.1.2)."""
    inner = np.tanh(left.values[:, None] + right.values[None])  # [R, C, A]
    return Step(name, "additive", inner @ vector.values[0], (left, right, vector))


def divide(name: str, scores: Step, width: int) -> Step:
    """Divide scores by sqrt(width)."""
    return Step(name, "divide", scores.values / math.sqrt(width), (scores,), width)


def mask(name: str, scores: Step, marks: Step, attend: int) -> Step:
    """Keep the scores where the mask is `attend`; -1e9 elsewhere."""
    return Step(name, "mask", np.where(marks.values == attend, scores.values, BLOCKED), (scores, marks), attend)


def softmax(name: str, scores: Step) -> Step:
    """Compute the softmax of every row; a row of only -1e9 gets equal weights, as in the model."""
    powers = np.exp(scores.values - scores.values.max(axis=1, keepdims=True))
    return Step(name, "softmax", powers / powers.sum(axis=1, keepdims=True), (scores,))


def product(name: str, left: Step, right: Step, bias: Step | None = None) -> Step:
    """Multiply matrices, and add a row to every row."""
    values = left.values @ right.values
    parts: tuple[Step, ...] = (left, right)
    if bias is not None:
        values, parts = values + bias.values, (*parts, bias)
    return Step(name, "product", values, parts)


def add(name: str, left: Step, right: Step) -> Step:
    """Add cell by cell."""
    return Step(name, "add", left.values + right.values, (left, right))


def times(name: str, left: Step, right: Step) -> Step:
    """Multiply cell by cell."""
    return Step(name, "times", left.values * right.values, (left, right))


def activate(group: str, kind: Activation, x: Step) -> Step:
    """Apply an activation function cell by cell, see `core.model.layers.ACTIVATIONS`."""
    return Step(f"{group}/{kind}", kind, _ACTIVATIONS[kind](x.values), (x,))


def _gelu(x: Matrix) -> Matrix:
    return np.asarray(x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))) / 2)


_ACTIVATIONS: Mapping[Activation, Callable[[Matrix], Matrix]] = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": _gelu,
    "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "silu": lambda x: x / (1 + np.exp(-np.clip(x, -500, 500))),
}


def join(name: str, parts: Sequence[Step]) -> Step:
    """Put matrices with equally many rows side by side."""
    return Step(name, "join", np.concatenate([part.values for part in parts], axis=1), tuple(parts))


def normalisation(group: str, x: Step, gamma: Step, beta: Step, epsilon: float) -> tuple[Step, ...]:
    """Compute layer normalisation in four steps: mean, variance, (x - mean) / sqrt(variance + epsilon), gamma and beta.

    Ba et al. 2016, equation 4; the mean and the variance of each row.
    """
    mean = Step(f"{group}/mean", "mean", x.values.mean(axis=1, keepdims=True), (x,))
    centred = x.values - mean.values
    variance = Step(f"{group}/variance", "variance", (centred**2).mean(axis=1, keepdims=True), (x, mean))
    normal = centred / np.sqrt(variance.values + epsilon)
    normalised = Step(f"{group}/normal", "normalise", normal, (x, mean, variance), epsilon)
    scaled = Step(f"{group}/norm", "scale", normal * gamma.values + beta.values, (normalised, gamma, beta))
    return mean, variance, normalised, gamma, beta, scaled


def rms_normalisation(group: str, x: Step, gamma: Step, epsilon: float) -> tuple[Step, ...]:
    """Compute RMS normalisation in three steps: mean of x^2, x / sqrt(that mean + epsilon), times gamma.

    Zhang and Sennrich 2019, equation 4; the mean of each row.
    """
    square = Step(f"{group}/square", "square", (x.values**2).mean(axis=1, keepdims=True), (x,))
    normal = Step(f"{group}/rms", "rms", x.values / np.sqrt(square.values + epsilon), (x, square), epsilon)
    return square, normal, gamma, Step(f"{group}/norm", "scale", normal.values * gamma.values, (normal, gamma))


def _joined(step: Step, row: int, column: int) -> list[tuple[Step, list[tuple[int, int]]]]:
    for part in step.parts:
        if column < part.values.shape[1]:
            return [(part, [(row, column)])]
        column -= part.values.shape[1]
    return []
