"""One head as a matrix, with a read-out of the cell under the pointer or the keys."""

from typing import Any

from core.figures.attention.weights import Weights
from pages.parts.attention.packing import weights_data
from pages.shared.components import component

attention_matrix = component(__file__, row=int)
"""Draws what `matrix_data` returned; `st.session_state[key].row` is the picked row inside `on_row_change`."""


def matrix_data(weights: Weights, selected: int | None) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        weights: values [R, C] of one head or a mean of heads.
        selected: the picked row, or None.
    """
    return weights_data(weights) | {"place": weights.place, "selected": selected, "scale": "fixed"}
