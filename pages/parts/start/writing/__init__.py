"""A summary that is written token by token, beside the turns that are read for each token."""

from dataclasses import asdict
from typing import Any

from core import checkpoints
from core.evaluation.opening import Opening
from core.figures.shared import readings, shades
from core.words import say
from pages.shared.components import component

writing = component(__file__, see={"page": str, "step": int})
"""It plays by itself until somebody steps or pauses. `on_see_change` is called when somebody asks to see a step on
another page: `st.session_state[key].see` is {page, step} then, the step from 0."""


def heading(name: str) -> str:
    """Say who wrote the summary; only a model that does not come with the app is named."""
    if checkpoints.is_shipped(name):
        return say("Summary, written earlier by our small model")
    return say("Summary, written earlier by {model}", model=name)


def writing_data(name: str, found: Opening, weights: str) -> dict[str, Any]:
    """Return what the script draws; `name` is the checkpoint's, `weights` the hash of its weights, for a tooltip."""
    steps, count = found.readings, len(found.readings)
    pieces, tail = shades.pieces(found.summary, [each.token for each in steps])
    speakers = {name: number for number, name in enumerate(found.dialogue.speakers)}
    return {
        "turns": [
            {"name": turn.speaker or "", "speaker": speakers.get(turn.speaker or "", -1), "text": turn.text}
            for turn in found.dialogue.turns
        ],
        "tokens": [
            asdict(piece)
            | {
                "probability": round(each.probability, 4),
                "shares": [round(share, 3) for share in each.shares],
                "said": readings.step(each, place, count, found.dialogue),
            }
            for place, (piece, each) in enumerate(zip(pieces, steps, strict=True))
        ],
        "tail": tail,
        "heading": heading(name),
        "weights": say("{name}, weights {hash}", name=name, hash=weights[:12]),
        "attention": readings.whose(found.attention),
    }
