"""What the views of experiments draw: heads and their damage, turns and what can be done with them, words' effects.

Numbers are nats. Layers, heads and turns are counted from 0 here and from 1 in texts.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.explain.inside import Kind
from core.figures.palette import BLUE, ORANGE
from core.figures.wording import BLANK, number, plain
from pages.shared.attention_data import NAMES, head_name
from pages.shared.head_sums import figures

Place = tuple[Kind, int, int]
"""A head: its kind of attention, layer and head."""

COLORS = (BLUE, ORANGE)
"""Of negative and positive numbers."""
DAMAGE = (
    "Nats a token when this head alone is off: orange, the summary loses log-probability; blue, it gains. "
    "The same scale for all heads."
)
DROP = (
    "Bars: nats by which the summary's log-probability falls without the turn (orange, to the right) or rises "
    "(blue, to the left)."
)
GRIDS: dict[Kind, str] = {"encoder": "Encoder self", "decoder": "Decoder self", "cross": "Cross"}


@dataclass(frozen=True)
class BenchTurn:
    """A turn on the bench.

    Args:
        index: of the turn in the original dialogue.
        speaker: who says it there, or None.
        text: what is said.
        state: "deleted", "masked", or "" for neither.
        moved: whether it stands in another place than in the original.
        said_by: who says it instead, or None.
        read: False for a turn that truncation left out; nothing can be done with it.
        drop: nats that the summary's log-probability falls without the turn, or None if nobody measured it.
    """

    index: int
    speaker: str | None
    text: str
    state: Literal["", "deleted", "masked"] = ""
    moved: bool = False
    said_by: str | None = None
    read: bool = True
    drop: float | None = None


@dataclass(frozen=True)
class MapWord:
    """A word of the dialogue or a token of the summary.

    Args:
        text: without blanks around it.
        gap: what stands between it and the one before.
        value: its effect in nats; None: the model did not read it. Not used of a token of the summary.
        special: whether it is a mark ("the end") and no word of the text.
    """

    text: str
    gap: str = ""
    value: float | None = None
    special: bool = False


@dataclass(frozen=True)
class MapTurn:
    """A turn of the dialogue: its number from 1, its speaker if the words do not name one, its words."""

    number: int
    speaker: str | None
    words: Sequence[MapWord]


def switches_data(
    damage: Mapping[Place, float | None],
    off: Collection[Place],
    shape: Mapping[Kind, tuple[int, int]],
    tags: Mapping[Place, str] | None,
) -> dict[str, Any]:
    """What the switches' script draws; raises ValueError if a head is named that the model does not have."""
    kinds = [kind for kind in GRIDS if kind in shape]
    places = [(kind, layer, head) for kind in kinds for layer, head in np.ndindex(*shape[kind])]
    strange = [place for place in (*damage, *off) if place not in places]
    if strange:
        raise ValueError(f"heads must be inside {dict(shape)}. Received: {strange[0]}")
    limit = _largest(damage.values())
    measured = [place for place in places if damage.get(place) is not None]

    def cell(place: Place) -> dict[str, Any]:
        value = damage.get(place)
        return {
            "on": place not in off,
            "share": _share(value, limit),
            "text": "·" if value is None else number(value),
            "tip": _head_tip(place, place not in off, value, (tags or {}).get(place)),
        }

    def row(kind: Kind, layer: int) -> dict[str, Any]:
        heads = [(kind, layer, head) for head in range(shape[kind][1])]
        dark = sum(place in off for place in heads)
        action = "on again" if dark == len(heads) else "off"
        return {
            "name": f"Layer {layer + 1}",
            "pressed": "false" if dark == len(heads) else "mixed" if dark else "true",
            "tip": f"{NAMES[kind]}, layer {layer + 1}: switch all its heads {action}",
            "cells": [cell(place) for place in heads],
        }

    def grid(kind: Kind) -> dict[str, Any]:
        rows = [row(kind, layer) for layer in range(shape[kind][0])]
        return {"kind": kind, "title": GRIDS[kind], "heads": shape[kind][1], "rows": rows}

    return {
        "grids": [grid(kind) for kind in kinds],
        "colors": COLORS,
        "scale": _ticks(limit) if measured else None,
        "meaning": DAMAGE if measured else "",
        "unmeasured": "not measured yet" if len(measured) < len(places) else "",
        "crossed": "crossed out: switched off",
    }


def _head_tip(place: Place, on: bool, value: float | None, tag: str | None) -> str:
    kind, layer, head = place
    if value is None:
        effect = "Its damage is not measured yet."
    elif value < 0:
        effect = f"Without it alone the summary gains {figures(-value)}{BLANK}nats a token."
    else:
        effect = f"Alone it costs {figures(value)}{BLANK}nats a token."
    likeness = f" It resembles: {tag}." if tag else ""
    return f"{NAMES[kind]}, {head_name(layer, head)}: {'on' if on else 'off'}. {effect}{likeness}"


def bench_data(turns: Sequence[BenchTurn], speakers: Sequence[str]) -> dict[str, Any]:
    """What the bench's script draws; raises ValueError if a speaker is not one of `speakers`."""
    named = {name for turn in turns for name in (turn.speaker, turn.said_by) if name is not None}
    if not named <= set(speakers):
        strange = ", ".join(sorted(named - set(speakers)))
        raise ValueError(f"speakers must name everyone who speaks. Received: {list(speakers)} without {strange}")
    limit = _largest(turn.drop for turn in turns)
    order = [turn.index for turn in turns if turn.read and turn.state != "deleted"]
    heard = [turn.index for turn in turns if turn.read and not turn.state]
    return {
        "turns": [_bench_row(turn, speakers, order, heard, limit) for turn in turns],
        "colors": COLORS,
        "scale": _ticks(limit) if any(turn.drop is not None for turn in turns) else None,
        "meaning": DROP,
    }


def _bench_row(
    turn: BenchTurn, speakers: Sequence[str], order: Sequence[int], heard: Sequence[int], limit: float
) -> dict[str, Any]:
    marks = [turn.state, "moved" if turn.moved else "", f"said by {turn.said_by}" if turn.said_by else ""]
    name = turn.said_by or turn.speaker
    return {
        "turn": turn.index,
        "number": turn.index + 1,
        "name": name or "",
        "speaker": -1 if name is None else speakers.index(name),
        "was": (turn.speaker or "") if turn.said_by else "",
        "text": turn.text,
        "state": turn.state if turn.read else "unread",
        "marks": [mark for mark in marks if mark] if turn.read else ["not read by the model"],
        "actions": _actions(turn, speakers, order, heard) if turn.read else [],
        "drop": None if turn.drop is None else _drop(turn, turn.drop, limit),
    }


def _actions(
    turn: BenchTurn, speakers: Sequence[str], order: Sequence[int], heard: Sequence[int]
) -> list[dict[str, Any]]:
    """The buttons of a turn; the last turn that is heard must stay, and the first of all cannot go up."""
    name, last = f"turn {turn.index + 1}", list(heard) == [turn.index]
    if turn.state == "deleted":
        return [_action("restore", f"Bring {name} back")]
    stays = f"{name.capitalize()} stays: the model needs something to read"
    found = [_action("delete", stays if last else f"Delete {name}", not last)]
    if turn.state == "masked":
        found.append(_action("unmask", f"Unmask {name}"))
    else:
        found.append(_action("mask", stays if last else f"Mask {name}: it keeps its place, unseen", not last))
    other = next_speaker(turn, speakers)
    if other is not None:
        found.append(_action("swap", f"Let {other} say {name}{' again' if other == turn.speaker else ''}"))
    found.append(_action("up", f"Move {name} up", turn.index != order[0]))
    found.append(_action("down", f"Move {name} down", turn.index != order[-1]))
    return found


def _action(action: str, tip: str, able: bool = True) -> dict[str, Any]:
    return {"action": action, "tip": tip, "able": able}


def next_speaker(turn: BenchTurn, speakers: Sequence[str]) -> str | None:
    """Who says a turn after a swap: the speaker after the one who says it now; None if there is no other."""
    name = turn.said_by or turn.speaker
    return None if name is None or len(speakers) < 2 else speakers[(speakers.index(name) + 1) % len(speakers)]


def _drop(turn: BenchTurn, drop: float, limit: float) -> dict[str, Any]:
    effect = f"gains {figures(-drop)}" if drop < 0 else f"loses {figures(drop)}"
    return {
        "text": ("+" if round(drop, 2) > 0 else "") + number(drop),
        "share": _share(drop, limit),
        "tip": f"Without turn {turn.index + 1} the summary {effect}{BLANK}nats.",
    }


def map_data(
    target: Sequence[MapWord],
    chosen: int,
    prefix: Sequence[float],
    dialogue: Sequence[MapTurn],
    caption_scale: float,
) -> dict[str, Any]:
    """What the map's script draws; raises ValueError if the token or the number of prefix values does not fit."""
    if not 0 <= chosen < len(target):
        raise ValueError(f"chosen must be one of {len(target)} tokens. Received: {chosen}")
    if len(prefix) != chosen + 1:
        raise ValueError(
            "prefix must have a value for the start mark and each token before the chosen one, "
            f"{chosen + 1} in all. Received: {len(prefix)}"
        )
    values = [*prefix[1:], *[None] * (len(target) - chosen)]
    name = _named(target[chosen])

    def token(index: int, word: MapWord, value: float | None) -> dict[str, Any]:
        fate = "the chosen token" if index == chosen else f"not written yet when the model chose {name}"
        place = word.text.capitalize() if word.special else f"{_named(word)} in the summary"
        return _word(word, value, caption_scale, place, fate)

    return {
        "start": _word(MapWord("start", special=True), prefix[0], caption_scale, "The start mark", ""),
        "target": [token(index, word, values[index]) for index, word in enumerate(target)],
        "chosen": chosen,
        "turns": [
            {
                "number": turn.number,
                "name": turn.speaker or "",
                "words": [_spoken(word, turn.number, caption_scale) for word in turn.words],
            }
            for turn in dialogue
        ],
        "colors": COLORS,
        "scale": _ticks(caption_scale),
        "meaning": f"Nats: orange makes {name} more likely, blue less. The same scale for all words.",
    }


def _spoken(word: MapWord, turn: int, scale: float) -> dict[str, Any]:
    return _word(word, word.value, scale, f"{_named(word)}, turn {turn}", "not read by the model")


def _word(word: MapWord, value: float | None, scale: float, place: str, fate: str) -> dict[str, Any]:
    """A word with its colour; `fate` is said of one without a value."""
    return {
        "text": plain(word.text),
        "gap": word.gap,
        "special": word.special,
        "share": _share(value, scale),
        "tip": f"{place}: {fate}" if value is None else f"{place}: {_signed(value)}{BLANK}nats",
    }


def _named(word: MapWord) -> str:
    return word.text if word.special else f"“{plain(word.text)}”"


def _largest(values: Iterable[float | None]) -> float:
    return max((abs(value) for value in values if value is not None), default=0.0)


def _share(value: float | None, limit: float) -> float | None:
    """A value's part of the scale, -1 to 1; None without a value."""
    if value is None:
        return None
    return round(min(max(value / limit, -1.0), 1.0), 4) if limit else 0.0


def _signed(value: float) -> str:
    return ("+" if value >= 5e-7 else "") + figures(value)


def _ticks(limit: float) -> list[str]:
    """The numbers at the ends and in the middle of a scale."""
    return [_signed(-limit), "0", _signed(limit)] if limit else ["0", "0", "0"]
