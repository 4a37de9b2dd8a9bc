"""The signed effect of each word on one token of the summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.figures.wording import BLANK, plain
from pages.parts.experiments.effects import COLORS, share, signed_figures, ticks
from pages.shared.components import component

_WORD_MAP = component(__file__)


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


def word_map(
    target: Sequence[MapWord],
    chosen: int,
    prefix: Sequence[float],
    dialogue: Sequence[MapTurn],
    *,
    caption_scale: float,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw what supports one token of the summary or works against it: the tokens before it and the dialogue's words.

    Args:
        target: the summary's tokens, its end too.
        chosen: index of the token that is explained.
        prefix: effect in nats of what the decoder has read: the start token, then the tokens before the chosen one.
        dialogue: its turns with the effect of each word.
        caption_scale: nats that get the full colour.
        key: of the component; `st.session_state[key].pick` is {index} inside `on_pick`.
        on_pick: called when another token was chosen.
    """
    _WORD_MAP(key=key, data=map_data(target, chosen, prefix, dialogue, caption_scale), on_pick_change=on_pick)


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
            "prefix must have a value for the start token and each token before the chosen one, "
            f"{chosen + 1} in all. Received: {len(prefix)}"
        )
    values = [*prefix[1:], *[None] * (len(target) - chosen)]
    name = _named(target[chosen])

    def token(index: int, word: MapWord, value: float | None) -> dict[str, Any]:
        fate = "the chosen token" if index == chosen else f"not written yet when the model chose {name}"
        place = word.text.capitalize() if word.special else f"{_named(word)} in the summary"
        return _word(word, value, caption_scale, place, fate)

    return {
        "start": _word(MapWord("start", special=True), prefix[0], caption_scale, "The start token", ""),
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
        "scale": ticks(caption_scale),
        "meaning": f"Effect in nats, one scale: supports {name} (+, orange) or works against it (−, blue).",
    }


def _spoken(word: MapWord, turn: int, scale: float) -> dict[str, Any]:
    return _word(word, word.value, scale, f"{_named(word)}, turn {turn}", "not read by the model")


def _word(word: MapWord, value: float | None, scale: float, place: str, fate: str) -> dict[str, Any]:
    """A word with its colour; `fate` is said of one without a value."""
    return {
        "text": plain(word.text),
        "gap": word.gap,
        "special": word.special,
        "share": share(value, scale),
        "tip": f"{place}: {fate}" if value is None else f"{place}: {signed_figures(value)}{BLANK}nats",
    }


def _named(word: MapWord) -> str:
    return word.text if word.special else f"“{plain(word.text)}”"
