"""The checkpoint and the decoding settings that all pages share, as fields of a link."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from core import checkpoints
from core.config import DecodeSettings, NetworkConfig
from core.errors import CheckpointError
from core.words import later, say
from pages.shared.session import notices
from pages.shared.session.fields import Choice, Field, Number

TRAINED = "trained_here"
"""Session key: the trainings that this session began; each has a `name` once it is a checkpoint."""
CHECKPOINT = Choice("checkpoint", lambda: checkpoints.installed(), default="none")
STRATEGY = Choice("strategy", {"greedy": later("Greedy"), "beam": later("Beam"), "sample": later("Sample")})
IN_SENTENCE = {"greedy": later("greedy"), "beam": later("beam"), "sample": later("sample")}
"""What a strategy is called in a sentence, to be said."""
TRUNCATION = Choice(
    "truncation",
    {
        "start": later("Leave out the start"),
        "middle": later("Leave out the middle"),
        "end": later("Leave out the end"),
        "error": later("Refuse it"),
    },
)
WORDS = Choice("words", {"whole": later("Kept whole"), "free": later("Free")})
BEAM = Number("beam", 1, "beam_size", 4)
PENALTY = Number("penalty", 0.0, 3.0, 1.0, 0.1)
TEMPERATURE = Number("temperature", 0.1, 2.0, 1.0, 0.1)
TOP_K = Number("top_k", 0, 100, 0)
TOP_P = Number("top_p", 0.05, 1.0, 1.0, 0.05)
SEED = Number("seed", 0, 9999, 0)
MAX_TOKENS = Number("max_tokens", 5, "new_tokens", 96)
NO_REPEAT = Number("no_repeat", 0, 6, 3)
NUMBERS: dict[str, Number] = {
    "beam_size": BEAM,
    "length_penalty": PENALTY,
    "temperature": TEMPERATURE,
    "top_k": TOP_K,
    "top_p": TOP_P,
    "seed": SEED,
    "max_tokens": MAX_TOKENS,
    "no_repeat_ngram": NO_REPEAT,
}
"""The numeric settings, by their names in DecodeSettings."""
OF_STRATEGY: dict[str, tuple[Number, ...]] = {
    "greedy": (MAX_TOKENS, NO_REPEAT),
    "beam": (BEAM, PENALTY, MAX_TOKENS, NO_REPEAT),
    "sample": (TEMPERATURE, TOP_K, TOP_P, SEED, MAX_TOKENS, NO_REPEAT),
}
"""The numeric settings that matter for each strategy."""
FIELDS: tuple[Field[Any], ...] = (CHECKPOINT, STRATEGY, TRUNCATION, WORDS, *NUMBERS.values())


def available() -> list[str]:
    """Return the checkpoints that this session can choose: installed ones, its own trainings, what a link named."""
    mine = {training.name for training in st.session_state.get(TRAINED, ())} | {CHECKPOINT.value}
    return [name for name in checkpoints.installed() if name not in checkpoints.added() or name in mine]


def compared_first(names: Iterable[str]) -> list[str]:
    """Return checkpoints to compare, ours of one task and data in front: with and without a pre-trained encoder."""
    return sorted(names, key=lambda name: name not in ("dialoscope", "dialoscope-scratch"))


def usual() -> str:
    """Return the checkpoint of a first visit, the first that is installed; raises CheckpointError if none is."""
    names = checkpoints.installed()
    if not names:
        raise CheckpointError(
            "no checkpoint is installed: the folder checkpoints/ is empty. Train one, see docs/training.md"
        )
    return names[0]


def checkpoint() -> str:
    """Return the chosen checkpoint, or the first that is installed; raises CheckpointError if none is."""
    first, chosen = usual(), CHECKPOINT.value
    if chosen in checkpoints.installed():
        return chosen
    if chosen != CHECKPOINT.default:  # trained in the page, and removed since
        gone = repr(str(chosen)[:40])
        notices.note(say("The checkpoint {gone} is not there any more: this is {name}.", gone=gone, name=first))
        for field in FIELDS:
            st.session_state.pop(field.name, None)
    return first


def config() -> NetworkConfig:
    """Return the settings of the chosen checkpoint's network; raises CheckpointError."""
    return checkpoints.read_config(checkpoint())


def of_card(name: str) -> DecodeSettings:
    """Return the decoding settings that a checkpoint's card names."""
    return checkpoints.card_decoding(checkpoints.read_card(name))


def defaults(name: str) -> dict[str, Any]:
    """Return the value of every field that a link does not name, for a checkpoint.

    Of one whose card is damaged it is the project's own, so that the sidebar is there to choose another checkpoint.
    """
    try:
        settings = of_card(name)
    except CheckpointError:  # the sidebar reads the card, too, and says what is wrong
        settings = DecodeSettings()
    return {
        CHECKPOINT.name: checkpoints.installed()[0],
        STRATEGY.name: settings.strategy,
        TRUNCATION.name: settings.truncation,
        WORDS.name: WORDS.options[not settings.whole_words],
        **{field.name: field.clamp(getattr(settings, setting)) for setting, field in NUMBERS.items()},
    }


def restore() -> None:
    """Go back to the settings that the checkpoint's card names; for a callback."""
    values = defaults(checkpoint())
    st.session_state.update({field.name: values[field.name] for field in FIELDS if field is not CHECKPOINT})


def settings() -> DecodeSettings:
    """Return the decoding settings; those that do not matter for the strategy stay as the card names them."""
    base = of_card(CHECKPOINT.value)
    chosen: dict[str, Any] = {"strategy": STRATEGY.value, "truncation": TRUNCATION.value}
    for name, field in NUMBERS.items():
        if field in OF_STRATEGY[STRATEGY.value]:
            chosen[name] = type(field.low)(field.value)
    chosen["whole_words"] = WORDS.value == "whole"
    chosen["min_tokens"] = min(base.min_tokens, chosen["max_tokens"] - 1)
    return base.replace(**chosen)
