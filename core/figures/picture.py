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


class Finished(Figure):
    """A figure that nobody changes any more: the description, for which Streamlit asks each time, is made once."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._description: dict[str, Any] = figure.to_dict()

    @property
    def height(self) -> int:
        """Pixels."""
        return int(self._description["layout"]["height"])

    def to_dict(self) -> dict[str, Any]:
        """Return the description, without a copy."""
        return self._description
