"""Count what becomes of the characters of a dialogue in a tokenizer: kept, lowered, filtered, unknown or a tag."""

from collections.abc import Callable
from dataclasses import dataclass

from core.config import UNKNOWN
from core.text.encoded import AnyKind, EncodedDialogue
from core.text.tokenizer import TAGS

_FILTERED, _KEPT, _LOWERED, _UNKNOWN, _TAGGED = range(1, 6)


@dataclass(frozen=True, slots=True)
class Fates:
    """Numbers of characters of the turns by their fate, with the speakers' names and without white space.

    Args:
        kept: unchanged.
        filtered: in no token.
        lowered: capitals that became lower case.
        unknown: in words that became [UNK].
        tagged: in names that became a speaker tag; the name is stored beside the ids.
        unknown_words: tokens that are [UNK].
    """

    kept: int
    filtered: int
    lowered: int
    unknown: int
    tagged: int
    unknown_words: int

    @property
    def characters(self) -> int:
        """Number of all characters."""
        return self.kept + self.filtered + self.lowered + self.unknown + self.tagged


def fates(
    encoded: EncodedDialogue, kind: AnyKind, lowers: bool = False, read: Callable[[str], str] | None = None
) -> Fates:
    """Count what a tokenizer keeps of a dialogue and what it loses.

    Args:
        encoded: the whole dialogue, nothing truncated.
        kind: of the tokenizer.
        lowers: whether an imported one makes small letters of capitals.
        read: changes a turn's text, but not its length, before the tokenizer cuts it into pieces; None: nothing does.
    """
    text = encoded.dialogue.text
    fate, now = bytearray(len(text)), text
    for turn in encoded.dialogue.turns:
        for start, end in (turn.label or (0, 0), (turn.start, turn.end)):
            fate[start:end] = bytes(0 if character.isspace() else _FILTERED for character in text[start:end])
        if read:
            now = now[: turn.start] + read(turn.text) + now[turn.end :]
    tagged = {
        token
        for token in encoded.tokens
        if kind == "imported" and (stretch := text[token.start : token.end]) not in token.text and stretch not in TAGS
    }
    for token in encoded.tokens:
        for place in range(token.start, token.end):
            if not fate[place]:
                continue
            if token.id == UNKNOWN:
                fate[place] = _UNKNOWN
            elif (token.id in encoded.speakers and token.text not in TAGS) or token in tagged:
                fate[place] = _TAGGED
            else:
                lowers_all = lowers or kind == "word"
                lowered = text[place] != (text[place].lower() if lowers_all else now[place])
                fate[place] = _LOWERED if lowered else _KEPT
    return Fates(
        kept=fate.count(_KEPT),
        filtered=fate.count(_FILTERED),
        lowered=fate.count(_LOWERED),
        unknown=fate.count(_UNKNOWN),
        tagged=fate.count(_TAGGED),
        unknown_words=sum(token.id == UNKNOWN for token in encoded.tokens),
    )
