"""BERTScores side by side, and the same score raw and rescaled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plotly.graph_objects import Figure, Scatter

from core.figures.bertscore.matrix import PRECISION, RECALL
from core.figures.shared.marks import line, points
from core.figures.shared.palette import AMOUNT, GREY, SERIES, annotate, base, note
from core.figures.shared.picture import Picture
from core.figures.shared.wording import cut, escape, number
from core.scoring.anchors import Anchor
from core.scoring.baselines import Baseline
from core.words import later, say

ROW, FRAME, NAME = 44, 240, 54
"""Pixels of a row and of what is not rows; characters of a name."""
MEASURES = (
    (later("precision"), "circle-open", PRECISION),
    (later("recall"), "square-open", RECALL),
    ("F1", "diamond", AMOUNT),
)
"""Each a name (marked with `later`), a symbol and a colour."""
_DASHES = ("dot", "dash", "solid")


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A candidate and its score.

    Args:
        name: of the candidate.
        text: what it says.
        scores: precision, recall, F1.
        against: which reference or references.
    """

    name: str
    text: str
    scores: tuple[float, float, float]
    against: str


def candidates(rows: Sequence[ScoredText], anchors: Sequence[Anchor], baseline: Baseline | None) -> Picture:
    """The raw scores of several candidates, a row each, with what known summaries score as lines.

    Args:
        rows: at least one.
        anchors: lines; none where they do not hold.
        baseline: of random pairs, its F1 is a line; None where it is not known.

    Raises:
        ValueError: there is no row.
    """
    if not rows:
        raise ValueError("rows must hold at least one candidate. Received: none")
    figure = Figure()
    places, hover = list(range(len(rows))), [_hover(row) for row in rows]
    for which, (name, symbol, color) in enumerate(MEASURES):
        scores = [row.scores[which] for row in rows]
        figure.add_trace(points(say(name), scores, places, hover, _marker(symbol, color), customdata=places))
    random = baseline.f1 if baseline else None
    for trace in _lines(anchors, random, len(rows)):
        figure.add_trace(trace)
    base(figure, say("BERTScore, raw"), "", ROW * len(rows) + FRAME)
    values = [score for row in rows for score in row.scores]
    low = min([*values, *(anchor.f1 for anchor in anchors), *([random] if random is not None else [])])
    figure.update_xaxes(range=[low - 0.03, 1.02], fixedrange=True)
    figure.update_yaxes(showticklabels=False, range=[len(rows) - 0.5, -0.6], showgrid=False, fixedrange=True)
    names = [escape(cut(row.name, NAME)) for row in rows]
    annotate(figure, [note(name, 0, y - 0.33, xref="x domain", xanchor="left") for y, name in enumerate(names)])
    return Picture("bertscore_candidates", figure, _caption(rows), _table(rows))


def _lines(anchors: Sequence[Anchor], baseline: float | None, rows: int) -> list[Scatter]:
    """Upright lines in each row, below its name, with their values in the legend."""
    known = [(say(anchor.name), anchor.f1, GREY, dash) for anchor, dash in zip(anchors, _DASHES, strict=False)]
    if baseline is not None:
        known.append((say("Random pairs: the baseline"), baseline, SERIES[3], "solid"))
    ends = [end for row in range(rows) for end in (row - 0.15, row + 0.48, None)]
    return [
        line(
            f"{escape(name)} {value:.3f}",
            {"color": color, "dash": dash, "width": 2},
            [value, value, None] * rows,
            ends,
            hoverinfo="name",
        )
        for name, value, color, dash in known
    ]


def _marker(symbol: str, color: str, size: int = 12) -> dict[str, Any]:
    return {"symbol": symbol, "size": size, "color": color, "line": {"width": 2, "color": color}}


def _hover(row: ScoredText) -> str:
    precision, recall, harmonic = row.scores
    scores = {"precision": precision, "recall": recall, "f1": harmonic}
    numbers = say("precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}", **scores)
    return f"<b>{escape(row.name)}</b><br>{escape(cut(row.text, 70))}<br>{numbers}<br>{escape(row.against)}"


def _caption(rows: Sequence[ScoredText]) -> str:
    best, worst = (pick(rows, key=lambda row: row.scores[2]) for pick in (max, min))
    if len(rows) == 1 or best is worst:
        return f"{best.name}: F1 {best.scores[2]:.3f}."
    return say(
        "Highest F1: {best}, {high:.3f}. Lowest: {worst}, {low:.3f}.",
        best=best.name,
        high=best.scores[2],
        worst=worst.name,
        low=worst.scores[2],
    )


def _table(rows: Sequence[ScoredText]) -> dict[str, Sequence[object]]:
    headings = (later("Precision"), later("Recall"), "F1")
    columns = {name: [row.scores[which] for row in rows] for which, name in enumerate(headings)}
    names = {later("Candidate"): [row.name for row in rows], later("Text"): [row.text for row in rows]}
    return {**names, **columns, later("Against"): [row.against for row in rows]}


def rescaling(scores: tuple[float, float, float], baseline: Baseline, anchors: Sequence[Anchor]) -> Picture:
    """One score raw and rescaled on one axis, and where the baseline and known summaries go.

    Args:
        scores: raw precision, recall and F1.
        baseline: of random pairs.
        anchors: raw F1 of known summaries; none where they do not hold.
    """
    rescaled = baseline.rescale(*scores)
    figure = Figure()
    for anchor, dash in zip(anchors, _DASHES, strict=False):
        style, marked = {"color": GREY, "dash": dash, "width": 2}, _marker("line-ns", GREY, 14)
        figure.add_trace(_slope(say(anchor.name), anchor.f1, _of_f1(anchor.f1, baseline), style, marked))
    style, marked = {"color": SERIES[3], "dash": "solid", "width": 2}, _marker("line-ns", SERIES[3], 14)
    figure.add_trace(_slope(say("Random pairs: the baseline"), baseline.f1, 0.0, style, marked))
    for which, (name, symbol, color) in enumerate(MEASURES):
        style = {"color": color, "width": 1}
        figure.add_trace(_slope(say(name), scores[which], rescaled[which], style, _marker(symbol, color)))
    base(figure, say("Score"), "", 420)
    low = min(0.0, *scores, *rescaled)
    figure.update_xaxes(range=[low - 0.06, 1.03], fixedrange=True)
    figure.update_yaxes(tickvals=[0, 1], ticktext=[say("raw"), say("rescaled")], range=[1.3, -0.3], fixedrange=True)
    return Picture(
        "bertscore_rescaling", figure, _moved(scores, rescaled, baseline), _moves(scores, rescaled, baseline, anchors)
    )


def _slope(name: str, raw: float, new: float, style: dict[str, Any], marked: dict[str, Any]) -> Scatter:
    label = f"{escape(name)} {raw:.3f} → {number(new, 3)}"
    return line(label, style, [raw, new], [0, 1], None, marked, hoverinfo="name")


def _of_f1(value: float, baseline: Baseline) -> float:
    return baseline.rescale(value, value, value)[2]


def _moved(scores: tuple[float, float, float], rescaled: tuple[float, float, float], baseline: Baseline) -> str:
    numbers = {
        "raw": f"{scores[2]:.3f}",
        "rescaled": number(rescaled[2], 3),
        "distance": f"{abs(scores[2] - baseline.f1):.3f}",
        "baseline": f"{baseline.f1:.3f}",
    }
    above = later(
        "F1 {raw} becomes {rescaled}: it lies {distance} above the {baseline} of random pairs, and 1 stays 1."
    )
    below = later(
        "F1 {raw} becomes {rescaled}: it lies {distance} below the {baseline} of random pairs, and 1 stays 1."
    )
    return say(above if scores[2] > baseline.f1 else below, **numbers)


def _moves(
    scores: tuple[float, float, float], rescaled: tuple[float, float, float], baseline: Baseline,
    anchors: Sequence[Anchor],
) -> dict[str, Sequence[object]]:  # fmt: skip
    names = [*(say(name) for name, _, _ in MEASURES), *(say(each.name) for each in anchors), say("random pairs")]
    bases = [baseline.precision, baseline.recall, *([baseline.f1] * (len(anchors) + 2))]
    raw = [*scores, *(anchor.f1 for anchor in anchors), baseline.f1]
    new = [*rescaled, *(_of_f1(anchor.f1, baseline) for anchor in anchors), 0.0]
    return {later("What"): names, later("Raw"): raw, later("Baseline"): bases, later("Rescaled"): new}
