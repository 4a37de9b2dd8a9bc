"""Effects of tokens gathered by word and turn, as the dialogue and the summary are read."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.config import END, TURN
from core.experiments.gradients import TokenEffects
from core.explain.shared.rollup import groups
from core.text.encoded import EncodedDialogue
from core.trace import Token
from core.words import later, say

SPECIAL = {TURN: later("end of turn"), END: later("end of dialogue")}
"""In English, and translated when shown."""


@dataclass(frozen=True)
class WordEffect:
    """A word of the dialogue or a token of the summary.

    Args:
        text: without blanks around it.
        gap: what stands between it and the one before.
        value: its effect in nats; None: the model did not read it. Not used of a token of the summary.
        special: whether it is a special token ("the end") and no word of the text.
        places: of its tokens in what was read.
    """

    text: str
    gap: str = ""
    value: float | None = None
    special: bool = False
    places: tuple[int, ...] = ()


@dataclass(frozen=True)
class TurnWords:
    """A turn of the dialogue: its number from 1, its speaker if the words do not name one, its words."""

    number: int
    speaker: str | None
    words: Sequence[WordEffect]


def by_word(encoded: EncodedDialogue, found: TokenEffects) -> dict[int, list[WordEffect]]:
    """Return the words of each turn that was read, in the order of reading, with the sum of their tokens' effects."""
    text = encoded.dialogue.text
    turns: dict[int, list[WordEffect]] = {}
    ends: dict[int, int] = {}
    for group in groups(encoded.tokens, "word"):
        members = tuple(group.members)
        tokens, value = [encoded.tokens[place] for place in members], float(found.source[list(members)].sum())
        turn = tokens[0].turn
        if turn is None:
            continue
        gap = " " if tokens[0].id in SPECIAL else text[ends.get(turn, tokens[0].start) : tokens[0].start]
        turns.setdefault(turn, []).append(_word(tokens, text, gap, value, members))
        ends[turn] = tokens[-1].end
    return turns


def dialogue(encoded: EncodedDialogue, found: TokenEffects, *, as_read: bool) -> list[TurnWords]:
    """Return all turns with their words; those of a turn that was not read have no value.

    Args:
        encoded: what was read.
        found: the effects of its tokens.
        as_read: whether the turns stand in the order of reading, unread ones last; or in that of the dialogue.
    """
    read, turns = by_word(encoded, found), encoded.dialogue.turns
    order = [*read, *(turn.index for turn in turns if turn.index not in read)]
    return [
        TurnWords(turn + 1, None, read[turn])
        if turn in read
        else TurnWords(turn + 1, turns[turn].speaker, [WordEffect(word, " ") for word in turns[turn].text.split()])
        for turn in (order if as_read else sorted(order))
    ]


def _word(tokens: Sequence[Token], text: str, gap: str, value: float, places: tuple[int, ...]) -> WordEffect:
    if tokens[0].id in SPECIAL:
        return WordEffect(say(SPECIAL[tokens[0].id]), gap, value, True, places)
    shown = text[tokens[0].start : tokens[-1].end]
    word = shown.lstrip()  # a blank may be part of a word's first token
    gap += shown[: len(shown) - len(word)] if word else ""
    return WordEffect(word or shown or tokens[0].text, gap, value, False, places)
