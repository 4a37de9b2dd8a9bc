"""Worked examples for the attention lab: their matrices, and the numbers printed in their sources."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from core.explain.attention_lab.lab import Inputs, Scoring
from core.files import table

SINGLE = 7
"""Decimals of single precision for numbers below 1; further printed decimals are not compared."""
Rows = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, eq=False)
class Preset:
    """One example.

    Args:
        title: on the page, to be said.
        source: its source, in a sentence to be said.
        inputs: its matrices.
        scoring: its score.
        printed: the printed numbers by the name of the step; None where nothing was printed.
        decimals: number of printed decimals.
    """

    title: str
    source: str
    inputs: Inputs
    scoring: Scoring = "scaled"
    printed: Mapping[str, Rows] = field(default_factory=dict)
    decimals: int = 2


def agrees(ours: float, printed: float, decimals: int) -> bool:
    """Return whether numbers, rounded to the printed digits, equal the printed ones.

    Numbers with more than seven decimals were printed from single precision and are inexact there.
    """
    return bool(abs(ours - printed) <= 0.5 * 10.0 ** -min(decimals, SINGLE) * (1 + 1e-9))


def _preset(inputs: Mapping[str, Any], printed: Mapping[str, Any] = MappingProxyType({}), **texts: Any) -> Preset:
    """Build an example of what the table has of it."""
    matrices: dict[str, Any] = {
        name: each if name == "attend" else np.array(each, dtype=np.float64) for name, each in inputs.items()
    }
    rows = {
        step: tuple(tuple(None if n == "" else float(n) for n in row) for row in matrix)
        for step, matrix in printed.items()
    }
    return Preset(inputs=Inputs(**matrices), printed=rows, **texts)


PRESETS = {name: _preset(**each) for name, each in table(__file__)["presets"].items()}
WORDS = PRESETS["slides"].inputs.query
"""Five words of width 4, of the lecture slides."""
