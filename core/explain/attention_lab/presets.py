"""Worked examples for the attention lab: their matrices, and the numbers printed in their sources."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.explain.attention_lab.lab import Inputs, Scoring
from core.explain.attention_lab.steps import Matrix
from core.words import later

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


def _matrix(*rows: str) -> Matrix:
    """Read rows of numbers with spaces between them."""
    return np.array([[float(number) for number in row.split()] for row in rows])


WORDS = _matrix("0.3 0.5 0.2 0.1", "0.4 0.5 0.1 0.2", "0.2 0.6 0.5 0.6", "0.1 0.2 0.3 0.1", "0.2 0.6 0.5 0.2")
"""Five words of width 4, of the lecture slides."""

PRESETS: Mapping[str, Preset] = {
    "reports": Preset(
        later("Masked attention, 3 × 5"),
        later(
            "Two student reports show these weights and outputs with two decimals, but not the matrices: those were "
            "found from the results."
        ),
        Inputs(
            _matrix("0 0 0 0", "1 0 0 1", "0 1 0 1"),
            _matrix("1 0 0 1", "1 1 0 1", "0 0 0 0", "0 0 1 0", "1 0 0 0"),
            _matrix("0 1", "1 0", "1 0", "1 1", "0 1"),
            _matrix("1 1 0 1 1", "1 0 1 1 1", "1 0 0 1 1"),
        ),
        printed={
            "weights": ((0.25, 0.25, 0.0, 0.25, 0.25), (0.43, 0.0, 0.16, 0.16, 0.26), (0.45, 0.0, 0.0, 0.27, 0.27)),
            "output": ((0.5, 0.75), (0.31, 0.84), (0.27, 1.0)),
        },
    ),
    "slides": Preset(
        later("Self-attention of 5 × 4"),
        later(
            "Slides of a lecture show every step with eight decimals, from single precision: seven of them are "
            "compared."
        ),
        Inputs(WORDS, WORDS, WORDS, np.ones((5, 5))),
        printed={
            "scaled": (
                (0.195, 0.205, 0.26, 0.1, 0.24),
                (0.205, 0.23, 0.275, 0.095, 0.235),
                (0.26, 0.275, 0.505, 0.175, 0.385),
                (0.1, 0.095, 0.175, 0.075, 0.155),
                (0.24, 0.235, 0.385, 0.155, 0.345),
            ),
            "weights": (
                (0.19870403, 0.20070107, 0.21204881, 0.18069609, 0.20784996),
                (0.19904016, 0.20407887, 0.21347219, 0.17830697, 0.20510183),
                (0.1871119, 0.18993972, 0.23905815, 0.17186458, 0.21202557),
                (0.19589609, 0.19491905, 0.21115328, 0.19105938, 0.20697217),
                (0.19303995, 0.19207716, 0.22316182, 0.17730956, 0.21441151),
            ),
            "output": (
                (0.24194102, 0.48778105, 0.32396913, 0.24687952),
                (0.2428891, 0.48836532, 0.32299504, 0.24765417),
                (0.23951267, 0.49354896, 0.33351758, 0.25972563),
                (0.23946747, 0.48449475, 0.32505167, 0.24576576),
                (0.23998849, 0.49056447, 0.32979524, 0.25222978),
            ),
        },
        decimals=8,
    ),
    "masked": Preset(
        later("Masked softmax, 5 words"),
        later(
            "Slides of a lecture show the scores of “<start> I am learning English” and three rows of their softmax; 1 "
            "means blocked here. They show no Q and K: with K = 1 on the diagonal and no division, the scores are Q."
        ),
        Inputs(
            _matrix("1.2 0 0 0 0", "2.3 1.5 0 0 0", "0.5 1.4 1.6 0 0", "0.6 1.8 2.4 0.3 0", "2.1 2.3 0.2 2 2.5"),
            np.eye(5),
            np.eye(5),
            np.triu(np.ones((5, 5)), 1),
            attend=0,
        ),
        scoring="dot",
        printed={
            "weights": (
                (1.0, None, None, None, None),
                (0.69, 0.31, None, None, None),
                (0.15, 0.38, 0.46, None, None),
                (None,) * 5,
                (None,) * 5,
            )
        },
    ),
    "hidden": Preset(
        later("All keys of a query masked"),
        later(
            "Made for this page. Every score of the second query becomes −10⁹, so all are equal, and the softmax "
            "shares out 1 evenly: the row is a plain mean of all values, masked or not, and no division by zero."
        ),
        Inputs(_matrix("1 0", "0 1"), _matrix("1 0", "0 1", "1 1"), _matrix("1", "2", "6"), _matrix("1 1 0", "0 0 0")),
    ),
    "one": Preset(
        later("One query and one key"),
        later("Made for this page. A single key gets the whole weight whatever its score, and √1 = 1 changes nothing."),
        Inputs(_matrix("2"), _matrix("0.5"), _matrix("3"), _matrix("1")),
    ),
}
