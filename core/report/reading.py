"""The part of a report that one reads: the summary token by token, beside the dialogue that it looks at.

Shapes: T summary tokens, C columns: source tokens, or turns where the tokens would be too many.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.explain.shared import cross
from core.explain.shared.rollup import groups
from core.figures.shared import shades
from core.figures.shared.shades import Piece
from core.figures.shared.wording import count, percent, turn_ranges
from core.limits import limits
from core.report.contents import Report
from core.report.markup import Html, h, join, titled
from core.text.dialogue import Turn
from core.trace import Array, DecodingStep, Summary, Token
from core.words import later, say

UNIT = 65_535
"""The whole number that a weight of 1 travels as."""
ABOUT = later(
    "Point at a token, or use the arrow keys: what it reads in the dialogue lights up. A click or Enter locks it, "
    "Esc releases it."
)
"""In English, and translated when shown."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What the interactive part shows.

    Args:
        choices: of cross-attention, as in `core.explain.shared.cross`, the first one at the beginning.
        left_out: choices for which there was no room.
        by_turn: whether the columns are turns, because the tokens would be too many.
    """

    choices: tuple[str, ...]
    left_out: tuple[str, ...]
    by_turn: bool


def reading(report: Report) -> Reading:
    """Choose what there is room for: the heads of the report, then the mean of each layer, the last one first."""
    trace = report.summary.attention
    means = [choice for choice in cross.choices(trace) if choice.endswith(".mean")]
    wanted = list(dict.fromkeys([*report.heads, *means]))
    rows, columns, room = len(trace.target), len(trace.source), limits().report_weights
    by_turn = bool(wanted) and rows * columns > room
    if by_turn:
        columns = len(groups(trace.source, "turn"))
    fits = min(len(wanted), room // max(1, rows * columns))
    return Reading(tuple(wanted[:fits]), tuple(wanted[fits:]), by_turn)


def section(report: Report, shown: Reading) -> Html:
    """Return the summary and the dialogue."""
    summary = report.summary
    spots = _spots(summary)
    panel = h("div.panel.script", aria_live="polite", hidden=True)
    left = h("div.summary", _strip(summary), _controls(shown), panel)
    right = h("div.dialogue", _left_out(summary), _dialogue(summary, spots, shown))
    return titled("reading", h("div.two", left, right))


def data(report: Report, shown: Reading) -> dict[str, Any]:
    """Return what the script needs."""
    summary, spots = report.summary, _spots(report.summary)
    tokens = summary.source
    if shown.by_turn:
        parts = groups(tokens, "turn")
        turns, places = [_turn(part.turn) for part in parts], [-1] * len(parts)
    else:
        turns = [_turn(turn) for turn in _turns(tokens)]
        places = [spots.get(index, -1) for index in range(len(tokens))]
    strip = shades.strip_data(summary)
    return {
        "tokens": strip["tokens"],
        "weakest": strip["weakest"],
        "dialogue": summary.dialogue.text,
        "turns": turns,
        "spots": places,
        "choices": [[cross.label(choice), _packed(report.weights(choice, shown.by_turn))] for choice in shown.choices],
    }


def _packed(values: Array) -> str:
    whole = np.round(np.clip(values, 0, 1) * UNIT).astype("<u2")
    return base64.b64encode(whole.tobytes()).decode("ascii")


def _turn(turn: int | None) -> int:
    return -1 if turn is None else turn


def _turns(tokens: Sequence[Token]) -> list[int | None]:
    """Return the turn of each token; the end of the dialogue belongs to none."""
    turns: list[int | None] = [None] * len(tokens)
    for part in groups(tokens, "turn"):
        for member in part.members:
            turns[member] = part.turn
    return turns


def _spots(summary: Summary) -> dict[int, int]:
    """Return for each source token that has characters the number of the place where it is written.

    Parts of one character share the place of the first of them.
    """
    spots: dict[int, int] = {}
    written: dict[tuple[int, int], int] = {}
    for index, (token, turn) in enumerate(zip(summary.source, _turns(summary.source), strict=True)):
        if turn is not None and token.end > token.start:
            spots[index] = written.setdefault((token.start, token.end), len(written))
    return spots


def _strip(summary: Summary) -> Html:
    pieces, tail = shades.pieces(summary.text, summary.tokens)
    return join(
        h("p.strip", *map(_token, range(len(pieces)), pieces, summary.steps), tail, dir="auto"),
        h(
            "p.legend",
            say("The darker a token, the more probable it was when it was written."),
            " ",
            shades.caption(summary),
        ),
    )


def _token(place: int, piece: Piece, step: DecodingStep) -> Html:
    shown = piece.special or piece.text
    kind = "span.token.special" if piece.special else "span.token"
    gap = piece.gap or (" " if piece.special else "")
    return join(gap, h(kind, shown, data_token=place, style=f"--w:{step.probability:.3f}"))


def _controls(shown: Reading) -> Html:
    if not shown.choices:
        return h("p", say("This model has no attention: its encoder hands one vector to its decoder."))
    options = [h("option", cross.label(choice), value=place) for place, choice in enumerate(shown.choices)]
    notes = []
    if shown.by_turn:
        notes.append(say("The dialogue is so long that its tokens are not told apart here, only its turns."))
    if shown.left_out:
        heads = "; ".join(map(cross.label, shown.left_out))
        notes.append(say("Left out for lack of room: {heads}.", heads=heads))
    return h(
        "div.script",
        h("label", say("Cross-attention of"), " ", h("select", *options, id="choice")),
        h("p.legend", say(ABOUT)),
        *(h("p.legend", note) for note in notes),
        hidden=True,
    )


def _left_out(summary: Summary) -> Html | None:
    if not summary.omitted and not summary.shortened:
        return None
    values = {
        "number": len(summary.omitted),
        "turns": count(len(summary.dialogue.turns), "turn"),
        "which": turn_ranges(summary.omitted),
        "part": turn_ranges(summary.shortened),
    }
    if not summary.omitted:
        sentence = say("Too long for this model: it read only a part of turn {part}.", **values)
    elif not summary.shortened:
        sentence = say("Too long for this model: it left out {number} of {turns} ({which}).", **values)
    else:
        sentence = say(
            "Too long for this model: it left out {number} of {turns} ({which}) and read only a part of turn {part}.",
            **values,
        )
    return h("p.warning", sentence)


def _dialogue(summary: Summary, spots: dict[int, int], shown: Reading) -> Html:
    """Return the turns, each with its share of the first choice's attention, mean over the summary's tokens."""
    shares: dict[int, float] = {}
    if shown.choices:
        for part, share in zip(
            groups(summary.source, "turn"), cross.by_turn(summary, shown.choices[0]).tolist(), strict=True
        ):
            shares[_turn(part.turn)] = shares.get(_turn(part.turn), 0.0) + share
    numbers = {name: number for number, name in enumerate(summary.dialogue.speakers)}
    marks: dict[int, list[tuple[int, Token]]] = {}
    for index, turn in enumerate(_turns(summary.source)):
        if turn is not None and index in spots:
            marks.setdefault(turn, []).append((spots[index], summary.source[index]))
    rows = [_row(summary, turn, marks.get(turn.index, []), shares, numbers) for turn in summary.dialogue.turns]
    rest = shares.get(-1)
    end = h("p.rest", _share(rest, -1), say("on special tokens that belong to no turn")) if rest is not None else None
    legend = None
    if shown.choices:
        legend = h(
            "p.legend.whole",
            say(
                "Beside each turn: its share of the attention of {head}, mean over the summary.",
                head=cross.label(shown.choices[0]),
            ),
            id="whole",
        )
    return join(legend, h("ol.turns", *rows), end)


def _row(
    summary: Summary, turn: Turn, marks: Sequence[tuple[int, Token]], shares: dict[int, float], numbers: dict[str, int]
) -> Html:
    text, unread = summary.dialogue.text, turn.index in summary.omitted
    name = None
    if turn.speaker is not None:
        who = _marked(text, *turn.label, marks) if turn.label else turn.speaker
        name = h("b", who, dir="auto", class_=f"who-{numbers[turn.speaker] % 2}")
    return h(
        "li.turn.unread" if unread else "li.turn",
        h(
            "div.about",
            h("span.number", turn.index + 1),
            name,
            h("span.note", say("not read")) if unread else None,
            None if unread or not shares else _share(shares.get(turn.index, 0.0), turn.index),
        ),
        h("p.said", _marked(text, turn.start, turn.end, marks), dir="auto"),
        id=f"turn-{turn.index + 1}",
    )


def _share(share: float, turn: int) -> Html:
    return h("span.share", percent(share), data_turn=turn, style=f"--w:{share:.3f}")


def _marked(text: str, start: int, end: int, marks: Sequence[tuple[int, Token]]) -> Html:
    """Return a piece of the dialogue whose tokens can be lit."""
    parts: list[str] = []
    place = start
    for spot, token in marks:
        first, last = max(token.start, place), min(token.end, end)
        if first < last:
            parts += [text[place:first], h("span", text[first:last], data_spot=spot)]
            place = last
    return join(*parts, text[place:end])
