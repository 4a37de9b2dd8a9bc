"""The signed effect of each word on one token of the summary."""

from collections.abc import Sequence
from typing import Any

from core.experiments.word_effects import TurnWords, WordEffect
from core.figures.experiments.effect_scale import COLORS, share, signed_figures, ticks
from core.figures.shared.wording import capital, plain
from core.words import say
from pages.shared.components import component

word_map = component(__file__, pick={"index": int})
"""`st.session_state[key].pick` is {index} inside `on_pick_change`, when another token was chosen."""


def map_data(
    target: Sequence[WordEffect],
    chosen: int,
    prefix: Sequence[float],
    dialogue: Sequence[TurnWords],
    caption_scale: float,
) -> dict[str, Any]:
    """Return what the script draws: what supports one token of the summary or works against it.

    Args:
        target: the summary's tokens, its end too.
        chosen: index of the token that is explained.
        prefix: effect in nats of what the decoder has read: the start token, then the tokens before the chosen one.
        dialogue: its turns with the effect of each word.
        caption_scale: nats that get the full colour.

    Raises:
        ValueError: the token or the number of prefix values does not fit.
    """
    if not 0 <= chosen < len(target):
        raise ValueError(f"chosen must be one of {len(target)} tokens. Received: {chosen}")
    if len(prefix) != chosen + 1:
        raise ValueError(
            "prefix must have a value for the start token and each token before the chosen one, "
            f"{chosen + 1} in all. Received: {len(prefix)}"
        )
    unread = say("not read by the model")
    values = [*prefix[1:], *[None] * (len(target) - chosen)]
    name = _named(target[chosen])

    def token(index: int, word: WordEffect, value: float | None) -> dict[str, Any]:
        fate = say("not written yet when the model chose {token}", token=name)
        if index == chosen:
            fate = say("the chosen token")
        place = capital(word.text) if word.special else say("{token} in the summary", token=_named(word))
        return _word(word, value, caption_scale, place, fate)

    return {
        "start": _word(WordEffect(say("start"), special=True), prefix[0], caption_scale, say("The start token"), ""),
        "target": [token(index, word, values[index]) for index, word in enumerate(target)],
        "chosen": chosen,
        "turns": [
            {
                "number": turn.number,
                "name": turn.speaker or "",
                "words": [
                    _word(word, word.value, caption_scale, _in_turn(word, turn.number), unread) for word in turn.words
                ],
            }
            for turn in dialogue
        ],
        "colors": COLORS,
        "scale": ticks(caption_scale),
        "meaning": say(
            "Effect in nats, one scale: supports {token} (+, green) or works against it (−, purple).", token=name
        ),
    }


def _word(word: WordEffect, value: float | None, scale: float, place: str, fate: str) -> dict[str, Any]:
    """A word with its colour; `fate` is said of one without a value."""
    return {
        "text": plain(word.text),
        "gap": word.gap,
        "special": word.special,
        "share": share(value, scale),
        "tip": f"{place}: {fate}"
        if value is None
        else say("{place}: {effect}\u00a0nats", place=place, effect=signed_figures(value)),
    }


def _in_turn(word: WordEffect, turn: int) -> str:
    return say("{word}, turn {turn}", word=_named(word), turn=turn)


def _named(word: WordEffect) -> str:
    return word.text if word.special else f"“{plain(word.text)}”"
