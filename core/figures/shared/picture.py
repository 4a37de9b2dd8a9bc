"""A picture and all that goes with it."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from core.figures.shared.margins import reserve

CELLS = 4096
"""Most cells of a map that is sent as numbers; a larger one is sent as bytes, which are shorter but drawn twice."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, the sentence under it, and the same numbers as a table.

    Args:
        name: of exported files, `surprise` gives surprise.svg.
        figure: with axis titles and a legend, readable on light and dark ground.
        caption: one sentence computed from the numbers that are shown.
        table: columns by heading, all of one length: everything that the figure shows.
    """

    name: str
    figure: Figure
    caption: str
    table: Mapping[str, Sequence[Any]]


def unpictured(name: str, reason: str) -> Picture:
    """Return what stands for a picture that cannot be drawn: the sentence that says why."""
    return Picture(name, Figure(), reason, {})


class Finished(Figure):
    """A figure that nobody changes any more, and that a page draws once.

    Streamlit asks for its description each time: it is made once. Streamlit's chart gives plotly a copy of the
    description as soon as it has drawn the first. Plotly draws all of it again unless `datarevision` says that the data
    are those of before (they are: another figure is another chart), or if there is a template (`palette.base` sets what
    one would), or bytes that must be decoded. It also draws again where the texts do not fit into the margins.
    """

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._description: dict[str, Any] = figure.to_dict()
        layout = self._description["layout"]
        layout.pop("template", None)
        layout["datarevision"] = 0
        for trace in self._description["data"]:
            if isinstance(trace.get("z"), dict):
                trace["z"] = _numbers(trace["z"])
        reserve(self._description)

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self._description["layout"]["height"])

    def to_dict(self) -> dict[str, Any]:
        """Return the description, without a copy."""
        return self._description


def _numbers(array: dict[str, Any]) -> Any:
    """Return a small array of plotly's description as lists, six digits each, and a large one as it is."""
    values = np.frombuffer(b64decode(array["bdata"]), np.dtype(array["dtype"]))
    if values.size > CELLS:
        return array
    shape = [int(length) for length in array["shape"].split(",")]
    return np.array([float(f"{value:.6g}") for value in values.tolist()]).reshape(shape).tolist()
