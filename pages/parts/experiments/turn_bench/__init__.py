"""The turns of a dialogue in the order in which the model reads them, with buttons that change it.

Turns are counted from 0 here and from 1 on screen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.figures.experiments.effect_scale import COLORS, MEANING, largest, share, ticks
from core.figures.shared.wording import figures, signed
from core.text.arrangement import ArrangedTurn, next_speaker
from core.words import later, say
from pages.shared.components import component

turn_bench = component(__file__, act={"turn": int, "action": str})
"""`st.session_state[key].act` is {turn, action} inside `on_act_change`, when a button was pressed: the turn's index and
"delete", "restore", "mask", "unmask", "swap" (to `next_speaker`), "up" or "down"."""

STATES = {"deleted": later("deleted"), "masked": later("masked")}


def bench_data(turns: Sequence[ArrangedTurn], speakers: Sequence[str], drops: Mapping[int, float]) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        turns: in the order in which the model reads them; deleted and unread ones stand where they would be.
        speakers: all names of the original dialogue, by first turn.
        drops: nats that the summary's log-probability falls without a turn, of those that were measured.

    Raises:
        ValueError: a speaker is not one of `speakers`.
    """
    named = {name for turn in turns for name in (turn.speaker, turn.said_by) if name is not None}
    if not named <= set(speakers):
        strange = ", ".join(sorted(named - set(speakers)))
        raise ValueError(f"speakers must name everyone who speaks. Received: {list(speakers)} without {strange}")
    limit = largest(drops.values())
    order = [turn.index for turn in turns if turn.read and turn.state != "deleted"]
    heard = [turn.index for turn in turns if turn.read and not turn.state]
    return {
        "turns": [_row(turn, speakers, order, heard) | {"drop": _drop(turn, drops, limit)} for turn in turns],
        "colors": COLORS,
        "scale": ticks(limit) if drops else None,
        "meaning": say(MEANING),
    }


def _row(turn: ArrangedTurn, speakers: Sequence[str], order: Sequence[int], heard: Sequence[int]) -> dict[str, Any]:
    marks = [say(STATES[turn.state])] if turn.state else []
    marks += [say("moved")] if turn.moved else []
    marks += [say("said by {speaker}", speaker=turn.said_by)] if turn.said_by else []
    name = turn.said_by or turn.speaker
    return {
        "turn": turn.index,
        "number": turn.index + 1,
        "name": name or "",
        "speaker": -1 if name is None else speakers.index(name),
        "was": (turn.speaker or "") if turn.said_by else "",
        "text": turn.text,
        "state": turn.state if turn.read else "unread",
        "marks": marks if turn.read else [say("not read by the model")],
        "actions": _actions(turn, speakers, order, heard) if turn.read else [],
    }


def _actions(
    turn: ArrangedTurn, speakers: Sequence[str], order: Sequence[int], heard: Sequence[int]
) -> list[dict[str, Any]]:
    """The buttons of a turn; the last turn that is heard must stay, and the first of all cannot go up."""
    number, last = turn.index + 1, list(heard) == [turn.index]
    if turn.state == "deleted":
        return [_action("restore", say("Bring turn {turn} back", turn=number))]
    stays = say("Turn {turn} stays: the model needs something to read", turn=number)
    buttons = [_action("delete", stays if last else say("Delete turn {turn}", turn=number), not last)]
    if turn.state == "masked":
        buttons.append(_action("unmask", say("Unmask turn {turn}", turn=number)))
    else:
        mask = say("Mask turn {turn}: it keeps its place, unseen", turn=number)
        buttons.append(_action("mask", stays if last else mask, not last))
    other = next_speaker(turn, speakers)
    if other is not None and other == turn.speaker:
        buttons.append(_action("swap", say("Give turn {turn} back to {speaker}", speaker=other, turn=number)))
    elif other is not None:
        buttons.append(_action("swap", say("Let {speaker} say turn {turn}", speaker=other, turn=number)))
    buttons.append(_action("up", say("Move turn {turn} up", turn=number), turn.index != order[0]))
    buttons.append(_action("down", say("Move turn {turn} down", turn=number), turn.index != order[-1]))
    return buttons


def _action(action: str, tip: str, able: bool = True) -> dict[str, Any]:
    return {"action": action, "tip": tip, "able": able}


def _drop(turn: ArrangedTurn, drops: Mapping[int, float], limit: float) -> dict[str, Any] | None:
    drop = drops.get(turn.index)
    if drop is None:
        return None
    size = {"turn": turn.index + 1, "size": figures(abs(drop))}
    return {
        "text": signed(drop),
        "share": share(drop, limit),
        "tip": say("Without turn {turn} the summary is more probable, by {size}\u00a0nats.", **size)
        if drop < 0
        else say("Without turn {turn} the summary is less probable, by {size}\u00a0nats.", **size),
    }
