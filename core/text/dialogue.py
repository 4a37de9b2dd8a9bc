"""Dialogues: pasted text split into turns and speakers, with character offsets into the pasted text.

Six layouts are tried in this order: what `write_turns` signed, DialogSum tags, stamped chat lines, chat headers on
their own line, `Name:` lines, plain text. Every pattern is anchored or of bounded length, so the time is linear in the
text.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.errors import DialogueError
from core.text.marks import EDGE, LINE_END, Mark, Span, header_marks, key_of, label_line, lines_of, stamped_marks, trim
from core.words import say


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a dialogue.

    Args:
        index: 0-based position among the dialogue's turns.
        speaker: name of the speaker as written (`Amanda`, `#Person1#`), or None for text without speakers.
        label: character span [start, end) of the speaker's name in the dialogue's text, or None.
        start: first character of the spoken text (after name, colon and white space).
        end: one past the last character of the spoken text (trailing white space left out).
        text: the spoken text, `dialogue.text[start:end]`.
    """

    index: int
    speaker: str | None
    label: tuple[int, int] | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue: the pasted text, unchanged, and its turns."""

    text: str
    turns: tuple[Turn, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """The distinct speakers in the order of their first turn."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns if turn.speaker is not None))


SIGN = "\u2063"
"""Invisible separator (U+2063) before a turn, and between name and words, where `Name: text` alone could be misread."""
_SIGNED = re.compile(rf"^{SIGN}(?:([^{SIGN}\n\r]{{1,200}}):)?{SIGN}", re.MULTILINE)
_TAG = re.compile(r"(#Person\d{1,4}#)\s{0,3}[:\uff1a]", re.IGNORECASE)
_NOTES = frozenset(
    "note notes nb n.b. ps p.s. pps tip hint warning edit update subject re fw fwd date time place example e.g. i.e. "
    "attention important reminder tldr summary topic".split()
)
_PARTICLES = frozenset("da de del della den der di do dos du el la le of van von zu bin ibn al and".split())


def _is_proper(name: str) -> bool:
    """Return whether a name that occurs once looks like one: a single word, or every word capitalised."""
    words = name.split()
    proper = all(not word[0].islower() or word in _PARTICLES for word in words)
    return len(words) == 1 or words[0].casefold() == "the" or proper


def _name_marks(text: str, lines: list[Span]) -> list[Mark]:
    """Find `Name: …` lines, if there is enough evidence for a dialogue."""
    candidates = [mark for mark in (label_line(text, *span) for span in lines) if mark is not None]
    counts = Counter(key_of(text, mark) for mark in candidates if key_of(text, mark) not in _NOTES)
    recurring = [mark for mark in candidates if counts[key_of(text, mark)] > 1]
    small = not recurring or any(text[mark.label[0]].islower() for mark in recurring if mark.label)
    likely = []
    for mark in candidates:
        name = text[slice(*mark.label)] if mark.label else ""
        once = _is_proper(name) and (small or not name[0].islower())
        if counts[name.casefold()] > 1 or (counts[name.casefold()] == 1 and once):
            likely.append(mark)
    if len(likely) < 2:
        return []
    share = len(likely) / len(lines)
    first = likely[0].start == lines[0][0]
    return likely if share >= 0.5 or (recurring and (first or share >= 0.15)) else []


def _tag_marks(text: str, lines: list[Span]) -> list[Mark]:
    """Find DialogSum tags anywhere in the text, and names that recur beside them."""
    tags = [Mark(match.start(), match.end(), match.span(1)) for match in _TAG.finditer(text)]
    if not tags:
        return []
    starts = {mark.start for mark in tags}
    names = [mark for mark in (label_line(text, *span) for span in lines) if mark and mark.start not in starts]
    counts = Counter(key_of(text, mark) for mark in names)
    for mark in names:
        name = text[slice(*mark.label)] if mark.label else ""
        if counts[name.casefold()] > 1 and name.casefold() not in _NOTES and name[0].isupper() and _is_proper(name):
            tags.append(mark)
    return sorted(tags, key=lambda mark: mark.start)


def _signed_marks(text: str, lines: list[Span]) -> list[Mark]:
    """Find the turns that `write_turns` signed."""
    if not text.startswith(SIGN):
        return []
    return [Mark(match.start(), match.end(), match.span(1) if match[1] else None) for match in _SIGNED.finditer(text)]


def _plain_marks(text: str, lines: list[Span]) -> list[Mark]:
    return [Mark(start, start) for start, _ in lines]


def _turns(text: str, marks: list[Mark]) -> tuple[Turn, ...]:
    """Make turns of the text between marks; text before the first mark is a turn without a speaker."""
    turns: list[Turn] = []
    ends = [mark.start for mark in marks[1:]] + [len(text)]
    opening = Mark(0, 0)
    for mark, limit in zip([opening, *marks], [marks[0].start, *ends], strict=True):
        start, end = trim(text, mark.body, limit)
        if mark.kept and start < end:
            speaker = text[slice(*mark.label)] if mark.label else None
            turns.append(Turn(len(turns), speaker, mark.label, start, end, text[start:end]))
    return tuple(turns)


_Layout = Callable[[str, list[Span]], list[Mark]]
_LAYOUTS: tuple[_Layout, ...] = (_signed_marks, _tag_marks, stamped_marks, header_marks, _name_marks, _plain_marks)


@lru_cache(maxsize=16)
def parse_dialogue(text: str) -> Dialogue:
    """Split text into turns and speakers; the last texts are kept, since a page asks for one again and again.

    Tags (`#Person1#:`), chat exports and `Name:` lines make labelled turns: lines without a label continue the
    turn above, notices of the chat program are left out, and text before the first label is a turn without a
    speaker. `Name:` lines count only with evidence: names that recur, or at least two labels on half of the lines.
    Anything else is plain text, one turn a line. Turns without a visible character are left out.

    Args:
        text: the pasted text, with any line ends.

    Returns:
        The dialogue; `text` is unchanged and `turns` is empty for blank text.
    """
    lines = lines_of(text)
    for layout in _LAYOUTS:
        marks = layout(text, lines)
        if marks:
            turns = _turns(text, marks)
            if layout in (_signed_marks, _tag_marks, _plain_marks) or any(turn.label for turn in turns):
                return Dialogue(text, turns)
    return Dialogue(text, ())


def write_turns(turns: Sequence[tuple[str | None, str]]) -> str:
    """Write turns so that `parse_dialogue` finds exactly them: `Name: text`, signed where that alone would not do.

    Args:
        turns: speaker, or None, and words of each turn; both without white space at their ends, none blank.
    """
    plain = "\n".join(f"{speaker}: {text}" if speaker else text for speaker, text in turns)
    if [(turn.speaker, turn.text) for turn in parse_dialogue(plain).turns] == list(turns):
        return plain
    return "\n".join(f"{SIGN}{f'{speaker}:' if speaker else ''}{SIGN} {text}" for speaker, text in turns)


def replace_turn(dialogue: Dialogue, index: int, new_text: str) -> Dialogue:
    """Return the dialogue with one turn's spoken text replaced, parsed again.

    Args:
        dialogue: the dialogue to start from.
        index: 0-based index of the turn.
        new_text: the new spoken text; line ends become spaces. Blank text removes the turn.

    Raises:
        DialogueError: the dialogue has no turn with this index.
    """
    if not 0 <= index < len(dialogue.turns):
        allowed = say("none, the dialogue is empty")
        if dialogue.turns:
            allowed = say("{first} to {last}", first=0, last=len(dialogue.turns) - 1)
        raise DialogueError("the dialogue has no turn {index}. Allowed: {allowed}", index=index, allowed=allowed)
    turn = dialogue.turns[index]
    spoken = LINE_END.sub(" ", new_text).strip(EDGE)
    return parse_dialogue(dialogue.text[: turn.start] + spoken + dialogue.text[turn.end :])
