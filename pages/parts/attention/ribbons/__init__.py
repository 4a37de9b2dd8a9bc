"""Ribbons from summary words or sentences to turns: their widths are attention."""

from typing import Any

from pages.parts.attention.weights import Weights
from pages.shared.components import component

_RIBBONS = component(__file__)


def ribbons(data: dict[str, Any], *, key: str) -> None:
    """Draw ribbons with packed widths, from words or sentences to turns.

    A row has a bundle of constant width; the width of a column's bundle is the attention that it receives from all
    rows, on one scale.

    Args:
        data: what `ribbon_data` returned.
        key: of the component.
    """
    _RIBBONS(key=key, data=data, on_pick_change=lambda: None)


def ribbon_data(weights: Weights, share: float) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        weights: values [R, C], rows averaged and columns summed up (`core.explain.rollup`).
        share: of each row's attention, 0.1 to 1: only the largest weights that make it up get a ribbon.
    """
    return weights.data() | {"share": round(min(max(share, 0.1), 1.0), 2)}
