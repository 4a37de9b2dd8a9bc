"""Ribbons from summary words or sentences to turns: their widths are attention.

A row has a bundle of constant width; the width of a column's bundle is the attention that it receives from all rows, on
one scale.
"""

from typing import Any

from core.figures.attention.weights import Weights
from pages.parts.attention.packing import weights_data
from pages.shared.components import component

ribbons = component(__file__, pick={"side": (str, None), "index": (int, None)})
"""Draws what `ribbon_data` returned."""


def ribbon_data(weights: Weights, share: float) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        weights: values [R, C], rows averaged and columns summed up (`core.explain.shared.rollup`).
        share: of each row's attention, 0.1 to 1: only the largest weights that make it up get a ribbon.
    """
    return weights_data(weights) | {"share": round(min(max(share, 0.1), 1.0), 2)}
