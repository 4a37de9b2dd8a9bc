"""One head as a matrix, with a read-out of the cell under the pointer or the keys."""

from collections.abc import Callable
from typing import Any

from pages.parts.attention.weights import Weights
from pages.shared.components import component

_ATTENTION_MATRIX = component(__file__)


def attention_matrix(data: dict[str, Any], *, key: str, on_pick: Callable[[], None]) -> None:
    """Draw one head as a matrix with a read-out of the cell under the pointer or the keys.

    Args:
        data: what `matrix_data` returned.
        key: of the component; `st.session_state[key].row` is the index of the row inside `on_pick`.
        on_pick: called when a row was picked.
    """
    _ATTENTION_MATRIX(key=key, data=data, on_row_change=on_pick)


def matrix_data(weights: Weights, selected: int | None) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        weights: values [R, C] of one head or a mean of heads.
        selected: the picked row, or None.
    """
    return weights.data() | {"place": weights.place, "selected": selected, "scale": "fixed"}
