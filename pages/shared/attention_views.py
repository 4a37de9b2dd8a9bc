"""Attention on a page: the grid of all heads, one head as a matrix, its lines between tokens, ribbons to the turns.

Each is a folder with a style sheet and scripts; `attention_views.js` holds what the scripts share. Weights travel as
packed numbers, never as JSON lists. Layers and heads are counted from 0 here and from 1 on screen.

Shapes: L layers, H heads, Q queries (rows, what looks), N keys (columns, what is looked at).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pages.shared.attention_data import (
    NAMES,
    Item,
    Kind,
    grid_data,
    group_items,
    head_name,
    matrix_data,
    packed,
    ribbon_data,
    token_items,
    view_data,
)
from pages.shared.components import HERE, component

__all__ = [
    "NAMES",
    "Item",
    "Kind",
    "attention_matrix",
    "group_items",
    "head_grid",
    "head_name",
    "head_view",
    "packed",
    "ribbons",
    "token_items",
]

SHARED = HERE / "attention_views.js"

_HEAD_GRID = component("head_grid", shared=SHARED)
_ATTENTION_MATRIX = component("attention_matrix", shared=SHARED)
_HEAD_VIEW = component("head_view", shared=SHARED)
_RIBBONS = component("ribbons", shared=SHARED)


def head_grid(
    kind: Kind,
    weights: NDArray[np.float32],
    *,
    layer: int,
    head: int | None,
    tags: Mapping[tuple[int, int], str] | None,
    key: str,
    on_open: Callable[[], None],
) -> None:
    """Draw all heads of one kind as small pictures, a row a layer; a click opens one.

    Args:
        kind: "cross", "encoder" or "decoder".
        weights: [L, H, Q, N].
        layer: of the open head.
        head: the open head, None where the mean of all is.
        tags: for (layer, head), what the head resembles; None: nothing is written.
        key: of the component; `st.session_state[key].open` is {layer, head} inside `on_open`.
        on_open: called when a head was chosen.
    """
    _HEAD_GRID(key=key, data=grid_data(kind, weights, layer, head, tags), on_open_change=on_open)


def attention_matrix(
    weights: NDArray[np.float32],
    rows: Sequence[Item],
    columns: Sequence[Item],
    *,
    kind: Kind,
    layer: int | None,
    head: int | None,
    mask: Literal["causal"] | None,
    selected: int | None,
    scale: Literal["fixed", "row"],
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw one head as a matrix with a read-out of the cell under the pointer or the keys.

    Args:
        weights: [Q, N].
        rows: labels of the queries.
        columns: labels of the keys.
        kind: "cross", "encoder" or "decoder".
        layer: of the head, or None for a model's only one.
        head: the head, or None for the mean of the layer's heads.
        mask: "causal" hatches the keys after a row's own place; None: every key is visible.
        selected: the picked row, or None.
        scale: what the darkest shade stands for at first: 1, or the largest weight of each row.
        key: of the component; `st.session_state[key].row` is the index of the row inside `on_pick`.
        on_pick: called when a row was picked.
    """
    data = matrix_data(weights, rows, columns, kind, layer, head, mask, selected, scale)
    _ATTENTION_MATRIX(key=key, data=data, on_row_change=on_pick)


def head_view(
    weights: NDArray[np.float32],
    rows: Sequence[Item],
    columns: Sequence[Item],
    *,
    kind: Kind,
    layer: int,
    heads: Sequence[int],
    share: float,
    locked: tuple[int, int] | None,
    direction: tuple[str, str] | None = None,
    version: int,
    numbers: Sequence[int] | None = None,
    mask: Literal["causal"] | None = None,
    key: str,
    on_change: Callable[[], None],
) -> None:
    """Draw lines from what looks to what is looked at, a colour a head.

    It keeps its own lock, heads and share while people use it, so that a slow rerun does not set them back.

    Args:
        weights: [H, Q, N], heads of one layer.
        rows: labels of the queries.
        columns: labels of the keys.
        kind: "cross", "encoder" or "decoder".
        layer: of the heads.
        heads: places in `weights` of those that are on, at least one.
        share: of each query's and head's mass, 0.1 to 1: only the largest weights that make it up are drawn.
        locked: first and last locked query, or None.
        direction: headings of the two columns; None: those of the kind.
        version: raise it with every change of heads, share or lock that did not come from the view; these are taken
            over only if it is new or the labels are others.
        numbers: which heads of the layer `weights` holds, 0-based; None: all.
        mask: "causal" hides the keys after a row's own place; None: every key is visible.
        key: of the component; `st.session_state[key].view` is {locked, heads, share, version} once someone changed it.
        on_change: called when someone changed it, at most every 200 ms.
    """
    data = view_data(weights, rows, columns, kind, layer, heads, share, locked, direction, version, numbers, mask)
    _HEAD_VIEW(key=key, data=data, on_view_change=on_change)


def ribbons(
    weights: NDArray[np.float32],
    rows: Sequence[Item],
    columns: Sequence[Item],
    *,
    kind: Kind,
    layer: int | None,
    head: int | None,
    share: float,
    direction: tuple[str, str] | None = None,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw ribbons with packed widths, from summary words or sentences to turns.

    A row has a bundle of constant width; the width of a column's bundle is the attention that it receives from all
    rows, on one scale.

    Args:
        weights: [Q, N], rows averaged and columns summed up (`core.explain.rollup`).
        rows: labels of the words or sentences.
        columns: labels of the turns; `detail` is a text behind the label, for example what is said.
        kind: "cross", "encoder" or "decoder".
        layer: of the head, or None for a model's only one.
        head: the head, or None for the mean of the layer's heads.
        share: of each row's mass, 0.1 to 1: only the largest weights that make it up get a ribbon.
        direction: headings of the two sides; None: those of the kind.
        key: of the component; `st.session_state[key].pick` is {side, index} inside `on_pick`, `side` is "row",
            "column", or None after a release.
        on_pick: called when someone locked or released a label.
    """
    data = ribbon_data(weights, rows, columns, kind, layer, head, share, direction)
    _RIBBONS(key=key, data=data, on_pick_change=on_pick)
