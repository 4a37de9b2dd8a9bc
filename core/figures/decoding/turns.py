"""Pictures of attention over a dialogue: by turn, inside one turn, and of two branches side by side.

S source tokens, G groups of them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.explain.shared.rollup import Group
from core.figures.shared.marks import bars
from core.figures.shared.palette import ATTENTION, GREY, Note, annotate
from core.figures.shared.picture import Picture
from core.figures.shared.rows import (
    LABEL,
    Turn,
    cards,
    frame,
    head,
    row_bars,
    token_axes,
    token_bars,
    turn_label,
    turn_name,
    write,
)
from core.figures.shared.wording import capital, count, cut, escape, listed, percent, plain, quoted, token_text
from core.trace import Token
from core.words import later, say


def attention_by_turn(
    weights: NDArray[np.float32],
    turns: Sequence[Turn],
    groups: Sequence[Group],
    opened: int | None,
    what: str,
) -> Picture:
    """Share of the attention that goes to each turn that the model read.

    Args:
        weights: [S], one row of cross-attention or the mean of several.
        turns: label, speaker and text of every turn of the dialogue; the speaker may be empty.
        groups: the tokens of each turn; a group without a turn (marks) gets a grey bar.
        opened: index of the turn whose tokens are shown elsewhere.
        what: whose weights: "decoder layer 3, mean of 4 heads".

    Returns:
        The picture; the points' customdata is the index of the turn, -1 for marks.

    Raises:
        ValueError: there are no groups.
    """
    if not groups:
        raise ValueError("groups must hold at least one turn. Received: none")
    shares = [float(np.sum(np.asarray(weights)[list(group.members)])) for group in groups]
    labels = [_label(group, turns) for group in groups]
    codes = [-1 if group.turn is None else group.turn for group in groups]
    figure = Figure()
    hover = [f"{escape(label)}<br>{percent(share)}" for label, share in zip(labels, shares, strict=True)]
    cards(figure, codes, hover, opened)
    for name, color, marks in ((say("turn"), ATTENTION, False), (say("no turn"), GREY, True)):
        rows = [row for row, group in enumerate(groups) if (group.turn is None) == marks]
        lengths, texts = [100 * shares[row] for row in rows], [hover[row] for row in rows]
        of_rows, legend = [codes[row] for row in rows], bool(rows)
        figure.add_trace(row_bars(name, color, lengths, rows, texts, customdata=of_rows, showlegend=legend))
    values = [(share, percent(share)) for share in shares]
    title = say("Share of attention (%), fixed scale")
    _rows(figure, labels, values, f"{title}\n{what}")
    table: dict[str, list[object]] = {
        later("Turn"): [group.label for group in groups],
        later("Speaker"): [group.speaker or "" for group in groups],
        later("Text"): ["" if group.turn is None else turns[group.turn][2] for group in groups],
        later("Share"): list(shares),
    }
    return Picture("attention-by-turn", figure, _turns_caption(shares, groups, turns), table)


def _label(group: Group, turns: Sequence[Turn]) -> str:
    return group.label if group.turn is None else turn_label(turns[group.turn])


def _rows(figure: Figure, labels: Sequence[str], values: Sequence[tuple[float, str]], x: str) -> None:
    """The frame of rows whose bars go from 0 to 100 %; a value is the bar's length, 0 to 1, and its text."""
    frame(figure, len(labels), x)
    figure.update_xaxes(tickvals=[0, 25, 50, 75, 100])
    notes: list[Note] = []
    for row, (label, (share, text)) in enumerate(zip(labels, values, strict=True)):
        inside = share > 0.75
        place = write(100 if inside else 100 * share, row + (-0.22 if inside else 0.2), f"<b>{text}</b>", inside)
        notes += head(row, label), place
    annotate(figure, notes)


def _turns_caption(shares: Sequence[float], groups: Sequence[Group], turns: Sequence[Turn]) -> str:
    ordered = sorted(
        (index for index, group in enumerate(groups) if group.turn is not None), key=lambda index: -shares[index]
    )
    if not ordered:
        share = percent(sum(shares))
        return say("All of it, {share}, went to special tokens, which belong to no turn.", share=share)
    best = groups[ordered[0]]
    speaker = turns[best.turn][1] if best.turn is not None else ""
    name = capital(turn_name((best.label, speaker, "")))
    sentences = [say("{turn} got most of the attention, {share}.", turn=name, share=percent(shares[ordered[0]]))]
    if len(ordered) > 3:
        top = ordered[:3]
        together = percent(sum(shares[index] for index in top))
        numbers = listed([groups[index].label for index in top])
        sentences.append(say("The top three, turns {turns}, hold {share} together.", turns=numbers, share=together))
    if len(ordered) < len(groups):
        marks = sum(share for share, group in zip(shares, groups, strict=True) if group.turn is None)
        sentences.append(say("{share} went to special tokens, which belong to no turn.", share=capital(percent(marks))))
    return " ".join(sentences)


def attention_in_turn(weights: NDArray[np.float32], tokens: Sequence[Token], what: str) -> Picture:
    """Share of the attention that goes to each token of one turn.

    Args:
        weights: [n], shares of the whole dialogue's attention.
        tokens: the n tokens, at least one.
        what: whose weights.

    Returns:
        The picture; the points' customdata is the place in the turn, 0-based.

    Raises:
        ValueError: there are no tokens, or not one weight for each.
    """
    shares = [float(weight) for weight in weights]
    if not tokens or len(shares) != len(tokens):
        raise ValueError(f"weights must be one a token. Received: {len(shares)} for {count(len(tokens), 'token')}")
    places = range(1, len(tokens) + 1)
    hover = [
        f"{place} · {escape(quoted(token))}<br>{percent(share)}"
        for place, token, share in zip(places, tokens, shares, strict=True)
    ]
    more = token_bars([100 * share for share in shares]) | {"customdata": list(range(len(tokens)))}
    figure = Figure(bars(say("share of the dialogue's attention"), ATTENTION, hover=hover, **more))
    texts = [token_text(token) for token in tokens]
    title = say("Share of attention (%)")
    token_axes(figure, texts, say("Token of the turn"), f"{title}\n{what}")
    best = max(range(len(tokens)), key=lambda index: shares[index])
    caption = say(
        "{token} got most, {share} of the dialogue's attention; the {tokens} of this turn got {together} together.",
        token=capital(quoted(tokens[best])),
        share=percent(shares[best]),
        tokens=count(len(tokens), "token"),
        together=percent(sum(shares)),
    )
    table: dict[str, list[object]] = {
        later("Position"): list(places),
        later("Token"): list(texts),
        later("Share"): list(shares),
    }
    return Picture("attention-in-turn", figure, caption, table)


def attention_pair(
    first: NDArray[np.float32], second: NDArray[np.float32], labels: Sequence[str], names: tuple[str, str]
) -> Picture:
    """Attention of two branches to each turn, side by side.

    Args:
        first: [G] shares, the mean over the branch's tokens.
        second: [G] the same of the other branch.
        labels: of the G turns, at least one.
        names: of the two branches.

    Returns:
        The picture; the points' customdata is the row.

    Raises:
        ValueError: the lengths differ, or there are no turns.
    """
    if not labels or not len(first) == len(second) == len(labels):
        raise ValueError(
            f"first, second and labels must be one a turn. Received: {len(first)}, {len(second)} and {len(labels)}"
        )
    pairs = [[float(value) for value in shares] for shares in (first, second)]
    shown = [cut(plain(label), LABEL) for label in labels]
    values = [(max(pair), f"{percent(pair[0])} | {percent(pair[1])}") for pair in zip(*pairs, strict=True)]
    figure = Figure()
    hover = [f"{escape(label)}<br>{value}" for label, (_, value) in zip(shown, values, strict=True)]
    cards(figure, range(len(labels)), hover, None)
    rows = list(range(len(labels)))
    for name, shares, shape, below in zip(names, pairs, ("", "/"), (0.1, 0.3), strict=True):
        more = {"customdata": rows, "marker": {"pattern": {"shape": shape, "solidity": 0.4}}}
        lengths = [100 * share for share in shares]
        figure.add_trace(row_bars(escape(cut(name, 24)), ATTENTION, lengths, rows, hover, below, 0.19, **more))
    _rows(figure, shown, values, say("Share of attention (%), fixed scale\nmean over the summary's tokens"))
    differences = [other - one for one, other in zip(*pairs, strict=True)]
    row = max(range(len(labels)), key=lambda index: abs(differences[index]))
    caption = say(
        "The largest difference is at “{turn}”: {one} in “{first}”, {two} in “{second}”, {points:.1f} percentage "
        "points apart.",
        turn=shown[row],
        one=percent(pairs[0][row]),
        two=percent(pairs[1][row]),
        first=names[0],
        second=names[1],
        points=100 * abs(differences[row]),
    )
    titles = [say("{name} (first)", name=names[0]), say("{name} (second)", name=names[1])]
    table: dict[str, list[object]] = {later("Turn"): [*labels]}
    table |= dict(zip(titles, pairs, strict=True)) | {later("Difference"): [*differences]}
    return Picture("attention-pair", figure, caption, table)
