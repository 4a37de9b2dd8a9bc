"""All heads of one kind of attention as small pictures, a row a layer.

Layers and heads are counted from 0 here and from 1 on screen. L layers, H heads, Q queries, N keys.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.attention.inside import Kind
from core.explain.attribution.methods import MAPS
from core.figures.attention.weights import axes, with_map
from core.figures.shared.wording import KIND_NAMES, count
from core.trace import Attention
from core.words import say
from pages.parts.attention.packing import packed
from pages.shared.components import component

head_grid = component(__file__, open={"layer": int, "head": int})
"""Draws what `grid_data` returned; `st.session_state[key].open` is {layer, head} inside `on_open_change`."""
POOLED = (64, 96)
"""Most rows and columns of a picture in the grid of heads, for up to `FULL` heads; of more, each gets less."""
FULL = 36


def grid_data(
    kind: Kind,
    weights: Attention,
    layer: int,
    head: int | None,
    tags: Mapping[tuple[int, int], str] | None = None,
    shows: str = "weights",
) -> dict[str, Any]:
    """Return what the script draws; `block` is rows and columns of tokens in one cell, `size` all of them.

    `explained` says whether a legend stands below.

    Args:
        kind: which attention.
        weights: [L, H, Q, N].
        layer: of the open head.
        head: the open head, None where the mean of all is.
        tags: for (layer, head), what the catalogue says of it; None: nothing is written.
        shows: what `weights` hold, one of `MAPS`.

    Raises:
        ValueError: `weights` has another number of axes, or does not hold the open head.
    """
    if weights.ndim != 4:
        raise ValueError(f"weights must have the shape [L, H, Q, N]. Received: {list(weights.shape)}")
    layers, heads = weights.shape[:2]
    if not (0 <= layer < layers and 0 <= (head or 0) < heads):
        raise ValueError(f"the open head must be one of {layers} × {heads}. Received: ({layer}, {head})")
    share = min(1, math.sqrt(FULL / (layers * heads)))
    most = (round(share * POOLED[0]), round(share * POOLED[1]))
    parts = [pooled(weights[number], most) for number in range(layers)]
    small, block = np.stack([part for part, _ in parts]), parts[0][1]
    title = with_map(say(KIND_NAMES[kind]), shows)
    sizes = [count(layers, "layer"), *([count(heads, "head")] if MAPS[shows].heads else [])]
    return {
        "title": f"{title}: {' × '.join(sizes)}",
        "heads": MAPS[shows].heads,
        "looks": shows == "weights",
        "axes": axes(kind, shows),
        "weights": packed(small),
        "shape": small.shape,
        "size": weights.shape[2:],
        "block": block,
        "causal": kind == "decoder",
        "layer": layer,
        "head": head,
        "explained": True,
        "tags": [[(tags or {}).get((row, column), "") for column in range(heads)] for row in range(layers)],
    }


def pooled(weights: NDArray[Any], most: tuple[int, int] = POOLED) -> tuple[NDArray[Any], tuple[int, int]]:
    """Shrink matrices to at most `most` rows and columns: each cell is the largest weight of a block.

    Args:
        weights: [..., Q, N].
        most: rows and columns that are allowed.

    Returns:
        The smaller matrices, and rows and columns of a block; the last blocks may be smaller.
    """
    rows, columns = (-(-size // limit) for size, limit in zip(weights.shape[-2:], most, strict=True))
    fewer = np.maximum.reduceat(weights, np.arange(0, weights.shape[-2], rows), axis=-2)
    return np.maximum.reduceat(fewer, np.arange(0, weights.shape[-1], columns), axis=-1), (rows, columns)
