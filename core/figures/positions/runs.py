"""Pictures of what a model does with its positions: the sum that it reads, and its summary without them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from plotly.graph_objects import Figure
from plotly.subplots import make_subplots

from core.figures.positions.heatmap import CELL, length, scale_bar, written
from core.figures.shared.files import MatrixTable
from core.figures.shared.marks import bars, heat, line, points
from core.figures.shared.palette import AMOUNT, FONT, SERIES, SIGNED, annotate, base
from core.figures.shared.picture import Picture
from core.figures.shared.rows import ZERO, row_ticks, signed_bars, signed_limits, signed_value
from core.figures.shared.wording import count, cut, escape, nats, number, percent, plain, signed
from core.trace import Array
from core.words import later, say

SHOWN = 24
"""Dimensions of a sum that are drawn; the table has all of them."""
NAMES: dict[str, tuple[str, str]] = {
    "word": (later("word embedding"), later("Word embedding")),
    "scaled": (later("embedding × √d"), later("Embedding × √d")),
    "unscaled": (later("embedding"), later("Embedding")),
    "scaled, speaker": (later("embedding × √d + speaker"), later("Embedding × √d + speaker")),
    "unscaled, speaker": (later("embedding + speaker"), later("Embedding + speaker")),
}
"""What the vectors of words are called, in a sentence and as a heading: those of an example, those of a model that
scales them, and of others; then the same with speakers."""
ACROSS, LETTERS = 6, 10
"""Dimensions of a map of sums, and letters of a token beside it."""
CHANGES: dict[str, tuple[str, str, str]] = {
    "removed": (later("Removed"), later("Positions removed"), later("positions removed")),
    "shuffled": (later("Shuffled"), later("Positions shuffled"), later("positions shuffled")),
    "shifted": (later("Shifted"), later("Positions shifted"), later("positions shifted")),
    "reversed": (later("Reversed"), later("Positions reversed"), later("positions reversed")),
}
"""What a change is called: alone, as a heading and in a sentence."""


def sum_maps(
    words: Array, positions: Array, labels: Sequence[str], first: int, name: str = "word", normed: bool = False
) -> Picture:
    """Word vectors, positions and sums of a few tokens, one map below the other, with the same colours.

    Args:
        words: [R, D] vectors of the tokens.
        positions: [R, D] what is added.
        labels: of the R tokens.
        first: position of the first one.
        name: of the word vectors, a key of `NAMES`.
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
    reads = say("= what the norm reads") if normed else say("= what the first layer reads")
    titles = (say(NAMES[name][0]), say("+ position"), reads)
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.09, subplot_titles=titles)
    total = words + positions
    limit = float(max(np.abs(vectors[:, :drawn]).max() for vectors in (words, positions, total))) or 1.0
    across, down = list(range(drawn)), list(range(rows))
    limits = (-limit, limit)
    scale = scale_bar(say("value, the same scale for all three"), limits)
    for panel, (title, values) in enumerate(zip(titles, (words, positions, total), strict=True), 1):
        cells, more = values[:, :drawn], {"colorbar": scale, "showscale": panel == 1}
        cell_map = heat(cells, (down, across), limits, SIGNED, _hover(title, "%{z:.4f}"), 1, **more)
        for trace in (cell_map, *written(cells, limit, (down, across))):
            figure.add_trace(trace, row=panel, col=1)
    base(figure, "", "", 3 * CELL * rows + 270)
    figure.update_layout(showlegend=False, margin={"t": 100}).update_annotations(font_size=FONT)
    texts = [f"{first + row} · {escape(cut(plain(label), LETTERS))}" for row, label in enumerate(labels)]
    figure.update_yaxes(**row_ticks(texts))
    figure.update_xaxes(showgrid=False, dtick=1)
    figure.update_xaxes(title_text=_dimensions(drawn, width), row=3, col=1)
    caption = _sum_caption(words, positions, labels, first, drawn)
    return Picture("sum", figure, caption, _sum_table(words, positions, labels, first, name))


def _hover(name: str, value: str) -> str:
    """Return the hover text of a number of a vector: `name` and `value` as plotly fills them in."""
    return say("{name}, dimension {dimension}: {value}", name=name, dimension="%{x}", value=value)


def _dimensions(drawn: int, width: int) -> str:
    return say("Dimension, {drawn} of {width}", drawn=drawn, width=width)


def _sum_table(words: Array, positions: Array, labels: Sequence[str], first: int, name: str) -> MatrixTable:
    """A line a number, all dimensions."""
    rows, width = words.shape
    down = {later("Position"): [*range(first, first + rows)], later("Token"): [*map(plain, labels)]}
    values = {NAMES[name][1]: words, later("Value of the position"): positions, later("Sum"): words + positions}
    return MatrixTable((down, {later("Dimension"): [*range(width)]}), values)


def _sum_caption(words: Array, positions: Array, labels: Sequence[str], first: int, drawn: int) -> str:
    """The cell to which the position adds most, of those drawn."""
    row, column = divmod(int(np.argmax(np.abs(positions[:, :drawn]))), drawn)
    word, place = float(words[row, column]), float(positions[row, column])
    return say(
        "“{token}” stands at position {position}: in dimension {dimension}, {word} + {place} = {sum}; no number of the "
        "word changes by more than {most}.",
        token=plain(labels[row]),
        position=first + row,
        dimension=column,
        word=number(word),
        place=number(place),
        sum=number(word + place),
        most=number(float(np.abs(positions).max())),
    )


def token_sum(embedded: Array, position: Array, token: str, place: int, name: str = "scaled") -> Picture:
    """Embedding, position and their sum for one token.

    Args:
        embedded: [D] the row of the embedding table, times √D in most models.
        position: [D] what is added.
        token: its text.
        place: its position, from 0.
        name: of the embedding, a key of `NAMES`.
    """
    total, width = embedded + position, len(embedded)
    shown = min(SHOWN, width)
    figure, axis = Figure(), list(range(shown))
    for label, values, color in (
        (say(NAMES[name][0]), embedded, AMOUNT),
        (say("position {place}", place=place), position, SERIES[0]),
    ):
        figure.add_trace(bars(label, color, axis, values[:shown].tolist(), _hover(label, "%{y:.4f}")))
    marker, hover = {"color": SERIES[2], "size": 10, "symbol": "diamond"}, _hover(say("sum"), "%{y:.4f}")
    figure.add_trace(points(say("their sum"), axis, total[:shown].tolist(), hover, marker))
    base(figure, _dimensions(shown, width), say("Value"), 380)
    figure.update_layout(barmode="group")
    figure.update_yaxes(**ZERO)
    figure.update_xaxes(dtick=1 if shown <= 12 else 4)
    table: dict[str, Sequence[object]] = {
        later("Dimension"): list(range(width)),
        NAMES[name][1]: embedded.tolist(),
        later("Position"): position.tolist(),
        later("Sum"): total.tolist(),
    }
    caption = _token_caption(embedded, position, token, place, shown)
    return Picture("embedding-and-position", figure, caption, table)


def _token_caption(embedded: Array, position: Array, token: str, place: int, shown: int) -> str:
    largest = int(np.argmax(np.abs(position[:shown])))
    return say(
        "“{token}” at position {place}: in dimension {dimension}, where the position adds most, {embedding} + "
        "{position} = {sum}; the embedding has length {embedding_length}, the position {position_length}, the sum "
        "{sum_length}.",
        token=plain(token),
        place=place,
        dimension=largest,
        embedding=number(float(embedded[largest])),
        position=number(float(position[largest])),
        sum=number(float(embedded[largest] + position[largest])),
        embedding_length=length(embedded),
        position_length=length(position),
        sum_length=length(embedded + position),
    )


def norms(embedded: Array, positions: Array, tokens: Sequence[str], name: str = "scaled") -> Picture:
    """Lengths of embedding and position of every token.

    Args:
        embedded: [S] lengths of the embeddings, times √D in most models.
        positions: [S] lengths of the positions.
        tokens: texts of the S tokens.
        name: of the embeddings, a key of `NAMES`.

    Raises:
        ValueError: not one of each a token, or no token.
    """
    if not tokens or not len(tokens) == len(embedded) == len(positions):
        raise ValueError(
            f"there must be two lengths a token. Received: {len(embedded)} and {len(positions)} for {len(tokens)}"
        )
    figure, places = Figure(), list(range(len(tokens)))
    for label, values, color, dash in (
        (say(NAMES[name][0]), embedded, AMOUNT, "solid"), (say("position"), positions, SERIES[0], "dash")
    ):  # fmt: skip
        hover = say("position {position}, {name}: {length}", position="%{x}", name=label, length="%{y:.2f}")
        figure.add_trace(line(label, {"color": color, "width": 2.5, "dash": dash}, places, values.tolist(), hover))
    base(figure, say("Token, by its position"), say("Length of the vector"), 360)
    figure.update_yaxes(rangemode="tozero")
    means = float(embedded.mean()), float(positions.mean())
    ratio = embedded / np.maximum(positions, 1e-9)
    shortest = int(np.argmin(ratio))
    caption = say(
        "In the mean of {tokens} the embedding has length {embedding} and the position {position}: {ratio} to 1. The "
        "position counts most for “{token}” (position {place}), {least} to 1.",
        tokens=count(len(tokens), "token"),
        embedding=number(means[0]),
        position=number(means[1]),
        ratio=number(means[0] / max(means[1], 1e-9)),
        token=plain(tokens[shortest]),
        place=shortest,
        least=number(float(ratio[shortest])),
    )
    table: dict[str, Sequence[object]] = {
        later("Position"): places,
        later("Token"): [plain(token) for token in tokens],
        NAMES[name][1]: [float(value) for value in embedded],
        later("Length of the position"): [float(value) for value in positions],
        later("Ratio"): [float(value) for value in ratio],
    }
    return Picture("lengths", figure, caption, table)


def changes(
    effects: Mapping[str, float], changed: Mapping[str, float], texts: Mapping[str, str], original: str, tokens: int
) -> Picture:
    """Draw the effect of each change of the positions on the original summary.

    Args:
        effects: log-probability as it is minus that with the change, in nats, by what was done, a key of `CHANGES`.
        changed: share of the words of the new summary and the old that differ, by the same keys.
        texts: the new summaries, by the same keys.
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
    figure = Figure()
    hover = [
        say(
            "{change}<br>{effect}, {each} a token<br>{share} of the words differ",
            change=say(CHANGES[name][1]),
            effect=nats(effect),
            each=number(effect / tokens),
            share=percent(changed[name]),
        )
        for name, effect in effects.items()
    ]
    signs = (say("less probable (+)"), say("more probable (−)"))
    signed_bars(figure, list(effects.values()), None, hover, signs, (0, 0.6))
    base(figure, say("Effect on the original summary (nats)"), "", 52 * len(names) + 150)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(range=limits, **ZERO)
    figure.update_yaxes(**row_ticks([say(CHANGES[name][0]) for name in names]))
    annotate(figure, [signed_value(effect, row, "") for row, effect in enumerate(effects.values())])
    table: dict[str, Sequence[object]] = {
        later("Positions"): [say(CHANGES[name][1]) for name in names],
        later("Effect (nats)"): list(effects.values()),
        later("Effect per token (nats)"): [effect / tokens for effect in effects.values()],
        later("Share of words changed"): list(changed.values()),
        later("New summary"): list(texts.values()),
    }
    return Picture("position-changes", figure, _changes_caption(effects, list(texts.values()), original, tokens), table)


def _changes_caption(effects: Mapping[str, float], texts: Sequence[str], original: str, tokens: int) -> str:
    most, least = (pick(effects, key=lambda name: abs(effects[name])) for pick in (max, min))
    sentence = say(
        "The effect on the original summary of {tokens} is largest with {most}: {effect} nats, {each} a token; "
        "smallest with {least}: {small} nats.",
        tokens=count(tokens, "token"),
        most=say(CHANGES[most][2]),
        effect=signed(effects[most]),
        each=signed(effects[most] / tokens),
        least=say(CHANGES[least][2]),
        small=signed(effects[least]),
    )
    return f"{sentence} {_written(texts, original)}"


def _written(texts: Sequence[str], original: str) -> str:
    """Say how many of the new summaries are new."""
    new, same = len(set(texts) - {original}), texts.count(original)
    changes = count(len(texts), "change")
    if not new:
        return say("{changes} give no new summary.", changes=changes)
    values = {"changes": changes, "summaries": count(new, "new summary"), "same": same}
    if not same:
        return say("{changes} give {summaries}.", **values)
    if same == 1:
        return say("{changes} give {summaries}; {same} of the changes leaves the summary as it is.", **values)
    return say("{changes} give {summaries}; {same} of the changes leave the summary as it is.", **values)


def kept_sentence(words: int, said: int, before: int, copies: bool) -> str:
    """How many words of a new summary stand in the dialogue, whatever it says with them."""
    if not words:
        return say("The new summary has no words.")
    values = {"said": said, "words": count(words, "word"), "share": percent(said / words), "before": before}
    if copies:
        return say(
            "Copying writes ids of source tokens, and an id has no place: {said} of {words} of the new summary stand "
            "in the dialogue ({share}), and {before} stood in the old one.",
            **values,
        )
    return say(
        "This model cannot copy; it writes words from its vocabulary: {said} of {words} of the new summary stand in "
        "the dialogue ({share}), and {before} stood in the old one.",
        **values,
    )


def root(width: int, lengths: Array, places: Array) -> str:
    """Say where √d comes from.

    Args:
        width: of the vectors, d.
        lengths: [S] of the scaled embeddings.
        places: [S] of the positions.
    """
    scaled, own = float(lengths.mean()), float(places.mean())
    return say(
        "**Where does √d come from?** The paper multiplies the embedding by √d (Vaswani et al. 2017, section 3.4) and "
        "gives no reason. Here d = {width} and √d = {root}. In the mean of these tokens, the rows of the table have "
        "length {row} and the positions {position}. Without the factor the positions would be {without} times as long "
        "as the embeddings; with it they are {with_it} times as long.",
        width=width,
        root=number(math.sqrt(width)),
        row=number(scaled / math.sqrt(width)),
        position=number(own),
        without=number(own * math.sqrt(width) / max(scaled, 1e-9)),
        with_it=number(own / max(scaled, 1e-9)),
    )
