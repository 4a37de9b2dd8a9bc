"""A dialogue written for a model that was trained elsewhere, with the way back to the pasted text.

Summarizers of dialogues were trained on lines such as `Amanda: Hi!` (Gliwa et al. 2019, SAMSum) or `#Person1#: Hi!`
(Chen et al. 2021, DialogSum).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from core.text.dialogue import Dialogue, Turn
from core.text.encoded import speaker_numbers
from core.text.spans import whole

Style = Literal["names", "tags", "text"]
"""How a turn is written: `Name: text`, `#Person1#: text`, or the words alone."""

_CHARACTERS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*|.", re.DOTALL)
_Character = tuple[str, int, int, int | None]


@dataclass(frozen=True, slots=True)
class Written:
    """A written dialogue.

    Args:
        text: one line a turn.
        spans: for each character its span in the pasted text, empty for one that does not stand there.
        turns: for each character the index of its turn; None in the task's prefix.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    turns: tuple[int | None, ...]


def tag(number: int) -> str:
    """Return what DialogSum writes in place of a speaker's name, numbered from 1."""
    return f"#Person{number}#"


def write(dialogue: Dialogue, style: Style, prefix: str = "", kept: Iterable[int] | None = None) -> Written:
    """Write a dialogue, a line for each turn; line breaks inside a turn become blanks.

    Args:
        dialogue: the pasted text and its turns.
        style: how a turn is written.
        prefix: names the task, such as "summarize: ".
        kept: indices of the turns to write, in order; None means all.
    """
    turns = dialogue.turns if kept is None else [dialogue.turns[index] for index in kept]
    numbers = speaker_numbers(dialogue.speakers)
    found: list[_Character] = [(character, 0, 0, None) for character in prefix]
    for place, turn in enumerate(turns):
        if place:
            before = turns[place - 1]
            found.append(("\n", before.end, before.end, before.index))
        if turn.speaker is not None and turn.label is not None and style != "text":
            first, last = turn.label
            if style == "names":
                found += _copied(dialogue.text, first, last, turn)
            else:
                found += [(character, first, last, turn.index) for character in tag(numbers[turn.speaker])]
            colon = last + dialogue.text.startswith(":", last)
            found += [(":", last, colon, turn.index), (" ", turn.start, turn.start, turn.index)]
        found += _copied(dialogue.text, turn.start, turn.end, turn)
    text = whole("".join(character for character, _, _, _ in found))
    return Written(text, tuple((start, end) for _, start, end, _ in found), tuple(turn for _, _, _, turn in found))


def _copied(text: str, start: int, end: int, turn: Turn) -> Iterator[_Character]:
    for match in _CHARACTERS.finditer(text, start, end):
        single = len(match.group()) == 1 and match.group() not in "\n\r"
        yield (match.group() if single else " "), match.start(), match.end(), turn.index
