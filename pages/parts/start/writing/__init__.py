"""A summary that is written token by token, beside the turns that are read for each token."""

from dataclasses import asdict
from typing import Any

from core import checkpoints
from core.experiments.start.forward_pass import NUMBERS
from core.experiments.start.opening import Opening
from core.figures.shared import card_facts, readings, shades
from core.figures.shared.wording import count as count_of
from core.words import say
from pages.shared.components import component

writing = component(__file__, see={"part": str, "step": int})
"""It plays by itself until somebody steps or pauses. `on_see_change` is called when somebody asks to see a step on
another page: `st.session_state[key].see` is {part, step} then: a part of the network, and the step from 0."""


def heading(name: str) -> str:
    """Say who wrote the summary; only a model that does not come with the app is named."""
    if checkpoints.is_shipped(name):
        return say("Summary, written earlier by our small model")
    return say("Summary, written earlier by {model}", model=name)


def _stations(kept: Opening) -> dict[str, Any]:
    """Return what the picture of the whole shows: the network's sizes, and each step's way through it."""
    if kept.network is None:
        return {"network": None}
    sizes, count = kept.network, len(kept.dialogue.turns)
    layers = count_of(sizes.encoder, "layer"), count_of(sizes.decoder, "layer")
    return {
        "network": {
            "turns": count_of(count, "turn"),
            "tokens": count_of(sizes.source, "token"),
            "numbers": say("{width} numbers a token, the first {shown}", width=sizes.width, shown=NUMBERS),
            "encoder": layers[0],
            "decoder": layers[1],
            "words": say("{count:,} tokens to choose from", count=sizes.vocabulary),
        },
        "passes": [asdict(forward_pass) for forward_pass in kept.passes],
    }


def writing_data(name: str, kept: Opening, weights: str) -> dict[str, Any]:
    """Return what the script draws, its numbers those of the sentences.

    `name` is the checkpoint's, `weights` the hash of its weights, for a tooltip.
    """
    steps, count = kept.readings, len(kept.readings)
    pieces, tail = shades.pieces(kept.summary, [reading.token for reading in steps])
    speakers = {name: number for number, name in enumerate(kept.dialogue.speakers)}
    return {
        "turns": [
            {"name": turn.speaker or "", "speaker": speakers.get(turn.speaker or "", -1), "text": turn.text}
            for turn in kept.dialogue.turns
        ],
        "tokens": [
            asdict(piece)
            | {
                "probability": reading.probability,
                "shares": reading.shares,
                "said": readings.step(reading, place, count, kept.dialogue),
            }
            for place, (piece, reading) in enumerate(zip(pieces, steps, strict=True))
        ],
        "tail": tail,
        "heading": heading(name) if kept.example else say("Summary, written by {model}", model=name),
        "warning": say(card_facts.OFTEN_WRONG),
        "weights": say("{name}, weights {hash}", name=name, hash=weights[:12]),
        "attention": readings.whose(kept.attention),
    } | _stations(kept)
