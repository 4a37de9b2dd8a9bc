"""Pictures of pieces that are not merged: the cuts of a word by a unigram model, and the matches of WordPiece."""

import math
from collections.abc import Sequence
from itertools import accumulate

from plotly.graph_objects import Bar, Figure, Scatter

from core.figures.shared.palette import AMOUNT, FAINT, FONT, GREY, SERIES, base
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, escape, number, signed
from core.figures.tokens.tokens import MADE, STEP
from core.text.unigram import Cut
from core.text.wordpiece import Match
from core.words import later, say

Table = dict[str, list[object]]
Box = tuple[int, int, str, float, bool]
"""Row, first character, piece, score, and whether the vocabulary has it."""
SCORE = later("Score: log-probability (nats)")
"""Heading of a column."""


def dotted(piece: str) -> str:
    """Write a piece for the eye: the blank, which SentencePiece writes as ▁, is a dot."""
    return piece.replace("▁", "·")


def cuts(found: Sequence[Cut]) -> Picture:
    """Draw the best cuts of a word below each other, each with the sum of its scores.

    Args:
        found: the best first, at least one.

    Raises:
        ValueError: there is none.
    """
    if not found:
        raise ValueError("found must hold at least one cut. Received: none")
    figure = Figure()
    boxes = [
        (row, start, piece, score, known)
        for row, cut in enumerate(found)
        for start, piece, score, known in zip(
            accumulate(map(len, cut.pieces), initial=0), cut.pieces, cut.scores, cut.known, strict=False
        )
    ]
    for name, fill, line, chosen in (
        (say("the cut that is taken"), MADE, AMOUNT, [box for box in boxes if not box[0] and box[4]]),
        (say("another cut"), FAINT, GREY, [box for box in boxes if box[0] and box[4]]),
        (say("not in the vocabulary"), FAINT, SERIES[1], [box for box in boxes if not box[4]]),
    ):
        if chosen:
            figure.add_trace(_bar(chosen, name, fill, line))
    figure.add_trace(
        Scatter(
            x=[start + len(piece) / 2 for _, start, piece, _, _ in boxes],
            y=[row for row, _, _, _, _ in boxes],
            text=[escape(dotted(piece)) for _, _, piece, _, _ in boxes],
            mode="text",
            hoverinfo="skip",
            showlegend=False,
            textfont={"size": FONT},
        )
    )
    size = sum(map(len, found[0].pieces))
    base(figure, say("Character; a dot is a blank"), say("Sum (nats)"), STEP * len(found) + 125)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(range=[0, size], tickvals=list(range(0, size + 1, -(-size // 12))), showgrid=False)
    figure.update_yaxes(
        range=[len(found) - 0.5, -0.5],
        tickvals=list(range(len(found))),
        ticktext=[signed(cut.total) for cut in found],
        showgrid=False,
    )
    return Picture("cuts", figure, _cuts_caption(found), _cuts_table(found))


def _bar(boxes: Sequence[Box], name: str, fill: str, line: str) -> Bar:
    """Boxes of one meaning."""
    return Bar(
        base=[start for _, start, _, _, _ in boxes],
        x=[len(piece) for _, _, piece, _, _ in boxes],
        y=[row for row, _, _, _, _ in boxes],
        orientation="h",
        width=0.8,
        name=name,
        marker={"color": fill, "line": {"color": line, "width": 1.5}},
        hovertext=[
            say("{piece}<br>score {score}", piece=escape(dotted(piece)), score=signed(score))
            for _, _, piece, score, _ in boxes
        ],
        hoverinfo="text",
    )


def scores(cut: Cut) -> Table:
    """List the pieces of a cut with their scores."""
    return {
        later("Piece"): [dotted(piece) for piece in cut.pieces],
        SCORE: [*cut.scores],
        later("In the vocabulary"): [say("yes") if known else say("no") for known in cut.known],
    }


def matches(words: Sequence[Sequence[Match]]) -> tuple[Table, str]:
    """List the steps of the longest match, and say what they give."""
    steps = [step for word in words for step in word]
    lost = [word for word in words if word and not word[-1].piece]
    table: Table = {
        later("Still to be cut"): [dotted(step.rest) for step in steps],
        later("Longer beginnings that are no pieces"): [step.tried for step in steps],
        later("Longest piece"): [dotted(step.piece) or say("none") for step in steps],
    }
    pieces = sum(len(word) for word in words if word not in lost)
    size = count(pieces, "piece")
    said = (
        say("{pieces}; a piece that goes on with a word begins with ##, a dot is a blank.", pieces=size)
        if any("▁" in step.rest for step in steps)
        else say("{pieces}; a piece that goes on with a word begins with ##.", pieces=size)
    )
    if lost:
        names = ", ".join(f"“{word[0].rest}”" for word in lost)
        unknown = say("Of {words} a rest begins with no piece, so the whole word is one unknown token.", words=names)
        said = f"{said} {unknown}"
    return table, said


def _shown(cut: Cut) -> str:
    return " | ".join(map(dotted, cut.pieces))


def _cuts_caption(found: Sequence[Cut]) -> str:
    best = {"cut": _shown(found[0]), "sum": signed(found[0].total)}
    if len(found) == 1:
        return say("{cut} has the largest sum, {sum} nats; there is no other way to cut it.", **best)
    behind = found[0].total - found[1].total
    if not behind:
        return say(
            "{cut} has the largest sum, {sum} nats; {other} has the same, and the longer last piece is taken.",
            **best,
            other=_shown(found[1]),
        )
    times = math.exp(min(behind, 700.0))
    factor = number(times) if times < 1000 else f"e^{number(behind)}"
    return say(
        "{cut} has the largest sum, {sum} nats; the next, {other}, is {behind} nats behind: {factor} times less "
        "probable.",
        **best,
        other=_shown(found[1]),
        behind=number(behind),
        factor=factor,
    )


def _cuts_table(found: Sequence[Cut]) -> Table:
    return {
        later("Rank"): list(range(1, len(found) + 1)),
        later("Way to cut"): [_shown(cut) for cut in found],
        later("Scores"): [" + ".join(signed(score) for score in cut.scores) for cut in found],
        later("Sum (nats)"): [cut.total for cut in found],
        later("Behind the best (nats)"): [found[0].total - cut.total for cut in found],
    }
