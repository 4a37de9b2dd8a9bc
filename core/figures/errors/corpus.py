"""Pictures of a corpus of scored summaries: how a measure is spread, two measures against each other, slices.

N rows. Every point's customdata is its row, every bar's its bin or slice, 0-based.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Any

import numpy as np
from plotly.graph_objects import Figure

from core.explain.shared.agreement import spearman
from core.figures.errors.intervals import Row, intervals
from core.figures.shared.marks import bars, points
from core.figures.shared.palette import AMOUNT, CHOSEN, GREY, annotate, base, note
from core.figures.shared.picture import Picture
from core.figures.shared.rows import LABEL
from core.figures.shared.wording import count, cut, escape, number, signed
from core.words import ENGLISH, language, later, say

BINS = 16


@dataclass(frozen=True, slots=True)
class Axis:
    """What is measured: its name in a sentence and its unit, which may be empty."""

    name: str
    unit: str = ""

    @property
    def title(self) -> str:
        """Name and unit, for an axis."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class SliceBar:
    """The mean of a measure over a part of the corpus.

    Args:
        name: of the part.
        rows: how many rows it has.
        mean: of the measure.
        low: lower end of the mean's interval; None where there are too few rows for one.
        high: upper end of the interval.
    """

    name: str
    rows: int
    mean: float
    low: float | None = None
    high: float | None = None


def bins_of(values: Sequence[float], bins: int = BINS) -> tuple[list[float], list[int]]:
    """Edges of equal bins over all values, and the bin of each value.

    Args:
        values: at least one finite number.
        bins: how many; whole numbers with a smaller span get a bin each.

    Returns:
        bins + 1 edges, and one bin a value.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("a distribution needs at least one value. Received: none")
    low, high = min(values), max(values)
    if all(float(value).is_integer() for value in values) and high - low < bins:
        edges = [low - 0.5 + place for place in range(int(high - low) + 2)]
    elif low == high:
        edges = [low - 0.5, low + 0.5]
    else:
        edges = [float(edge) for edge in np.linspace(low, high, bins + 1)]
    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return edges, [int(place) for place in places]


def distribution(values: Sequence[float], axis: Axis, chosen: float | None = None) -> Picture:
    """How a measure is spread over the rows.

    Args:
        values: of the N rows.
        axis: what they are.
        chosen: value of the opened row, marked by a line.

    Returns:
        The picture; a bar's customdata is its bin as `bins_of` numbers them.
    """
    edges, places = bins_of(values)
    heights = [places.count(place) for place in range(len(edges) - 1)]
    ends = list(pairwise(edges))
    sizes = [{"low": number(low), "high": number(high)} for low, high in ends]
    hover = [
        say("{low} to {high}: {summaries}", **size, summaries=count(height, "summary"))
        for size, height in zip(sizes, heights, strict=True)
    ]
    more = {"customdata": list(range(len(heights))), "marker": {"line": {"width": 1, "color": GREY}}}
    middles, widths = [(low + high) / 2 for low, high in ends], [high - low for low, high in ends]
    figure = Figure(bars(say("summaries"), AMOUNT, middles, heights, hover, width=widths, **more))
    mean = fmean(values)
    _line(figure, mean, say("mean {mean}", mean=number(mean)), GREY, "dash")
    if chosen is not None:
        _line(figure, chosen, say("opened"), CHOSEN, "solid")
    base(figure, axis.title, say("Summaries"), 320)
    figure.update_layout(showlegend=False)
    figure.update_yaxes(range=[0, 1.18 * max(heights)])  # room for the texts of the lines
    caption = say(
        "{measure} of {summaries}: mean {mean}, median {median}, from {low} to {high}.",
        measure=axis.name,
        summaries=count(len(values), "summary"),
        mean=number(mean),
        median=number(median(values)),
        low=number(min(values)),
        high=number(max(values)),
    )
    table: dict[str, Sequence[Any]] = {
        later("From value"): edges[:-1],
        later("To value"): edges[1:],
        later("Summaries"): heights,
    }
    return Picture("distribution", figure, caption, table)


def scatter(
    ids: Sequence[str], x: Sequence[float], y: Sequence[float], axes: tuple[Axis, Axis], chosen: int | None = None
) -> Picture:
    """Two measures of every row against each other.

    Args:
        ids: of the rows.
        x: first measure.
        y: second measure.
        axes: what both are.
        chosen: the opened row.

    Raises:
        ValueError: there are no rows, or not two numbers for each.
    """
    if not ids or not len(ids) == len(x) == len(y):
        raise ValueError(f"a scatter needs two numbers a row. Received: {len(x)} and {len(y)} for {len(ids)} rows")
    hover = [
        f"{escape(cut(id, LABEL))}<br>{escape(axes[0].name)} {number(one)}<br>{escape(axes[1].name)} {number(two)}"
        for id, one, two in zip(ids, x, y, strict=True)
    ]
    figure = Figure()
    closed, opened = [row for row in range(len(ids)) if row != chosen], [] if chosen is None else [chosen]
    for name, rows, marker in (
        (say("a summary"), closed, {"color": AMOUNT, "size": 8, "opacity": 0.75}),
        (say("the opened one"), opened, {"color": CHOSEN, "size": 14, "symbol": "diamond"}),
    ):
        if rows:
            across, up, texts = ([column[row] for row in rows] for column in (x, y, hover))
            more = {"customdata": rows, "unselected": {"marker": {"opacity": 0.75}}}
            figure.add_trace(points(name, across, up, texts, marker, **more))
    base(figure, axes[0].title, axes[1].title, 440)
    table: dict[str, Sequence[Any]] = {later("Id"): [*ids], axes[0].title: [*x], axes[1].title: [*y]}
    return Picture("scatter", figure, _scatter_caption(axes, spearman(x, y), len(ids)), table)


def _scatter_caption(axes: tuple[Axis, Axis], related: float | None, rows: int) -> str:
    both = {"first": axes[0].name, "second": _small(axes[1].name), "summaries": count(rows, "summary")}
    if related is None:
        sentence = say("{first} and {second} of {summaries} cannot be ranked against each other (Spearman).", **both)
    else:
        sentence = say(
            "{first} and {second} of {summaries} have a rank correlation of {correlation} (Spearman).",
            correlation=signed(related),
            **both,
        )
    return f"{sentence} {say('Click a point to open it.')}"


def slices(parts: Sequence[SliceBar], axis: Axis, overall: float, chosen: int | None = None) -> Picture:
    """The mean of a measure over parts of the corpus, with its interval.

    Args:
        parts: the parts, at least one.
        axis: what is measured.
        overall: its mean over all rows.
        chosen: the part whose examples are listed.

    Raises:
        ValueError: there are no parts.
    """
    if not parts:
        raise ValueError("slices need at least one part. Received: none")
    ends = [value for bar in parts for value in (bar.low, bar.mean, bar.high, overall) if value is not None]
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0
    rows = []
    for bar in parts:
        both = bar.name.split(" · ")  # of two that are crossed both are read
        name = " · ".join(cut(label, (LABEL - 12) // len(both)) for label in both)
        name, text = f"{name} · {count(bar.rows, 'summary')}", f"<b>{number(bar.mean)}</b>"
        rows.append(Row(name, text, _slice_text(bar, axis), bar.mean, bar.low, bar.high))
    legend, limits = (say("mean and 95 % interval"), say("mean of few")), (low - 0.08 * span, high + 0.30 * span)
    figure = intervals(rows, legend, axis.title, limits, overall, chosen)
    if axis.unit == "%" and high <= 100 < limits[1]:  # the room for texts is no share
        figure.update_xaxes(tickvals=list(range(0, 101, 20 if span > 50 else 10 if span > 20 else 5)))
    table: dict[str, Sequence[Any]] = {
        later("Slice"): [bar.name for bar in parts],
        later("Summaries"): [bar.rows for bar in parts],
        later("Mean"): [bar.mean for bar in parts],
        later("Low"): [bar.low for bar in parts],
        later("High"): [bar.high for bar in parts],
    }
    return Picture("slices", figure, _slices_caption(parts, axis, overall), table)


def _slices_caption(bars: Sequence[SliceBar], axis: Axis, overall: float) -> str:
    best, worst = max(bars, key=lambda bar: bar.mean), min(bars, key=lambda bar: bar.mean)
    start = {"measure": axis.name, "mean": number(overall)}
    if len(bars) == 1:
        return say(
            "{measure} is {mean} on average (dashed); all rows fall into one slice, {slice}.",
            slice=bars[0].name,
            **start,
        )
    apart = [
        bar.name for bar in bars
        if bar.low is not None and bar.high is not None and not bar.low <= overall <= bar.high
    ]  # fmt: skip
    ends = {"best": best.name, "high": number(best.mean), "worst": worst.name, "low": number(worst.mean)}
    if not apart:
        return say(
            "{measure} is {mean} on average (dashed): highest for {best} ({high}), lowest for {worst} ({low}); "
            "no slice's interval leaves it out.",
            **start,
            **ends,
        )
    return say(
        "{measure} is {mean} on average (dashed): highest for {best} ({high}), lowest for {worst} ({low}); "
        "the interval of {slices} leaves it out.",
        slices=", ".join(apart),
        **start,
        **ends,
    )


def _slice_text(bar: SliceBar, axis: Axis) -> str:
    interval = ""
    if bar.low is not None and bar.high is not None:
        interval = f"<br>{say('95 % interval {low} to {high}', low=number(bar.low), high=number(bar.high))}"
    return f"{escape(bar.name)}: {count(bar.rows, 'summary')}<br>{escape(axis.name)} {number(bar.mean)}{interval}"


def _line(figure: Figure, x: float, text: str, color: str, dash: str) -> None:
    figure.add_vline(x=x, line={"color": color, "dash": dash, "width": 2})
    annotate(figure, [note(text, x, 1, yref="y domain", yanchor="top", xanchor="left", xshift=4)])


def _small(name: str) -> str:
    """A name inside an English sentence; abbreviations keep their capitals."""
    return name if name[:2].isupper() or language() != ENGLISH else name[:1].lower() + name[1:]
