"""The turns of a dialogue in the order in which the model reads them, with buttons that change it.

Turns are counted from 0 here and from 1 on screen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.figures.wording import BLANK, figures, number
from pages.parts.experiments.effects import COLORS, MEANING, largest, share, ticks
from pages.shared.components import component

_TURN_BENCH = component(__file__)


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


def turn_bench(turns: Sequence[BenchTurn], speakers: Sequence[str], *, key: str, on_act: Callable[[], None]) -> None:
    """Draw the turns in the order in which the model reads them, with buttons that change it.

    Args:
        turns: in that order; deleted ones and those that were not read stand where they would be.
        speakers: all names of the original dialogue, by first turn.
        key: of the component; `st.session_state[key].act` is {turn, action} inside `on_act`: the index of the turn and
            "delete", "restore", "mask", "unmask", "swap" (to `next_speaker`), "up" or "down".
        on_act: called when a button was pressed.
    """
    _TURN_BENCH(key=key, data=bench_data(turns, speakers), on_act_change=on_act)


def bench_data(turns: Sequence[BenchTurn], speakers: Sequence[str]) -> dict[str, Any]:
    """What the bench's script draws; raises ValueError if a speaker is not one of `speakers`."""
    named = {name for turn in turns for name in (turn.speaker, turn.said_by) if name is not None}
    if not named <= set(speakers):
        strange = ", ".join(sorted(named - set(speakers)))
        raise ValueError(f"speakers must name everyone who speaks. Received: {list(speakers)} without {strange}")
    limit = largest(turn.drop for turn in turns)
    order = [turn.index for turn in turns if turn.read and turn.state != "deleted"]
    heard = [turn.index for turn in turns if turn.read and not turn.state]
    return {
        "turns": [_bench_row(turn, speakers, order, heard, limit) for turn in turns],
        "colors": COLORS,
        "scale": ticks(limit) if any(turn.drop is not None for turn in turns) else None,
        "meaning": MEANING,
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
    effect = "more" if drop < 0 else "less"
    return {
        "text": ("+" if round(drop, 2) > 0 else "") + number(drop),
        "share": share(drop, limit),
        "tip": f"Without turn {turn.index + 1} the summary is {effect} probable, by {figures(abs(drop))}{BLANK}nats.",
    }
