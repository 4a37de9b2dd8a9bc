"""The picture of three methods that rank the turns for one token: attention, gradient, leaving out."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure, Scatter

from core.explain.agreement import ranks, spearman
from core.figures.palette import annotate, base, note, speaker_styles
from core.figures.picture import Picture
from core.figures.rows import FRAME, Turn, check, turn_columns, turn_label
from core.figures.wording import BLANK, count, cut, escape, listed, number, plain

DRAWN = 12
"""Most turns that are drawn: those of the best mean rank."""
STEP = 30
"""Pixels from one rank to the next."""
SHORT = {
    "Cross-attention looks at": "attention",
    "Gradient × input": "gradient",
    "Effect of leaving it out": "leaving out",
}
"""Names of the methods in a sentence."""
DASHES = {"": "solid", "/": "dash", ".": "dot", "x": "dashdot"}
"""The lines of speakers whose bars would be hatched."""


def agreement(turns: Sequence[Turn], methods: Mapping[str, Sequence[float]], token: str) -> Picture:
    """How methods rank the turns for one token of the summary; a turn is a line, turns of equal rank meet.

    Args:
        turns: label, speaker and text of every turn; the speaker may be empty.
        methods: values of the turns by the method's name, larger for what matters more; at least two methods.
        token: text of the token.

    Returns:
        The picture; the points' customdata is the index of the turn.

    Raises:
        ValueError: there are no turns, fewer than two methods, or not one value a turn.
    """
    check(turns, **methods)
    if len(methods) < 2:
        raise ValueError(f"methods must be two or more. Received: {', '.join(methods) or 'none'}")
    places = np.stack([ranks(values) for values in methods.values()])  # [methods, turns]
    best = np.argsort(places.mean(axis=0), kind="stable")[:DRAWN]
    drawn = sorted(int(turn) for turn in best)
    figure = Figure()
    _lines(figure, turns, methods, places, drawn)
    lowest = float(places[:, drawn].max())
    some = f", best {DRAWN} of {len(turns)} turns" if len(turns) > DRAWN else ""
    base(figure, "Method, with the number of each turn", f"Rank (1 = most){some}", round(STEP * (lowest + 1)) + FRAME)
    figure.update_layout(legend_itemsizing="constant", legend_itemwidth=44)
    figure.update_xaxes(
        tickvals=list(range(len(methods))),
        ticktext=["<br>".join(escape(line) for line in wrap(name, 15)) for name in methods],
        tickangle=0,
        range=[-0.5, len(methods) - 0.5],
        showgrid=False,
        fixedrange=True,
    )
    ticks = list(range(1, int(lowest) + 1)) if lowest <= 15 else [1, *range(5, int(lowest) + 1, 5)]
    figure.update_yaxes(range=[lowest + 0.6, 0.4], tickvals=ticks, fixedrange=True)
    _numbers(figure, turns, places, drawn)
    table = turn_columns(turns)
    for name, values, row in zip(methods, methods.values(), places, strict=True):
        table |= {name: [float(value) for value in values], f"{name}, rank": [float(place) for place in row]}
    return Picture("agreement", figure, _caption(turns, methods, places, token), table)


def _lines(
    figure: Figure,
    turns: Sequence[Turn],
    methods: Mapping[str, Sequence[float]],
    places: NDArray[np.float64],
    drawn: Sequence[int],
) -> None:
    names = [speaker or "no speaker" for _, speaker, _ in turns]
    styles = speaker_styles(names)
    for turn in drawn:
        style = styles[names[turn]]
        pattern = style["pattern"]
        dash = DASHES[str(pattern["shape"])] if isinstance(pattern, dict) else "solid"
        figure.add_trace(
            Scatter(
                x=list(range(len(methods))),
                y=[float(place) for place in places[:, turn]],
                customdata=[turn] * len(methods),
                hovertext=[
                    f"{escape(turn_label(turns[turn]))}<br>{escape(method)}: {values[turn]:.3g}, rank {place:g}"
                    for (method, values), place in zip(methods.items(), places[:, turn], strict=True)
                ],
                hoverinfo="text",
                mode="lines+markers",
                name=escape(cut(names[turn], 24)),
                legendgroup=names[turn],
                showlegend=turn == next(other for other in drawn if names[other] == names[turn]),
                line={"color": style["color"], "width": 3, "dash": dash},
                marker={"color": style["color"], "size": 11},
            )
        )


def _numbers(figure: Figure, turns: Sequence[Turn], places: NDArray[np.float64], drawn: Sequence[int]) -> None:
    """The turns' numbers beside the points: outside at the ends, above between; turns of equal rank share one text."""
    last, notes = len(places) - 1, []
    for column, row in enumerate(places):
        for place in sorted({float(row[turn]) for turn in drawn}):
            labels = [turns[turn][0] for turn in drawn if row[turn] == place]
            text = f"{labels[0]} +{len(labels) - 1}" if len(labels) > 2 else ", ".join(labels)
            anchor = "right" if column == 0 else "left" if column == last else "center"
            shift = {"right": -9, "left": 9, "center": 0}[anchor]
            rise = 14 if anchor == "center" else 0
            notes.append(note(f"<b>{escape(text)}</b>", column, place, xanchor=anchor, xshift=shift, yshift=rise))
    annotate(figure, notes)


def _caption(
    turns: Sequence[Turn], methods: Mapping[str, Sequence[float]], places: NDArray[np.float64], token: str
) -> str:
    start = f"For “{plain(token)}”"
    if len(turns) < 3:
        return f"{start}, no rank correlation can be computed: there are fewer than 3 turns."
    said = []
    for one, other in combinations(methods, 2):
        rho = spearman(methods[one], methods[other])
        pair = f"{SHORT.get(one, one)} and {SHORT.get(other, other)}"
        said.append(f"{pair} {'cannot be compared' if rho is None else _words(rho)}")
    flat = [SHORT.get(name, name) for name, values in methods.items() if len(set(values)) == 1]
    caption = f"{start} over {count(len(turns), 'turn')}, {listed(said)}"
    return caption + (f": {listed(flat)} ranks all turns alike." if flat else ".")


def _words(rho: float) -> str:
    verb = "agree" if rho >= 0.7 else "agree in part" if rho >= 0.3 else "disagree" if rho <= -0.3 else "are unrelated"
    return f"{verb} (ρ{BLANK}={BLANK}{number(rho)})"
