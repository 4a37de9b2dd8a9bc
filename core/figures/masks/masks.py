"""Pictures of masks: which cells are open and why the others are not; the scores of a head before the softmax.

R queries, C keys.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from plotly.graph_objects import Figure

from core.explain.attention_lab.steps import BLOCKED
from core.explain.masks.masks import Cells, Flags, Name
from core.figures.shared.files import MatrixTable
from core.figures.shared.marks import heat, side_bar, squares, words
from core.figures.shared.palette import AMOUNT, FONT, GREY, SERIES, SIGNED, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, cut, escape, listed, number, percent, plain
from core.trace import Array
from core.words import later, say

ROW, FRAME = 28, 170
"""Pixels of a row, and of everything around the rows."""
TICK = 14
"""Characters of a token beside its row."""
NUMBERS = 8
"""Columns up to which every score has its number in its cell."""
REASONS = (
    (later("1: attend"), SERIES[2]),
    (later("0: the key is padding"), GREY),
    (later("0: the key is later"), SERIES[1]),
    (later("0: both"), AMOUNT),
)
TITLES: dict[Name, str] = {
    "padding": later("Padding mask"),
    "look_ahead": later("Look-ahead mask"),
    "target": later("Target mask"),
    "cross": later("Cross padding mask"),
}


def mask(name: Name, cells: Cells, rows: Sequence[str], columns: Sequence[str]) -> Picture:
    """A mask as cells: 1 where the query may attend, 0 with its reason where not.

    Args:
        name: of the mask.
        cells: [R, C].
        rows: labels of the queries.
        columns: labels of the keys.

    Raises:
        ValueError: labels and cells do not fit.
    """
    _check(cells.attend, rows, columns)
    why = (~cells.padding).astype(int) + 2 * (~cells.ahead).astype(int)  # [R, C] index into REASONS
    figure = Figure()
    for reason, (legend, color) in enumerate(REASONS):
        places = _places(why == reason)
        if places:
            hover = [_sum(name, cells, place, rows, columns) for place in places]
            texts = [f"<b>{int(not reason)}</b>"] * len(places)
            figure.add_trace(squares(say(legend), color, _from_1(places), hover, texts))
    _axes(figure, rows, columns, (say("Query"), say("Key")))
    figure.update_layout(barmode="overlay")
    flags = {later("Not padding"): cells.padding, later("Not later"): cells.ahead, TITLES[name]: cells.attend}
    table = _table(rows, columns, {title: flag.astype(int) for title, flag in flags.items()})
    return Picture(f"{name.replace('_', '-')}-mask", figure, _mask_caption(name, cells), table)


def _sum(name: Name, cells: Cells, place: tuple[int, int], rows: Sequence[str], columns: Sequence[str]) -> str:
    """Return the hover text of a cell; for the target mask, its conjunction."""
    row, column = place
    who = f"{row + 1} · {escape(plain(rows[row]))} → {column + 1} · {escape(plain(columns[column]))}"
    value = int(cells.attend[place])
    if name != "target":
        return f"{who}<br>{value}"
    both = say(
        "padding {padding} ∧ look-ahead {ahead} = {value}",
        padding=int(cells.padding[place]),
        ahead=int(cells.ahead[place]),
        value=value,
    )
    return f"{who}<br>{both}"


def _places(flags: Flags) -> list[tuple[int, int]]:
    return [(int(row), int(column)) for row, column in np.argwhere(flags)]


def _from_1(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places as the axes count them."""
    return [(row + 1, column + 1) for row, column in places]


def _axes(figure: Figure, rows: Sequence[str], columns: Sequence[str], titles: tuple[str, str]) -> None:
    base(figure, titles[1], titles[0], ROW * len(rows) + FRAME)
    across, down = [0.4, len(columns) + 0.6], [len(rows) + 0.6, 0.4]
    for update, labels, ends in ((figure.update_xaxes, columns, across), (figure.update_yaxes, rows, down)):
        update(
            tickvals=list(range(1, len(labels) + 1)),
            ticktext=[escape(cut(plain(text), TICK)) for text in labels],
            range=ends,
            showgrid=False,
            fixedrange=True,
        )
    figure.update_xaxes(tickangle=-90 if max(map(len, columns)) > 2 else 0)


def _mask_caption(name: Name, cells: Cells) -> str:
    attend, padding, ahead, both = cells.counts
    values = {"mask": say(TITLES[name]), "open": attend, "cells": count(cells.attend.size, "cell")}
    clauses = [
        say("{mask}: {open} of {cells} is open", **values)
        if attend == 1
        else say("{mask}: {open} of {cells} are open", **values)
    ]
    reasons = (
        (padding, say("{amount} by padding alone", amount=padding)),
        (ahead, say("{amount} by look-ahead alone", amount=ahead)),
        (both, say("{amount} by both", amount=both)),
    )
    if blocked := listed([reason for amount, reason in reasons if amount]):
        one = padding + ahead + both == 1
        clauses.append(say("{cells} is blocked", cells=blocked) if one else say("{cells} are blocked", cells=blocked))
    if len(cells.blind):
        clauses.append(say("{queries} may look nowhere", queries=count(len(cells.blind), "query")))
    return "; ".join(clauses) + "."


def scores(values: Array, cells: Cells, rows: Sequence[str], columns: Sequence[str], what: str) -> Picture:
    """The scores of a head before the softmax; what the mask blocks is hatched.

    Args:
        values: [R, C], before the mask.
        cells: [R, C] the mask.
        rows: labels of the queries.
        columns: labels of the keys.
        what: whose scores: "Encoder self-attention, layer 1, head 2".

    Raises:
        ValueError: labels, cells and scores do not fit.
    """
    _check(values, rows, columns)
    _check(cells.attend, rows, columns)
    limit = float(np.abs(values).max()) or 1.0
    hover = [
        [
            _score(float(value), bool(is_open), row, column)
            for value, is_open, column in zip(line, attend, columns, strict=True)
        ]
        for line, attend, row in zip(values, cells.attend, rows, strict=True)
    ]
    places = (list(range(1, len(rows) + 1)), list(range(1, len(columns) + 1)))
    figure = Figure(heat(values, places, (-limit, limit), SIGNED, hover, 1, colorbar=side_bar(say("score"))))
    if len(columns) <= NUMBERS:
        seen = _places(cells.attend)
        texts = [number(float(values[place]), 1) for place in seen]
        figure.add_trace(words([column + 1 for _, column in seen], [row + 1 for row, _ in seen], texts, FONT - 2))
    if blocked := _places(~cells.attend):
        about = [hover[row][column] for row, column in blocked]
        marker = {"pattern": {"shape": "/", "solidity": 0.4}}
        name, texts = say("blocked: becomes −1e9"), [""] * len(blocked)
        figure.add_trace(squares(name, GREY, _from_1(blocked), about, texts, marker=marker))
    _axes(figure, rows, columns, (say("Query"), say("Key")))
    after = np.where(cells.attend, values, BLOCKED)
    told = {later("Score"): values, later("Mask"): cells.attend.astype(int), later("After the mask"): after}
    table = _table(rows, columns, told)
    return Picture("scores", figure, _scores_caption(values, cells, rows, columns, what), table)


def _score(value: float, is_open: bool, row: str, column: str) -> str:
    lines = [f"{escape(plain(row))} → {escape(plain(column))}", number(value)]
    return "<br>".join(lines if is_open else [*lines, say("blocked: becomes −1e9")])


def _scores_caption(values: Array, cells: Cells, rows: Sequence[str], columns: Sequence[str], what: str) -> str:
    row, column = (int(place) for place in np.unravel_index(int(np.argmax(values)), values.shape))
    places = {
        "what": what,
        "low": number(float(values.min())),
        "high": number(float(values.max())),
        "query": plain(rows[row]),
        "key": plain(columns[column]),
    }
    sentence = (
        say("{what}: scores from {low} to {high}; the highest, “{query}” → “{key}”, is open.", **places)
        if cells.attend[row, column]
        else say(
            "{what}: scores from {low} to {high}; the highest, “{query}” → “{key}”, is blocked, so it does not count.",
            **places,
        )
    )
    blocked = int((~cells.attend).sum())
    turns = say("The mask turns {blocked} of {scores} into −1e9.", blocked=blocked, scores=count(values.size, "score"))
    return f"{sentence} {turns}"


def hidden_share(weights: Array, cells: Cells) -> str:
    """Say what the blocked cells get after the softmax; rows without an open key have their own sentence."""
    blind = list(cells.blind)
    seeing = [row for row in range(len(weights)) if row not in blind]
    shares = weights[seeing][~cells.attend[seeing]]
    sentences = []
    if shares.size:
        largest = float(shares.max())
        amount = say("exactly 0") if largest == 0 else percent(largest)
        if largest >= 0.001:  # below, the share says itself what it is under
            amount = say("at most {share}", share=amount)
        blocked = {"cells": count(shares.size, "blocked cell"), "amount": amount}
        sentences.append(
            say("After the softmax {cells} has {amount}.", **blocked)
            if shares.size == 1
            else say("After the softmax {cells} have {amount}.", **blocked)
        )
    if blind:
        low, high = float(weights[blind].min()), float(weights[blind].max())
        same = np.isclose(low, high)
        share = percent(low) if same else say("{low} to {high}", low=percent(low), high=percent(high))
        values = {"keys": count(weights.shape[1], "key"), "share": share}
        sentences.append(
            say("The 1 query that may look nowhere gave every one of {keys} the same, {share}.", **values)
            if len(blind) == 1
            else say(
                "The {queries} queries that may look nowhere gave every one of {keys} the same, {share}.",
                queries=len(blind),
                **values,
            )
        )
    return " ".join(sentences) or say("No cell is blocked: the softmax shares out everything.")


def _table(rows: Sequence[str], columns: Sequence[str], values: Mapping[str, Array]) -> MatrixTable:
    return MatrixTable(({later("Query"): [*map(plain, rows)]}, {later("Key"): [*map(plain, columns)]}), values)


def _check(values: Array | Flags, rows: Sequence[str], columns: Sequence[str]) -> None:
    if not rows or not columns or values.shape != (len(rows), len(columns)):
        raise ValueError(
            "there must be one label a row and a column. "
            f"Received: {list(values.shape)}, {len(rows)} and {len(columns)} labels"
        )
