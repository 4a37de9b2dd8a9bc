"""A picture and all that goes with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plotly.graph_objects import Figure


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
