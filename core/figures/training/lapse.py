"""Pictures of the moments of a training: how the scores rise while the summaries change."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.explain.shared.rollup import Unit, groups, mean_rows, sum_columns
from core.figures.attention.maps import matrix
from core.figures.shared.marks import line, points
from core.figures.shared.palette import CHOSEN, GREY, NOTHING, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import capital, count, number
from core.trace import Token
from core.words import later, say

MEASURES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
MOST_ROWS = 45
"""Words of a summary that the attention picture shows: an untrained network may write many."""


def scores(
    epochs: Sequence[float], here: Sequence[float], means: Sequence[float], current: int, measure: str, dialogues: int
) -> Picture:
    """A score of one dialogue, and its mean over all, from moment to moment, the current one ringed.

    The moments stand side by side, however long the training was between them.

    Args:
        epochs: of the moments, 0 before training.
        here: score of the chosen dialogue at each, 0 to 100.
        means: mean over all dialogues at each.
        current: place of the moment that is looked at.
        measure: a key of `MEASURES`.
        dialogues: how many the mean is over.

    Returns:
        The picture; a point's customdata is its place.

    Raises:
        ValueError: no moment, or not one value for each.
    """
    if not epochs or not len(epochs) == len(here) == len(means):
        raise ValueError(
            f"there must be moments, and two scores for each. Received: {len(epochs)}, {len(here)} and {len(means)}"
        )
    name = MEASURES[measure]
    figure = Figure()
    places = list(range(len(epochs)))
    mean = say("mean of {dialogues}", dialogues=count(dialogues, "dialogue"))
    lines = ((mean, means, GREY), (say("this dialogue"), here, CHOSEN))
    for label, values, color in lines:
        hover = [
            f"{when(epoch)}, {label}<br>{name} {number(value)}" for epoch, value in zip(epochs, values, strict=True)
        ]
        style = {"color": color, "width": 2.5}
        figure.add_trace(line(label, style, places, [*values], hover, {"size": 8}, customdata=places))
    ring, ends = {"color": NOTHING, "size": 18, "line": {"color": CHOSEN, "width": 3}}, [means[current], here[current]]
    twice = [current] * 2
    figure.add_trace(points(say("shown here"), twice, ends, None, ring, customdata=twice))
    base(figure, say("Snapshot after epoch"), say("{score} (0 to 100)", score=name), 340)
    figure.update_xaxes(tickvals=places, ticktext=[str(Fraction(epoch).limit_denominator(100)) for epoch in epochs])
    figure.update_yaxes(range=[-4, max(60.0, *here, *means) * 1.06])
    table: dict[str, list[object]] = {
        later("Epoch"): [*epochs],
        say("{score} of this dialogue", score=name): [*here],
        say("Mean {score}", score=name): [*means],
    }
    return Picture("training-moments", figure, _caption(epochs, here, means, current, name, dialogues), table)


def _caption(
    epochs: Sequence[float], here: Sequence[float], means: Sequence[float], current: int, name: str, dialogues: int
) -> str:
    best = max(range(len(epochs)), key=lambda place: here[place])
    return say(
        "{when} {score} of this dialogue is {here} and the mean of {dialogues} {mean}; this dialogue has its best, "
        "{best}, {best_when}, the mean ends at {last}.",
        when=capital(when(epochs[current])),
        score=name,
        here=number(here[current]),
        dialogues=count(dialogues, "dialogue"),
        mean=number(means[current]),
        best=number(here[best]),
        best_when=when(epochs[best]),
        last=number(means[-1]),
    )


def attention(
    weights: NDArray[np.float32], source: Sequence[Token], target: Sequence[Token], unit: Unit, what: str
) -> Picture:
    """The attention while a summary was written, on the scale from 0 to 1 that all moments share.

    Args:
        weights: [T, S].
        source: the S tokens of the dialogue.
        target: the T tokens of the summary; its words are the rows, at most `MOST_ROWS`.
        unit: of the columns.
        what: which attention, and when.
    """
    rows, columns = groups(target, "word"), groups(source, unit)
    rolled = mean_rows(sum_columns(weights, columns), rows)
    if len(rows) > MOST_ROWS:
        what = say("{what}, first {shown} of {words}", what=what, shown=MOST_ROWS, words=count(len(rows), "word"))
    names = [
        f"{column.label} {column.speaker or ''}".strip() if unit == "turn" and column.turn is not None else column.label
        for column in columns
    ]
    labels = [row.label for row in rows[:MOST_ROWS]]
    return matrix(rolled[:MOST_ROWS], labels, names, (say("Summary"), say("Dialogue")), what)


def when(epoch: float) -> str:
    """When a moment was, in a sentence."""
    if 0 < epoch < 1:
        return say("after {part} of epoch 1", part=Fraction(epoch).limit_denominator(100))
    return say("after epoch {epoch:g}", epoch=epoch) if epoch else say("before training")
