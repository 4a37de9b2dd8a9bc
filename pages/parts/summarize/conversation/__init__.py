"""A dialogue as a conversation whose turns can be edited."""

from collections.abc import Sequence
from typing import Any

from core.text.dialogue import Dialogue
from pages.shared.components import component

conversation = component(__file__, edited={"index": int, "text": str})
"""`st.session_state[key].edited` is {index, text} inside `on_edited_change`, when a turn was saved."""


def conversation_data(
    dialogue: Dialogue, original: Dialogue, omitted: Sequence[int], shortened: Sequence[int]
) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        dialogue: what to draw.
        original: the same before the edits.
        omitted: turns that the model did not read.
        shortened: turns that it read in part.
    """
    speakers = {name: number for number, name in enumerate(dialogue.speakers)}
    before = [(turn.speaker, turn.text) for turn in original.turns]
    states = dict.fromkeys(shortened, "shortened") | dict.fromkeys(omitted, "omitted")
    turns = [
        {
            "index": turn.index,
            "name": turn.speaker or "",
            "speaker": -1 if turn.speaker is None else speakers[turn.speaker],
            "text": turn.text,
            "state": states.get(turn.index, ""),
            "edited": len(before) == len(dialogue.turns) and (turn.speaker, turn.text) != before[turn.index],
        }
        for turn in dialogue.turns
    ]
    return {"turns": turns, "speakers": len(speakers)}
