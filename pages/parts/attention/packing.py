"""Attention weights and their labels as the scripts of this page get them."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures.attention.stages import numbered
from core.figures.attention.weights import Label, Weights

UNIT = 65535
"""A weight of 1, packed."""


def weights_data(shown: Weights) -> dict[str, Any]:
    """Return what the scripts of all components draw; weights travel as `packed` has them."""
    names = (label.speaker for label in (*shown.columns, *shown.rows))
    speakers = list(dict.fromkeys(name for name in names if name is not None))
    return {
        "title": shown.title,
        "axes": shown.axes,
        "looks": shown.shows == "weights",
        "weights": packed(shown.values),
        "rows": _drawn(shown.rows, speakers),
        "columns": _drawn(shown.columns, speakers),
        "speakers": speakers,
        "causal": shown.causal,
    }


def packed(weights: NDArray[Any]) -> str:
    """Return weights as base64 of little-endian uint16, value × 65,535, in C order; the error is below 1e-5.

    Raises:
        ValueError: a weight is not from 0 to 1.
    """
    values = np.asarray(weights, dtype=np.float32)
    if not np.all((values >= -1e-4) & (values <= 1 + 1e-4)):
        raise ValueError(f"weights must be from 0 to 1. Received: from {values.min()} to {values.max()}")
    return b64encode(np.rint(np.clip(values, 0, 1) * UNIT).astype("<u2").tobytes()).decode("ascii")


def _drawn(labels: Sequence[Label], speakers: Sequence[str]) -> list[dict[str, Any]]:
    """Return labels for the scripts; `name` is for tooltips: in quotes if somebody said it, numbered if repeated."""
    return [
        {
            "text": label.text,
            "name": name if label.special or label.detail else f"“{name}”",
            "group": None if label.turn is None else label.turn + 1,
            "speaker": -1 if label.speaker is None else speakers.index(label.speaker),
            "special": label.special,
            "joined": label.joined,
            "detail": label.detail,
        }
        for label, name in zip(labels, numbered([label.text for label in labels]), strict=True)
    ]
