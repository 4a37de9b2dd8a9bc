"""The matrix of BERTScore: every token of a candidate against every token of a reference, the chosen cells ringed."""

from collections.abc import Sequence

import numpy as np
from plotly.graph_objects import Bar, Figure, Heatmap, Scatter
from plotly.subplots import make_subplots

from core.figures.shared.files import MatrixTable
from core.figures.shared.marks import bars, heat, points
from core.figures.shared.palette import AMOUNT, FONT, GREY, INVERSE, SERIES, SHOWN_TICKS, base, faded, ramp
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, cut, escape, listed, plain
from core.scoring.matching import Match, Side
from core.words import later, say

PRECISION, RECALL = SERIES[1], SERIES[2]
"""Their colours in every picture of scores."""
SHOWN = 80
"""Tokens of a text that are drawn; the sums are over all of them."""
ROW, FRAME, MARGIN = 18, 150, 70
"""Pixels of a row, of what is not rows, and of the bars above the matrix."""
GREY_RAMP = ((0.0, faded(GREY, 0.05)), (1.0, faded(GREY, 0.85)))
PALE = faded(INVERSE, 0.7)
"""Inside a ring: on a dark cell its line would be lost."""
TICK = 16
"""Characters of a token under an axis."""
ADDS_PRECISION = later(
    "“{token}”, weight {weight:.2f}: closest is “{closest}” ({cosine:.3f}), adds {part:.4f} to precision"
)
ADDS_RECALL = later("“{token}”, weight {weight:.2f}: closest is “{closest}” ({cosine:.3f}), adds {part:.4f} to recall")


def matrix(match: Match) -> Picture:
    """The similarity matrix, candidate down and reference across, with what each token adds in the margins.

    A circle rings the closest reference token of each candidate token (precision), a square the closest candidate
    token of each reference token (recall). Tokens of weight 0 choose nothing; those that the tokenizer added are grey.

    Args:
        match: of one pair.

    Returns:
        The picture; its table has a line for each cell.
    """
    rows, columns = (min(SHOWN, len(side.tokens)) for side in (match.candidate, match.reference))
    figure = make_subplots(
        rows=2, cols=2, shared_xaxes=True, shared_yaxes=True, column_widths=[0.84, 0.16],
        row_heights=[MARGIN, ROW * rows + 1], horizontal_spacing=0.02, vertical_spacing=8 / (ROW * rows + MARGIN),
    )  # fmt: skip
    for trace in _cells(match, rows, columns):
        figure.add_trace(trace, 2, 1)
    for trace in _rings(match, rows, columns):
        figure.add_trace(trace, 2, 1)
    figure.add_trace(_bars(match, rows, across=False), 2, 2)
    figure.add_trace(_bars(match, columns, across=True), 1, 1)
    _frame(figure, match, rows, columns)
    return Picture("bertscore_matrix", figure, _caption(match), _table(match))


def _cells(match: Match, rows: int, columns: int) -> list[Heatmap]:
    """The scored tokens in colour, the rows and columns of special ones in grey."""
    special = np.logical_or.outer(match.candidate.special[:rows], match.reference.special[:columns])
    values = match.similarity[:rows, :columns]
    names = [[plain(token) for token in side.tokens] for side in (match.candidate, match.reference)]
    hover = [
        [
            say(
                "“{first}” and “{second}”: {cosine:.3f}",
                first=escape(names[0][row]),
                second=escape(names[1][column]),
                cosine=values[row, column],
            )
            for column in range(columns)
        ]
        for row in range(rows)
    ]
    places, limits = (list(range(1, rows + 1)), list(range(1, columns + 1))), (min(0.0, float(values.min())), 1)
    grey = [list(stop) for stop in GREY_RAMP]
    scale = {
        "orientation": "h", "y": -0.02, "yanchor": "top", "yref": "paper", "x": 0.42, "len": 0.84, "thickness": 10,
        "title": {"text": say("cosine similarity"), "side": "bottom", "font": {"size": FONT - 1}}, "nticks": 5,
    }  # fmt: skip
    return [
        heat(np.where(special, np.nan, values), places, limits, ramp(AMOUNT), hover, 1, colorbar=scale),
        heat(np.where(special, values, np.nan), places, limits, grey, hover, 1, showscale=False),
    ]


def _rings(match: Match, rows: int, columns: int) -> list[Scatter]:
    size = float(np.clip(360 / columns, 6, 15))
    traces = []
    for name, cells, symbol, color, pixels in (
        (say("closest of the candidate: recall"), match.recall_cells, "square", RECALL, 1.15 * size),
        (say("closest of the reference: precision"), match.precision_cells, "circle", PRECISION, 0.75 * size),
    ):
        shown = [(row, column) for row, column in cells if row < rows and column < columns]
        marker = {"symbol": symbol, "size": pixels, "color": PALE, "line": {"width": 2, "color": color}}
        traces.append(points(name, [column + 1 for _, column in shown], [row + 1 for row, _ in shown], None, marker))
    return traces


def _bars(match: Match, size: int, *, across: bool) -> Bar:
    """What each token adds: to precision beside its row, to recall above its column."""
    side, other = (match.reference, match.candidate) if across else (match.candidate, match.reference)
    parts = match.recall_parts if across else match.precision_parts
    chosen = match.column_choice if across else match.row_choice
    best = match.similarity.max(axis=0 if across else 1)
    hover = [
        say(
            ADDS_RECALL if across else ADDS_PRECISION,
            token=escape(plain(side.tokens[place])),
            weight=side.weights[place],
            closest=escape(plain(other.tokens[chosen[place]])),
            cosine=best[place],
            part=parts[place],
        )
        for place in range(size)
    ]
    places, values = list(range(1, size + 1)), [float(part) for part in parts[:size]]
    if across:
        return bars(None, RECALL, places, values, hover, orientation="v", showlegend=False)
    return bars(None, PRECISION, values, places, hover, orientation="h", showlegend=False)


def _frame(figure: Figure, match: Match, rows: int, columns: int) -> None:
    base(figure, "", "", ROW * rows + MARGIN + FRAME)
    figure.update_layout(bargap=0.25)
    down = {"range": [rows + 0.5, 0.5], "showgrid": False, "fixedrange": True}
    across = {"range": [0.5, columns + 0.5], "showgrid": False, "fixedrange": True}
    figure.update_yaxes(**down, **_ticks(match.candidate, rows, SHOWN), row=2, col=1, title_text=say("Candidate"))
    figure.update_yaxes(**down, showticklabels=False, row=2, col=2, title_text="")
    figure.update_xaxes(**across, showticklabels=False, row=2, col=1, title_text="")
    figure.update_xaxes(
        **across, **_ticks(match.reference, columns, SHOWN_TICKS), row=1, col=1, side="top", tickangle=-90,
        showticklabels=True, title_text=say("Reference"), title_standoff=4,
    )  # fmt: skip
    figure.update_yaxes(row=1, col=1, title_text="", showticklabels=False, rangemode="tozero", fixedrange=True)
    figure.update_xaxes(row=2, col=2, title_text="", showticklabels=False, rangemode="tozero", fixedrange=True)
    figure.update_layout(
        legend={"y": 0, "yanchor": "bottom", "yref": "container", "traceorder": "reversed"}, margin_b=130
    )


def _ticks(side: Side, size: int, most: int) -> dict[str, object]:
    """Every token, or every second or third of more than fit; special ones are grey."""
    places = list(range(1, size + 1, -(-size // most)))
    texts = [escape(cut(plain(side.tokens[place - 1]), TICK)) for place in places]
    marked = [
        f'<span style="color: {GREY}">{text}</span>' if side.special[place - 1] else text
        for place, text in zip(places, texts, strict=True)
    ]
    return {"tickmode": "array", "tickvals": places, "ticktext": marked}


def _caption(match: Match) -> str:
    precision, recall, harmonic = match.scores
    scores = {"precision": precision, "recall": recall, "f1": harmonic}
    parts = [say("Precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}.", **scores)]
    for message, side, best in (
        (
            later("Worst matched of the candidate: “{token}” ({cosine:.2f})."),
            match.candidate,
            match.similarity.max(axis=1),
        ),
        (
            later("Worst matched of the reference: “{token}” ({cosine:.2f})."),
            match.reference,
            match.similarity.max(axis=0),
        ),
    ):
        counted = np.flatnonzero(side.weights > 0)
        if len(counted):
            worst = counted[best[counted].argmin()]
            parts.append(say(message, token=plain(side.tokens[worst]), cosine=best[worst]))
    grey = sum(match.reference.special[column] for _, column in match.precision_cells)
    grey += sum(match.candidate.special[row] for row, _ in match.recall_cells)
    if grey:
        parts.append(say("{rings} in grey: a special token as match partner.", rings=count(grey, "ring")))
    else:
        parts.append(say("No ring in grey."))
    return " ".join([*parts, *_hidden(len(match.candidate.tokens), len(match.reference.tokens))])


def _hidden(candidate: int, reference: int) -> list[str]:
    """Say how many tokens are drawn of texts that have more."""
    sizes = {
        later("{drawn} of the {all} tokens of the candidate"): candidate,
        later("{drawn} of the {all} tokens of the reference"): reference,
    }
    hidden = [say(message, drawn=SHOWN, all=size) for message, size in sizes.items() if size > SHOWN]
    return [say("Drawn are the first {tokens}; the scores are over all.", tokens=listed(hidden))] if hidden else []


def _table(match: Match) -> dict[str, Sequence[object]]:
    rows, columns = match.similarity.shape
    cells = [(row, column) for row in range(min(rows, SHOWN)) for column in range(min(columns, SHOWN))]
    chosen = set(match.precision_cells), set(match.recall_cells)
    adds = match.precision_parts, match.recall_parts
    values: dict[str, Sequence[object]] = {
        later("Cosine"): [float(match.similarity[cell]) for cell in cells],
        later("Weight of the candidate’s"): [float(match.candidate.weights[row]) for row, _ in cells],
        later("Weight of the reference’s"): [float(match.reference.weights[column]) for _, column in cells],
        later("Adds to precision"): [float(adds[0][cell[0]]) if cell in chosen[0] else None for cell in cells],
        later("Adds to recall"): [float(adds[1][cell[1]]) if cell in chosen[1] else None for cell in cells],
    }
    labels = [[*map(plain, text.tokens[:SHOWN])] for text in (match.candidate, match.reference)]
    return MatrixTable(({later("Candidate"): labels[0]}, {later("Reference"): labels[1]}), values)
