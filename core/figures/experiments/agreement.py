"""The picture of three methods that rank the turns for one token: attention, gradient, leaving out."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.explain.shared.agreement import ranks, spearman
from core.figures.shared.marks import line
from core.figures.shared.palette import annotate, base, note, speaker_styles
from core.figures.shared.picture import Picture
from core.figures.shared.rows import FRAME, Turn, check, turn_columns, turn_label
from core.figures.shared.wording import BLANK, count, cut, escape, listed, number, plain
from core.words import later, say

DRAWN = 12
"""Most turns that are drawn: those of the best mean rank."""
STEP = 30
"""Pixels from one rank to the next."""
LOOKS = later("Cross-attention looks at")
GRADIENT = later("Gradient × input")
LEFT_OUT = later("Effect of leaving it out")
SHORT = {LOOKS: later("attention"), GRADIENT: later("gradient"), LEFT_OUT: later("leaving out")}
"""Names of the methods in a sentence; marked with `later`, as the methods are."""
RANKS = {
    LOOKS: later("Cross-attention looks at, rank"),
    GRADIENT: later("Gradient × input, rank"),
    LEFT_OUT: later("Effect of leaving it out, rank"),
}
DASHES = {"": "solid", "/": "dash", ".": "dot", "x": "dashdot"}
"""The lines of speakers whose bars would be hatched."""


def agreement(turns: Sequence[Turn], methods: Mapping[str, Sequence[float]], token: str) -> Picture:
    """How methods rank the turns for one token of the summary; a turn is a line, turns of equal rank meet.

    Args:
        turns: label, speaker and text of every turn; the speaker may be empty.
        methods: two or more, by name (marked with `later`): a value for each turn, larger for what matters more.
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
    title = say("Rank (1 = most)")
    if len(turns) > DRAWN:
        title = say("Rank (1 = most), best {shown} of {turns}", shown=DRAWN, turns=count(len(turns), "turn"))
    base(figure, say("Method, with the number of each turn"), title, round(STEP * (lowest + 1)) + FRAME)
    figure.update_layout(legend_itemsizing="constant", legend_itemwidth=44)
    figure.update_xaxes(
        tickvals=list(range(len(methods))),
        ticktext=["<br>".join(escape(line) for line in wrap(say(name), 15)) for name in methods],
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
        ranked = RANKS.get(name, f"{name}, rank")
        table |= {name: [float(value) for value in values], ranked: [float(place) for place in row]}
    return Picture("agreement", figure, _caption(turns, methods, places, token), table)


def _lines(
    figure: Figure,
    turns: Sequence[Turn],
    methods: Mapping[str, Sequence[float]],
    places: NDArray[np.float64],
    drawn: Sequence[int],
) -> None:
    names = [speaker or say("no speaker") for _, speaker, _ in turns]
    styles = speaker_styles(names)
    for turn in drawn:
        style = styles[names[turn]]
        pattern = style["pattern"]
        dash = DASHES[str(pattern["shape"])] if isinstance(pattern, dict) else "solid"
        ranked = zip(methods.items(), places[:, turn], strict=True)
        texts = [_ranked(method, values[turn], place) for (method, values), place in ranked]
        curve = line(
            escape(cut(names[turn], 24)),
            {"color": style["color"], "width": 3, "dash": dash},
            list(range(len(methods))),
            places[:, turn].tolist(),
            [f"{escape(turn_label(turns[turn]))}<br>{text}" for text in texts],
            {"size": 11},
            customdata=[turn] * len(methods),
            legendgroup=names[turn],
            showlegend=turn == next(other for other in drawn if names[other] == names[turn]),
        )
        figure.add_trace(curve)


def _ranked(method: str, value: float, rank: float) -> str:
    return say("{method}: {value:.3g}, rank {rank:g}", method=escape(say(method)), value=value, rank=rank)


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
    word = plain(token)
    if len(turns) < 3:
        return say(
            "For “{token}”, no rank correlation can be computed: there are fewer than 3 turns.",
            token=word,
        )
    pairs = listed(
        [_pair(one, other, spearman(methods[one], methods[other])) for one, other in combinations(methods, 2)]
    )
    flat = [say(SHORT.get(name, name)) for name, values in methods.items() if len(set(values)) == 1]
    over = count(len(turns), "turn")
    if not flat:
        return say("For “{token}” over {turns}, {pairs}.", token=word, turns=over, pairs=pairs)
    return say(
        "For “{token}” over {turns}, {pairs}: {methods} ranks all turns alike.",
        token=word,
        turns=over,
        pairs=pairs,
        methods=listed(flat),
    )


def _pair(one: str, other: str, rho: float | None) -> str:
    names = {"one": say(SHORT.get(one, one)), "other": say(SHORT.get(other, other))}
    if rho is None:
        return say("{one} and {other} cannot be compared", **names)
    names["rho"] = f"ρ{BLANK}={BLANK}{number(rho)}"
    if rho >= 0.7:
        return say("{one} and {other} agree ({rho})", **names)
    if rho >= 0.3:
        return say("{one} and {other} agree in part ({rho})", **names)
    if rho <= -0.3:
        return say("{one} and {other} disagree ({rho})", **names)
    return say("{one} and {other} are unrelated ({rho})", **names)
