"""Pictures of pieces that are not merged: the cuts of a word by a unigram model, and the matches of WordPiece."""

import math
from collections.abc import Sequence
from itertools import accumulate

from plotly.graph_objects import Bar, Figure, Scatter

from core.figures.palette import BLUE, FAINT, FONT, GREY, ORANGE, base
from core.figures.picture import Picture
from core.figures.tokens import MADE, STEP
from core.figures.wording import count, escape, number, signed
from core.text.unigram import Cut
from core.text.wordpiece import Match

Table = dict[str, list[object]]
SCORE = "Score: log-probability (nats)"
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
        ("the cut that is taken", MADE, BLUE, [box for box in boxes if not box[0] and box[4]]),
        ("another cut", FAINT, GREY, [box for box in boxes if box[0] and box[4]]),
        ("not in the vocabulary", FAINT, ORANGE, [box for box in boxes if not box[4]]),
    ):
        if chosen:
            figure.add_trace(
                Bar(
                    base=[start for _, start, _, _, _ in chosen],
                    x=[len(piece) for _, _, piece, _, _ in chosen],
                    y=[row for row, _, _, _, _ in chosen],
                    orientation="h",
                    width=0.8,
                    name=name,
                    marker={"color": fill, "line": {"color": line, "width": 1.5}},
                    hovertext=[f"{escape(dotted(piece))}<br>score {signed(score)}" for _, _, piece, score, _ in chosen],
                    hoverinfo="text",
                )
            )
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
    base(figure, "Character; a dot is a blank", "Sum (nats)", STEP * len(found) + 125)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(range=[0, size], tickvals=list(range(0, size + 1, -(-size // 12))), showgrid=False)
    figure.update_yaxes(
        range=[len(found) - 0.5, -0.5],
        tickvals=list(range(len(found))),
        ticktext=[signed(cut.total) for cut in found],
        showgrid=False,
    )
    return Picture("cuts", figure, _cuts_caption(found), _cuts_table(found))


def scores(cut: Cut) -> Table:
    """List the pieces of a cut with their scores."""
    return {
        "Piece": [dotted(piece) for piece in cut.pieces],
        SCORE: [*cut.scores],
        "In the vocabulary": ["yes" if known else "no" for known in cut.known],
    }


def matches(words: Sequence[Sequence[Match]]) -> tuple[Table, str]:
    """List the steps of the longest match, and say what they give."""
    steps = [step for word in words for step in word]
    lost = [word for word in words if word and not word[-1].piece]
    table: Table = {
        "Still to be cut": [dotted(step.rest) for step in steps],
        "Longer beginnings that are no pieces": [step.tried for step in steps],
        "Longest piece": [dotted(step.piece) or "none" for step in steps],
    }
    pieces = sum(len(word) for word in words if word not in lost)
    blank = ", a dot is a blank" if any("▁" in step.rest for step in steps) else ""
    said = f"{count(pieces, 'piece')}; a piece that goes on with a word begins with ##{blank}."
    if lost:
        names = ", ".join(f"“{word[0].rest}”" for word in lost)
        said += f" Of {names} a rest begins with no piece, so the whole word is one unknown token."
    return table, said


def _shown(cut: Cut) -> str:
    return " | ".join(map(dotted, cut.pieces))


def _cuts_caption(found: Sequence[Cut]) -> str:
    best = found[0]
    said = f"{_shown(best)} has the largest sum, {signed(best.total)} nats"
    if len(found) == 1:
        return f"{said}; there is no other way to cut it."
    behind = best.total - found[1].total
    times = math.exp(min(behind, 700.0))
    less = f"{number(times)} times" if times < 1000 else f"e^{number(behind)} times"
    if not behind:
        return f"{said}; {_shown(found[1])} has the same, and the longer last piece is taken."
    return f"{said}; the next, {_shown(found[1])}, is {number(behind)} nats behind: {less} less probable."


def _cuts_table(found: Sequence[Cut]) -> Table:
    return {
        "Rank": list(range(1, len(found) + 1)),
        "Cut": [_shown(cut) for cut in found],
        "Scores": [" + ".join(signed(score) for score in cut.scores) for cut in found],
        "Sum (nats)": [cut.total for cut in found],
        "Behind the best (nats)": [found[0].total - cut.total for cut in found],
    }
