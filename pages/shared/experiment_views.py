"""Experiments on a page: heads as switches, the turns of a dialogue on a bench, the signed effect of each word.

Each is a folder with a style sheet and a script; `experiment_views.js` holds what the scripts share. In every picture
orange is positive (the summary needs it) and blue negative (it is in the way), on one scale around 0, in nats.
Layers, heads and turns are counted from 0 here and from 1 on screen.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from core.explain.inside import Kind
from pages.shared.components import HERE, component
from pages.shared.experiment_data import (
    BenchTurn,
    MapTurn,
    MapWord,
    Place,
    bench_data,
    map_data,
    next_speaker,
    switches_data,
)

__all__ = ["BenchTurn", "MapTurn", "MapWord", "Place", "head_switches", "next_speaker", "turn_bench", "word_map"]

SHARED = HERE / "experiment_views.js"

_HEAD_SWITCHES = component("head_switches", shared=SHARED)
_TURN_BENCH = component("turn_bench", shared=SHARED)
_WORD_MAP = component("word_map", shared=SHARED)


def head_switches(
    damage: Mapping[Place, float | None],
    off: Collection[Place],
    shape: Mapping[Kind, tuple[int, int]],
    *,
    tags: Mapping[Place, str] | None,
    key: str,
    on_flip: Callable[[], None],
) -> None:
    """Draw every head as a switch, coloured by the damage that its loss alone does.

    Args:
        damage: nats a token that the summary loses without a head; None or missing: not measured yet.
        off: heads that are switched off.
        shape: layers and heads of each kind that the model has.
        tags: what a head resembles ("copy"), or None.
        key: of the component; `st.session_state[key].flip` is {kind, layer, head} inside `on_flip`. If head is None,
            the whole layer is meant: all its heads go off, or on again if all are off.
        on_flip: called when someone wants a head or a layer flipped.
    """
    _HEAD_SWITCHES(key=key, data=switches_data(damage, off, shape, tags), on_flip_change=on_flip)


def turn_bench(
    turns: Sequence[BenchTurn], speakers: Sequence[str], *, key: str, on_act: Callable[[], None]
) -> None:
    """Draw the turns in the order in which the model reads them, with buttons that change it.

    Args:
        turns: in that order; deleted ones and those that were not read stand where they would be.
        speakers: all names of the original dialogue, by first turn.
        key: of the component; `st.session_state[key].act` is {turn, action} inside `on_act`: the index of the turn and
            "delete", "restore", "mask", "unmask", "swap" (to `next_speaker`), "up" or "down".
        on_act: called when a button was pressed.
    """
    _TURN_BENCH(key=key, data=bench_data(turns, speakers), on_act_change=on_act)


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
    """Draw what makes one token of the summary more or less likely: the tokens before it and the dialogue's words.

    Args:
        target: the summary's tokens, its end too.
        chosen: index of the token that is explained.
        prefix: effect in nats of what the decoder has read: the start mark, then the tokens before the chosen one.
        dialogue: its turns with the effect of each word.
        caption_scale: nats that get the full colour.
        key: of the component; `st.session_state[key].pick` is {index} inside `on_pick`.
        on_pick: called when another token was chosen.
    """
    _WORD_MAP(key=key, data=map_data(target, chosen, prefix, dialogue, caption_scale), on_pick_change=on_pick)
