"""A text and the tokens that tokenizers make of it, turn by turn: a token on one side marks its place on all others.

A folder holds the style sheet and the script of the component; `experiment_views.js` the tooltips and arrow keys.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.text.dialogue import Dialogue, Turn
from core.trace import Token
from pages.shared.components import component

_TOKEN_CHIPS = component(__file__)

Place = tuple[int, int]
"""A chip: its line, and its place there."""


@dataclass(frozen=True)
class Chip:
    """One token to be drawn.

    Args:
        text: of the token.
        id: of the token.
        kind: "mark" for [TURN] and the like, "tag" for a speaker, "unknown", "part" for bytes that are no whole
            character, or "" for any other.
        tip: what is said about it.
    """

    text: str
    id: int
    kind: Literal["", "mark", "tag", "unknown", "part"]
    tip: str


@dataclass(frozen=True)
class Line:
    """What one tokenizer makes of the text.

    Args:
        name: of the tokenizer.
        tokens: with their places in the text and their turns.
        chips: one for each token.
    """

    name: str
    tokens: Sequence[Token]
    chips: Sequence[Chip]


def token_chips(
    dialogue: Dialogue, lines: Sequence[Line], end: int, chosen: Place | None, *, key: str, on_pick: Callable[[], None]
) -> None:
    """Draw the turns of a text with the tokens of each tokenizer below.

    Args:
        dialogue: the text.
        lines: of the tokenizers.
        end: character at which the picture ends.
        chosen: the locked chip, or None.
        key: of the component; `st.session_state[key].pick` is {line, index} inside `on_pick`, -1 twice for none.
        on_pick: called when a chip was locked or released.
    """
    _TOKEN_CHIPS(key=key, data=chips_data(dialogue, lines, end, chosen), on_pick_change=on_pick)


def chips_data(dialogue: Dialogue, lines: Sequence[Line], end: int, chosen: Place | None) -> dict[str, Any]:
    """What the script draws; a segment is a text and, for each line, the places of the tokens that hold it."""
    speakers = {name: number for number, name in enumerate(dialogue.speakers)}
    members: list[dict[int, list[int]]] = [{} for _ in lines]
    for line, of_turn in zip(lines, members, strict=True):
        for place, token in enumerate(line.tokens):
            if token.turn is not None and token.start <= end:
                of_turn.setdefault(token.turn, []).append(place)
    turns = []
    for turn in dialogue.turns:
        if turn.index and min(turn.label or (turn.start,)) >= end:
            break
        places = [of_turn.get(turn.index, []) for of_turn in members]
        label, body = _segments(dialogue, turn, lines, places, end)
        turns.append(
            {
                "number": turn.index + 1,
                "speaker": -1 if turn.speaker is None else speakers[turn.speaker],
                "label": label,
                "body": body,
                "chips": [
                    [_chip(lines[line].chips[place], place) for place in there] for line, there in enumerate(places)
                ],
            }
        )
    return {"lines": [line.name for line in lines], "turns": turns, "chosen": chosen}


def _chip(chip: Chip, place: int) -> list[Any]:
    return [place, chip.text, chip.id, chip.kind, chip.tip]


def _segments(
    dialogue: Dialogue, turn: Turn, lines: Sequence[Line], places: Sequence[Sequence[int]], end: int
) -> tuple[list[Any], list[Any]]:
    """The speaker's name and the spoken text, cut wherever a token of any line begins or ends."""
    regions = [turn.label or (0, 0), (turn.start, min(turn.end, end))]
    found = []
    for first, last in regions:
        inside = [
            (line, place, lines[line].tokens[place])
            for line, there in enumerate(places)
            for place in there
            if first <= lines[line].tokens[place].start < lines[line].tokens[place].end <= last
        ]
        cuts = sorted({first, last, *(edge for _, _, token in inside for edge in (token.start, token.end))})
        holders: list[list[list[int]]] = [[[] for _ in lines] for _ in cuts[1:]]
        for line, place, token in inside:
            for segment in range(bisect_left(cuts, token.start), bisect_left(cuts, token.end)):
                holders[segment][line].append(place)
        texts = [dialogue.text[start:stop] for start, stop in zip(cuts, cuts[1:], strict=False)]
        found.append([[text, *held] for text, held in zip(texts, holders, strict=True)])
    return found[0], found[1]
