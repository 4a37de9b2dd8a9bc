"""Pictures of pieces that are not merged: the cuts of a word by a unigram model, and the matches of WordPiece."""

import math
from collections.abc import Sequence
from itertools import accumulate

from plotly.graph_objects import Figure

from core.figures.shared.palette import AMOUNT, FAINT, GREY, SERIES
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, escape, number, signed
from core.figures.tokens.tokens import MADE, box_axes, boxes
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


def cuts(ways: Sequence[Cut]) -> Picture:
    """Draw the best cuts of a word below each other, each with the sum of its scores.

    Args:
        ways: the best first, at least one.

    Raises:
        ValueError: there is none.
    """
    if not ways:
        raise ValueError("found must hold at least one cut. Received: none")
    figure = Figure()
    every: list[Box] = [
        (row, start, piece, score, known)
        for row, cut in enumerate(ways)
        for start, piece, score, known in zip(
            accumulate(map(len, cut.pieces), initial=0), cut.pieces, cut.scores, cut.known, strict=False
        )
    ]
    for name, fill, line, chosen in (
        (say("the cut that is taken"), MADE, AMOUNT, [box for box in every if not box[0] and box[4]]),
        (say("another cut"), FAINT, GREY, [box for box in every if box[0] and box[4]]),
        (say("not in the vocabulary"), FAINT, SERIES[1], [box for box in every if not box[4]]),
    ):
        if chosen:
            hover = [
                say("{piece}<br>score {score}", piece=escape(dotted(piece)), score=signed(score))
                for _, _, piece, score, _ in chosen
            ]
            places = [(row, start, len(piece)) for row, start, piece, _, _ in chosen]
            figure.add_trace(boxes(name, fill, line, places, hover))
    labels = [(row, start, len(piece), escape(dotted(piece))) for row, start, piece, _, _ in every]
    sums = [signed(cut.total) for cut in ways]
    box_axes(figure, labels, sums, (say("Character; a dot is a blank"), say("Sum (nats)")))
    return Picture("cuts", figure, _cuts_caption(ways), _cuts_table(ways))


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
        later("Longest piece"): [dotted(step.piece) or say("none") for step in steps],
        later("Longer beginnings that are no pieces"): [step.tried for step in steps],
    }
    pieces = sum(len(word) for word in words if word not in lost)
    size = count(pieces, "piece")
    sentence = (
        say("{pieces}; a piece that goes on with a word begins with ##, a dot is a blank.", pieces=size)
        if any("▁" in step.rest for step in steps)
        else say("{pieces}; a piece that goes on with a word begins with ##.", pieces=size)
    )
    if lost:
        names = ", ".join(f"“{word[0].rest}”" for word in lost)
        unknown = say("Of {words} a rest begins with no piece, so the whole word is one unknown token.", words=names)
        sentence = f"{sentence} {unknown}"
    return table, sentence


def _shown(cut: Cut) -> str:
    return " | ".join(map(dotted, cut.pieces))


def _cuts_caption(ways: Sequence[Cut]) -> str:
    best = {"cut": _shown(ways[0]), "sum": signed(ways[0].total)}
    if len(ways) == 1:
        return say("{cut} has the largest sum, {sum} nats; there is no other way to cut it.", **best)
    behind = ways[0].total - ways[1].total
    if not behind:
        return say(
            "{cut} has the largest sum, {sum} nats; {other} has the same, and the longer last piece is taken.",
            **best,
            other=_shown(ways[1]),
        )
    times = math.exp(min(behind, 700.0))
    factor = number(times) if times < 1000 else f"e^{number(behind)}"
    return say(
        "{cut} has the largest sum, {sum} nats; the next, {other}, is {behind} nats behind: {factor} times less "
        "probable.",
        **best,
        other=_shown(ways[1]),
        behind=number(behind),
        factor=factor,
    )


def _cuts_table(ways: Sequence[Cut]) -> Table:
    return {
        later("Rank"): list(range(1, len(ways) + 1)),
        later("Way to cut"): [_shown(cut) for cut in ways],
        later("Scores"): [" + ".join(signed(score) for score in cut.scores) for cut in ways],
        later("Sum (nats)"): [cut.total for cut in ways],
        later("Behind the best (nats)"): [ways[0].total - cut.total for cut in ways],
    }
