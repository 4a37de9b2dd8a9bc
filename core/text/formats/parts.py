"""Long transcripts in parts that fit: cut where a day ends, else at the longest silence, else where the size ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.limits import limits
from core.text.dialogue import write_turns
from core.text.formats.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Part:
    """Some turns of a transcript, one after another.

    Args:
        first, last: indices of its turns.
        day: what the file calls the day of its first turn; "" where it has none.
        opening: the first line of it, at most 80 characters.
        text: its turns, for `core.text.dialogue.parse_dialogue`.
    """

    first: int
    last: int
    day: str
    opening: str
    text: str


def parts(
    found: Transcript, most_turns: int | None = None, most: int | None = None, sizes: Sequence[int] = ()
) -> list[Part]:
    """Cut a transcript into parts of which each has no more turns and is no larger than allowed.

    Args:
        found: the transcript.
        most_turns: of a part, at least 1; None means the limit of a dialogue.
        most: size of a part; None means nine tenths of the limit of characters. One turn alone may have more.
        sizes: of each turn; without them, the characters of its name and words.
    """
    turns = most_turns or limits().dialogue_turns
    largest = most or limits().dialogue_characters * 9 // 10
    sizes = sizes or [len(speaker or "") + len(text) + 4 for speaker, text in found.turns]
    cut, begin = [], 0
    while begin < len(sizes):
        end, size = begin, 0
        while end < len(sizes) and end - begin < turns and (end == begin or size + sizes[end] <= largest):
            size += sizes[end]
            end += 1
        if end < len(sizes):
            end = max(range((begin + end) // 2 + 1, end + 1), key=lambda place: _rank(found, place), default=end)
        cut.append(_part(found, begin, end))
        begin = end
    return cut


def _rank(found: Transcript, place: int) -> tuple[bool, float, int]:
    """Return how well a part ends before a turn: another day, a longer silence, a later place."""
    before, after = found.moments[place - 1 : place + 1] if found.moments else (("", None), ("", None))
    silence = (after[1] or 0.0) - (before[1] or 0.0) if None not in (before[1], after[1]) else 0.0
    return before[0] != after[0], silence, place


def _part(found: Transcript, begin: int, end: int) -> Part:
    turns = found.turns[begin:end]
    opening = ": ".join(filter(None, (turns[0][0], turns[0][1].split("\n", 1)[0])))[:80]
    return Part(begin, end - 1, found.moments[begin][0] if found.moments else "", opening, write_turns(turns))
