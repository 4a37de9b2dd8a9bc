"""Pictures of a corpus of scored summaries: how a measure is spread, two measures against each other, slices.

N rows. Every point's customdata is its row, every bar's its bin or slice, 0-based.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np
from plotly.graph_objects import Bar, Figure, Scatter

from core.explain.shared.agreement import spearman
from core.figures.shared.palette import AMOUNT, CHOSEN, FAINT, GREY, annotate, base, note
from core.figures.shared.picture import Picture
from core.figures.shared.rows import FRAME, LABEL, head, upright, write
from core.figures.shared.wording import count, cut, escape, number, signed
from core.words import ENGLISH, language, later, say

BINS = 16
SLICE_ROW = 44
"""Pixels of a slice: its name above its interval."""


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
        bins: how many; whole numbers that span less get one each.

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
    middles = [(low + high) / 2 for low, high in zip(edges, edges[1:], strict=False)]
    figure = Figure(
        Bar(
            x=middles,
            y=heights,
            width=[high - low for low, high in zip(edges, edges[1:], strict=False)],
            customdata=list(range(len(heights))),
            hovertext=[
                say(
                    "{low} to {high}: {summaries}",
                    low=number(low),
                    high=number(high),
                    summaries=count(height, "summary"),
                )
                for low, high, height in zip(edges, edges[1:], heights, strict=False)
            ],
            hoverinfo="text",
            name=say("summaries"),
            marker={"color": AMOUNT, "line": {"width": 1, "color": GREY}},
        )
    )
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
    for name, rows, marker in (
        (
            say("a summary"),
            [row for row in range(len(ids)) if row != chosen],
            {"color": AMOUNT, "size": 8, "opacity": 0.75},
        ),
        (say("the opened one"), [] if chosen is None else [chosen], {"color": CHOSEN, "size": 14, "symbol": "diamond"}),
    ):
        if rows:
            figure.add_trace(
                Scatter(
                    x=[x[row] for row in rows],
                    y=[y[row] for row in rows],
                    customdata=rows,
                    hovertext=[hover[row] for row in rows],
                    hoverinfo="text",
                    mode="markers",
                    name=name,
                    marker=marker,
                    unselected={"marker": {"opacity": 0.75}},
                )
            )
    base(figure, axes[0].title, axes[1].title, 440)
    table: dict[str, Sequence[Any]] = {later("Id"): [*ids], axes[0].title: [*x], axes[1].title: [*y]}
    return Picture("scatter", figure, _scatter_caption(axes, spearman(x, y), len(ids)), table)


def _scatter_caption(axes: tuple[Axis, Axis], related: float | None, rows: int) -> str:
    both = {"first": axes[0].name, "second": _small(axes[1].name), "summaries": count(rows, "summary")}
    if related is None:
        said = say("{first} and {second} of {summaries} cannot be ranked against each other (Spearman).", **both)
    else:
        said = say(
            "{first} and {second} of {summaries} have a rank correlation of {correlation} (Spearman).",
            correlation=signed(related),
            **both,
        )
    return f"{said} {say('Click a point to open it.')}"


def slices(bars: Sequence[SliceBar], axis: Axis, overall: float, chosen: int | None = None) -> Picture:
    """The mean of a measure over parts of the corpus, with its interval.

    Args:
        bars: the parts, at least one.
        axis: what is measured.
        overall: its mean over all rows.
        chosen: the part whose examples are listed.

    Raises:
        ValueError: there are no parts.
    """
    if not bars:
        raise ValueError("slices need at least one part. Received: none")
    figure, rows = Figure(), list(range(len(bars)))
    ends = [value for bar in bars for value in (bar.low, bar.mean, bar.high, overall) if value is not None]
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0
    limits = (low - 0.08 * span, high + 0.30 * span)
    hover = [_slice_text(bar, axis) for bar in bars]
    figure.add_trace(
        Bar(
            base=limits[0],
            x=[limits[1] - limits[0]] * len(bars),
            y=rows,
            customdata=rows,
            hovertext=hover,
            hoverinfo="text",
            orientation="h",
            width=0.92,
            marker={"color": FAINT, "line": {"color": CHOSEN, "width": [3 * (row == chosen) for row in rows]}},
            showlegend=False,
        )
    )  # fmt: skip
    for name, known in ((say("mean and 95 % interval"), True), (say("mean of few"), False)):
        some = [row for row in rows if (bars[row].low is not None) == known]
        if some:
            figure.add_trace(_means(bars, some, hover, name))
    upright(figure, overall, len(bars), -0.02, color=GREY, dash="dash", width=2)
    base(figure, axis.title, "", SLICE_ROW * len(bars) + FRAME)
    figure.update_xaxes(range=limits, fixedrange=True)
    figure.update_yaxes(range=[len(bars) - 0.5, -0.5], fixedrange=True, showgrid=False, showticklabels=False)
    notes = []
    for row, bar in enumerate(bars):
        parts = bar.name.split(" · ")  # of two that are crossed both are read
        name = " · ".join(cut(part, (LABEL - 12) // len(parts)) for part in parts)
        notes.append(head(row, f"{name} · {count(bar.rows, 'summary')}", 0.24))
        end = bar.high if bar.high is not None else bar.mean
        notes.append(write(end, row + 0.18, f"<b>{number(bar.mean)}</b>"))
    annotate(figure, notes)
    table: dict[str, Sequence[Any]] = {
        later("Slice"): [bar.name for bar in bars],
        later("Summaries"): [bar.rows for bar in bars],
        later("Mean"): [bar.mean for bar in bars],
        later("Low"): [bar.low for bar in bars],
        later("High"): [bar.high for bar in bars],
    }
    return Picture("slices", figure, _slices_caption(bars, axis, overall), table)


def _means(bars: Sequence[SliceBar], rows: Sequence[int], hover: Sequence[str], name: str) -> Scatter:
    """The means of some slices, with their intervals where they have one."""
    ends = [(bars[row].low, bars[row].mean, bars[row].high) for row in rows]
    reach = None
    if all(low is not None and high is not None for low, _, high in ends):
        reach = {
            "type": "data",
            "symmetric": False,
            "array": [(high or 0.0) - mean for _, mean, high in ends],
            "arrayminus": [mean - (low or 0.0) for low, mean, _ in ends],
            "thickness": 2,
            "width": 6,
            "color": AMOUNT,
        }
    return Scatter(
        x=[mean for _, mean, _ in ends],
        y=[row + 0.18 for row in rows],
        customdata=list(rows),
        error_x=reach,
        hovertext=[hover[row] for row in rows],
        hoverinfo="text",
        mode="markers",
        name=name,
        marker={"color": AMOUNT, "size": 10, "symbol": "circle" if reach else "circle-open", "line": {"width": 2}},
    )


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
