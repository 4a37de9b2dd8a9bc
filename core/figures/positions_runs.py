"""Pictures of what a model does with its positions: the sum that it reads, and its summary without them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from plotly.graph_objects import Bar, Figure, Heatmap, Scatter
from plotly.subplots import make_subplots

from core.figures.palette import BLUE, GREEN, OPPOSES, ORANGE, SIGNED, SUPPORTS, annotate, base
from core.figures.picture import Picture
from core.figures.positions_map import CELL, scale_bar, written
from core.figures.rows import ZERO, signed_limits, signed_value
from core.figures.wording import capital, count, cut, escape, nats, number, percent, plain, signed
from core.trace import Array

SHOWN = 24
"""Dimensions of a sum that are drawn; the table has all of them."""
WORD, SCALED, UNSCALED = "word embedding", "embedding × √d", "embedding"
"""What the vectors of words are called: those of an example, those of a model that scales them, and of others."""
ACROSS, LETTERS = 6, 10
"""Dimensions of a map of sums, and letters of a token beside it."""
NAMES = {
    "removed": "positions removed",
    "shuffled": "positions shuffled",
    "shifted": "positions shifted",
    "reversed": "positions reversed",
}


def sum_maps(
    words: Array, positions: Array, labels: Sequence[str], first: int, name: str = WORD, normed: bool = False
) -> Picture:
    """Word vectors, positions and sums of a few tokens, one map below the other, with the same colours.

    Args:
        words: [R, D] vectors of the tokens.
        positions: [R, D] what is added.
        labels: of the R tokens.
        first: position of the first one.
        name: of the word vectors.
        normed: whether the sum is normalised before the first layer reads it.

    Raises:
        ValueError: the sizes differ.
    """
    if words.shape != positions.shape or len(labels) != len(words) or not labels:
        raise ValueError(
            "words and positions must have one size, and a label a row. "
            f"Received: {list(words.shape)}, {list(positions.shape)} and {len(labels)} labels"
        )
    rows, width = words.shape
    drawn = min(ACROSS, width)
    titles = (name, "+ position", f"= what the {'norm' if normed else 'first layer'} reads")
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.09, subplot_titles=titles)
    total = words + positions
    limit = float(max(np.abs(each[:, :drawn]).max() for each in (words, positions, total))) or 1.0
    across, down = list(range(drawn)), list(range(rows))
    for panel, values in enumerate((words, positions, total), 1):
        figure.add_trace(
            Heatmap(
                z=values[:, :drawn].astype(np.float32), x=across, y=down, zmin=-limit, zmax=limit,
                colorscale=[list(stop) for stop in SIGNED], showscale=panel == 1,
                colorbar=scale_bar("value, the same scale for all three", (-limit, limit)), xgap=1, ygap=1,
                hovertemplate=f"{titles[panel - 1]}, dimension %{{x}}: %{{z:.4f}}<extra></extra>",
            ),
            row=panel, col=1,
        )  # fmt: skip
        for trace in written(values[:, :drawn], limit, (down, across)):
            figure.add_trace(trace, row=panel, col=1)
    base(figure, "", "", 3 * CELL * rows + 270)
    figure.update_layout(showlegend=False, margin={"t": 100})
    texts = [f"{first + row} · {escape(cut(plain(label), LETTERS))}" for row, label in enumerate(labels)]
    figure.update_yaxes(range=[rows - 0.5, -0.5], tickvals=down, ticktext=texts, showgrid=False)
    figure.update_xaxes(showgrid=False, dtick=1)
    figure.update_xaxes(title_text=f"Dimension, {drawn} of {width}", row=3, col=1)
    caption = _sum_caption(words, positions, labels, first, drawn)
    return Picture("sum", figure, caption, _sum_table(words, positions, labels, first, name))


def _sum_table(
    words: Array, positions: Array, labels: Sequence[str], first: int, name: str
) -> dict[str, Sequence[object]]:
    """A line a number, all dimensions."""
    rows, width = words.shape
    return {
        "Position": [first + row for row in range(rows) for _ in range(width)],
        "Token": [plain(label) for label in labels for _ in range(width)],
        "Dimension": [*range(width)] * rows,
        capital(name): [float(value) for value in words.ravel()],
        "Position's number": [float(value) for value in positions.ravel()],
        "Sum": [float(value) for value in (words + positions).ravel()],
    }


def _sum_caption(words: Array, positions: Array, labels: Sequence[str], first: int, drawn: int) -> str:
    """The cell to which the position adds most, of those drawn."""
    row, column = divmod(int(np.argmax(np.abs(positions[:, :drawn]))), drawn)
    word, place = float(words[row, column]), float(positions[row, column])
    return (
        f"“{plain(labels[row])}” stands at position {first + row}: in dimension {column}, {number(word)} + "
        f"{number(place)} = {number(word + place)}; no number of the word changes by more than "
        f"{number(float(np.abs(positions).max()))}."
    )


def token_sum(embedded: Array, position: Array, token: str, place: int, name: str = SCALED) -> Picture:
    """Embedding, position and their sum for one token.

    Args:
        embedded: [D] the row of the embedding table, times √D in most models.
        position: [D] what is added.
        token: its text.
        place: its position, from 0.
        name: of the embedding.
    """
    total, width = embedded + position, len(embedded)
    shown = min(SHOWN, width)
    figure, axis = Figure(), list(range(shown))
    for label, values, color in ((name, embedded, BLUE), (f"position {place}", position, ORANGE)):
        figure.add_trace(
            Bar(
                x=axis, y=[float(value) for value in values[:shown]], name=label,
                marker={"color": color, "line": {"width": 0}},
                hovertemplate=f"dimension %{{x}}, {label}: %{{y:.4f}}<extra></extra>",
            )
        )  # fmt: skip
    figure.add_trace(
        Scatter(
            x=axis, y=[float(value) for value in total[:shown]], name="their sum", mode="markers",
            marker={"color": GREEN, "size": 10, "symbol": "diamond"},
            hovertemplate="dimension %{x}, sum: %{y:.4f}<extra></extra>",
        )
    )  # fmt: skip
    base(figure, f"Dimension, {shown} of {width}", "Value", 380)
    figure.update_layout(barmode="group")
    figure.update_yaxes(**ZERO)
    figure.update_xaxes(dtick=1 if shown <= 12 else 4)
    largest = int(np.argmax(np.abs(position[:shown])))
    caption = (
        f"“{plain(token)}” at position {place}: in dimension {largest}, where the position adds most, "
        f"{number(float(embedded[largest]))} + {number(float(position[largest]))} = {number(float(total[largest]))}; "
        f"the embedding has length {number(_length(embedded))}, the position {number(_length(position))}, the sum "
        f"{number(_length(total))}."
    )
    table: dict[str, Sequence[object]] = {
        "Dimension": list(range(width)),
        capital(name): [float(value) for value in embedded],
        "Position": [float(value) for value in position],
        "Sum": [float(value) for value in total],
    }
    return Picture("embedding-and-position", figure, caption, table)


def _length(values: Array) -> float:
    return float(np.linalg.norm(values))


def norms(embedded: Array, positions: Array, tokens: Sequence[str], name: str = SCALED) -> Picture:
    """Lengths of embedding and position of every token.

    Args:
        embedded: [S] lengths of the embeddings, times √D in most models.
        positions: [S] lengths of the positions.
        tokens: texts of the S tokens.
        name: of the embeddings.

    Raises:
        ValueError: not one of each a token, or no token.
    """
    if not tokens or not len(tokens) == len(embedded) == len(positions):
        raise ValueError(
            f"there must be two lengths a token. Received: {len(embedded)} and {len(positions)} for {len(tokens)}"
        )
    figure, places = Figure(), list(range(len(tokens)))
    for label, values, color, dash in (
        (name, embedded, BLUE, "solid"), ("position", positions, ORANGE, "dash")
    ):  # fmt: skip
        figure.add_trace(
            Scatter(
                x=places, y=[float(value) for value in values], name=label, mode="lines",
                line={"color": color, "width": 2.5, "dash": dash},
                hovertemplate=f"position %{{x}}, {label}: %{{y:.2f}}<extra></extra>",
            )
        )  # fmt: skip
    base(figure, "Token, by its position", "Length of the vector", 360)
    figure.update_yaxes(rangemode="tozero")
    means = float(embedded.mean()), float(positions.mean())
    ratio = embedded / np.maximum(positions, 1e-9)
    shortest = int(np.argmin(ratio))
    caption = (
        f"In the mean of {count(len(tokens), 'token')} the embedding has length {number(means[0])} and the position "
        f"{number(means[1])}: {number(means[0] / max(means[1], 1e-9))} to 1. The position counts most for "
        f"“{plain(tokens[shortest])}” (position {shortest}), {number(float(ratio[shortest]))} to 1."
    )
    table: dict[str, Sequence[object]] = {
        "Position": places,
        "Token": [plain(token) for token in tokens],
        capital(name): [float(value) for value in embedded],
        "Length of the position": [float(value) for value in positions],
        "Ratio": [float(value) for value in ratio],
    }
    return Picture("lengths", figure, caption, table)


def changes(
    effects: Mapping[str, float], changed: Mapping[str, float], texts: Mapping[str, str], original: str, tokens: int
) -> Picture:
    """Draw the effect of each change of the positions on the original summary.

    Args:
        effects: log-probability as it is minus that with the change, in nats, by what was done: "positions removed".
        changed: share of the words of the new summary and the old that differ, likewise.
        texts: the new summaries, likewise.
        original: the summary without a change.
        tokens: of the original summary.

    Raises:
        ValueError: nothing was done, or not one of each.
    """
    names = list(effects)
    if not names or list(changed) != names or list(texts) != names:
        raise ValueError(
            "there must be an effect, a share and a text for each change. "
            f"Received: {len(effects)}, {len(changed)} and {len(texts)}"
        )
    limits = signed_limits(list(effects.values()))
    figure, rows = Figure(), list(range(len(names)))
    for legend, color, sign in (("less probable (+)", SUPPORTS, 1), ("more probable (−)", OPPOSES, -1)):
        figure.add_trace(
            Bar(
                x=[effect if effect * sign > 0 else 0.0 for effect in effects.values()], y=rows, orientation="h",
                name=legend, width=0.6, marker={"color": color, "line": {"width": 0}},
                hovertext=[
                    f"{capital(name)}<br>{nats(effect)}, {number(effect / tokens)} a token<br>"
                    f"{percent(changed[name])} of the words differ"
                    for name, effect in effects.items()
                ],
                hoverinfo="text",
            )
        )  # fmt: skip
    base(figure, "Effect on the original summary (nats)", "", 52 * len(names) + 150)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(range=limits, **ZERO)
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5], tickvals=rows, showgrid=False,
        ticktext=[capital(name.removeprefix("positions ")) for name in names],
    )  # fmt: skip
    annotate(figure, [signed_value(effect, row, "") for row, effect in enumerate(effects.values())])
    table: dict[str, Sequence[object]] = {
        "Positions": [capital(name) for name in names],
        "Effect (nats)": list(effects.values()),
        "Effect per token (nats)": [effect / tokens for effect in effects.values()],
        "Words that differ": list(changed.values()),
        "New summary": list(texts.values()),
    }
    return Picture("position-changes", figure, _changes_caption(effects, list(texts.values()), original, tokens), table)


def _changes_caption(effects: Mapping[str, float], texts: Sequence[str], original: str, tokens: int) -> str:
    most, least = (pick(effects, key=lambda name: abs(effects[name])) for pick in (max, min))
    new, same = len(set(texts) - {original}), texts.count(original)
    written = f"give {new or 'no'} new {'summaries' if new > 1 else 'summary'}"
    again = f"; {same} of the changes {'leaves' if same == 1 else 'leave'} the summary as it is" if new and same else ""
    return (
        f"The effect on the original summary of {count(tokens, 'token')} is largest with {most}: "
        f"{signed(effects[most])} nats, {signed(effects[most] / tokens)} a token; smallest with {least}: "
        f"{signed(effects[least])} nats. {count(len(texts), 'change')} {written}{again}."
    )


def kept_sentence(words: int, said: int, before: int, copies: bool) -> str:
    """What of a new summary is right in its words, whatever it says with them."""
    if not words:
        return "The new summary has no words."
    what = (
        "Copying writes ids of source tokens, and an id has no place: "
        if copies
        else "This model cannot copy; it writes words from its vocabulary: "
    )
    return (
        f"{what}{said} of {count(words, 'word')} of the new summary stand in the dialogue "
        f"({percent(said / words)}), and {before} stood in the old one."
    )


def root(width: int, lengths: Array, places: Array) -> str:
    """Say where √d comes from.

    Args:
        width: of the vectors, d.
        lengths: [S] of the scaled embeddings.
        places: [S] of the positions.
    """
    scaled, own = float(lengths.mean()), float(places.mean())
    return (
        f"**Where does √d come from?** The paper multiplies the embedding by √d (Vaswani et al. 2017, section 3.4) and "
        f"gives no reason. Here d = {width} and √d = {number(math.sqrt(width))}. In the mean of these tokens, the rows "
        f"of the table have length {number(scaled / math.sqrt(width))} and the positions {number(own)}. Without "
        f"the factor the positions would be {number(own * math.sqrt(width) / max(scaled, 1e-9))} times as long as "
        f"the embeddings; with it they are {number(own / max(scaled, 1e-9))} times as long."
    )
