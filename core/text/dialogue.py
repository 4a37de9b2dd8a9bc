"""Dialogues: pasted text split into turns and speakers, with character offsets into the pasted text.

Five layouts are tried in this order: DialogSum tags, stamped chat lines, chat headers on their own line,
`Name:` lines, plain text. Every pattern is anchored or of bounded length, so the time is linear in the text.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from core.errors import DialogueError
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


@dataclass(frozen=True, slots=True)
class _Mark:
    """The start of a turn: its first character, the span of the name, the first spoken character.

    `strong`: the layout alone shows a chat line. `kept` is False for a notice of the chat program.
    """

    start: int
    body: int
    label: tuple[int, int] | None = None
    strong: bool = True
    kept: bool = True


_Span = tuple[int, int]

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_EDGE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + "\0\u200b\u200e\u200f\u2060\ufeff"
_NAME_EDGE = _EDGE + "*~\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_NAME_PUNCTUATION = frozenset(".'\u2019#@&()/+|\u00b7")
_NAME_CATEGORIES = frozenset({"So", "Sk", "Cf", "Cs", "Pc", "Pd"})
_NAME_LENGTH = 48

_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?"
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
_COLON = re.compile(r"[:\uff1a]")
_TAG = re.compile(r"(#Person\d{1,4}#)\s{0,3}[:\uff1a]", re.IGNORECASE)
_NICK = re.compile(r"<[@+%~& ]?([^<>\s]{1,40})>\s")
_STAMP = re.compile(
    rf"(?P<open>[\[(])?(?:(?P<date>{_DATE})(?:,?\s{{1,3}}(?:(?:at|um|à)\s)?|T){_TIME}"
    rf"|{_TIME}(?:,?\s{{1,3}}(?P<later>{_DATE}))?)(?(open)[\])])\s{{0,3}}(?:[-\u2013\u2014]\s{{1,3}})?"
)
_BARE_TIME = re.compile(rf"{_TIME}$")
_HEADER_TAIL = re.compile(
    r"(?P<gap>\s{2,8}|\t|\s?[\u2014\u2013-]\s|,?\s?(?=[\[(])|\s)[\[(]?"
    rf"(?P<day>(?:(?:[Tt]oday|[Yy]esterday)(?:\s?at)?,?|{_DATE},?(?:\s?at)?)\s)?{_TIME}[\])]?:?$"
)

_SCHEMES = frozenset({"http", "https", "ftp", "mailto", "tel", "file"})
_NOTES = frozenset(
    "note notes nb n.b. ps p.s. pps tip hint warning edit update subject re fw fwd date time place example e.g. i.e. "
    "attention important reminder tldr summary topic".split()
)
_PARTICLES = frozenset("da de del della den der di do dos du el la le of van von zu bin ibn al and".split())
_BEFORE_TIMES = frozenset("at by from to until till before after around about since between and um à is on".split())


def _trim(text: str, start: int, end: int, edge: str = _EDGE) -> _Span:
    piece = text[start:end]
    kept = piece.lstrip(edge)
    start += len(piece) - len(kept)
    return start, start + len(kept.rstrip(edge))


def _lines(text: str) -> list[_Span]:
    """Return the spans of the lines that are not blank, without white space at their ends."""
    spans, start = [], 0
    for match in _LINE_END.finditer(text):
        spans.append(_trim(text, start, match.start()))
        start = match.end()
    spans.append(_trim(text, start, len(text)))
    return [span for span in spans if span[0] < span[1]]


def _name(text: str, start: int, end: int, words: int = 4, *, number: bool = False) -> _Span | None:
    """Find a name inside [start, end); `number` allows names without a letter."""
    start, end = _trim(text, start, end, _NAME_EDGE)
    if not 0 < end - start <= _NAME_LENGTH:
        return None
    name = text[start:end]
    kinds = [unicodedata.category(character) for character in name]
    for character, kind in zip(name, kinds, strict=True):
        plain = kind[0] in "LMN" or kind in _NAME_CATEGORIES or character in _NAME_PUNCTUATION
        if not plain and not character.isspace():
            return None
    if len(name.split()) > words or name.casefold() in _SCHEMES:
        return None
    named = any(kind[0] == "L" or kind in ("So", "Cs") or (number and kind[0] == "N") for kind in kinds)
    return (start, end) if named else None


def _label_line(text: str, start: int, end: int, words: int = 4, *, number: bool = False) -> _Mark | None:
    """Read a line that begins with a name and a colon; times, addresses and smileys are no names."""
    colon = _COLON.search(text, start, min(end, start + 64))
    if colon is None:
        return None
    before, after = text[colon.start() - 1 : colon.start()], text[colon.end() : min(colon.end() + 1, end)]
    if after and after in "/\\:)(|" or before.isdigit() and after.isdigit():
        return None
    if before.isspace() and after and not after.isspace():
        return None
    label = _name(text, start, colon.start(), words, number=number)
    if label is None:
        return None
    body = colon.end()
    while text[start] == "*" and text[body : body + 1] == "*":
        body += 1
    return _Mark(start, body, label)


def _key(text: str, mark: _Mark) -> str:
    return text[slice(*mark.label)].casefold() if mark.label else ""


def _is_proper(name: str) -> bool:
    """Return whether a name that occurs once looks like one: a single word, or every word capitalised."""
    words = name.split()
    proper = all(not word[0].islower() or word in _PARTICLES for word in words)
    return len(words) == 1 or words[0].casefold() == "the" or proper


def _name_marks(text: str, lines: list[_Span]) -> list[_Mark]:
    """Find `Name: …` lines, if there is enough evidence for a dialogue."""
    found = [mark for mark in (_label_line(text, *span) for span in lines) if mark is not None]
    counts = Counter(_key(text, mark) for mark in found if _key(text, mark) not in _NOTES)
    recurring = [mark for mark in found if counts[_key(text, mark)] > 1]
    small = not recurring or any(text[mark.label[0]].islower() for mark in recurring if mark.label)
    likely = []
    for mark in found:
        name = text[slice(*mark.label)] if mark.label else ""
        once = _is_proper(name) and (small or not name[0].islower())
        if counts[name.casefold()] > 1 or (counts[name.casefold()] == 1 and once):
            likely.append(mark)
    if len(likely) < 2:
        return []
    share = len(likely) / len(lines)
    first = likely[0].start == lines[0][0]
    return likely if share >= 0.5 or (recurring and (first or share >= 0.15)) else []


def _tag_marks(text: str, lines: list[_Span]) -> list[_Mark]:
    """Find DialogSum tags anywhere in the text, and names that recur beside them."""
    tags = [_Mark(match.start(), match.end(), match.span(1)) for match in _TAG.finditer(text)]
    if not tags:
        return []
    starts = {mark.start for mark in tags}
    names = [mark for mark in (_label_line(text, *span) for span in lines) if mark and mark.start not in starts]
    counts = Counter(_key(text, mark) for mark in names)
    for mark in names:
        name = text[slice(*mark.label)] if mark.label else ""
        if counts[name.casefold()] > 1 and name.casefold() not in _NOTES and name[0].isupper() and _is_proper(name):
            tags.append(mark)
    return sorted(tags, key=lambda mark: mark.start)


def _stamped_line(text: str, start: int, end: int) -> _Mark | None:
    """Read `12/03/2023, 21:14 - Anna: …`, `[12.03.23, 21:14:05] Anna: …`, `[10:32] <anna> …` or a notice."""
    stamp = _STAMP.match(text, start, min(end, start + 64))
    begin = stamp.end() if stamp else start
    strong = bool(stamp and (stamp["open"] or stamp["date"] or stamp["later"]))
    nick = _NICK.match(text, begin, end)
    if nick:
        return _Mark(start, nick.end(), nick.span(1), strong)
    if not stamp:
        return None
    line = _label_line(text, *_trim(text, begin, end), words=8, number=True)
    if line is not None and text[line.body : line.body + 2].endswith("\u200e"):
        line = None if "end-to-end" in text[line.body : line.body + 80] else line
    if line is not None:
        return _Mark(start, line.body, line.label, strong)
    return _Mark(start, end, None, strong, kept=False) if strong else None


def _stamped_marks(text: str, lines: list[_Span]) -> list[_Mark]:
    """Find lines of chat exports with the time, and mostly the date, before the name."""
    found = [mark for mark in (_stamped_line(text, *span) for span in lines) if mark is not None]
    counts = Counter(_key(text, mark) for mark in found if mark.label)
    marks = []
    for mark in found:
        if mark.label and len(_key(text, mark).split()) > 4 and counts[_key(text, mark)] < 2:
            mark = _Mark(mark.start, mark.body, None, mark.strong, kept=False)
        marks.append(mark)
    strong = [mark for mark in marks if mark.strong]
    named = sum(mark.label is not None for mark in strong)
    if named >= 2 or (named and strong[0].start == lines[0][0]):
        return strong
    recurs = any(count > 1 for count in counts.values())
    return marks if recurs and len(marks) * 2 >= len(lines) else []


def _header_line(text: str, start: int, end: int) -> _Mark | None:
    """Read `Anna  10:32 AM`, `Anna — Today at 10:32`, `Anna, [12.03.23 21:14]`: a name and a time, nothing else."""
    if end - start > 120:
        return None
    tail = _HEADER_TAIL.search(text[start:end])
    label = _name(text, start, start + tail.start()) if tail else None
    if tail is None or label is None or text[slice(*label)].split()[-1].casefold() in _BEFORE_TIMES:
        return None
    strong = tail["gap"] not in (" ", "\u00a0") or tail["day"] is not None
    return _Mark(start, end, label, strong)


def _header_marks(text: str, lines: list[_Span]) -> list[_Mark]:
    """Find turns copied from Slack, Discord or Telegram: a line with name and time, then the text."""
    found = [mark for mark in (_header_line(text, *span) for span in lines) if mark is not None]
    if not found:
        return []
    first = found[0].start == lines[0][0]
    strong = [mark for mark in found if mark.strong]
    if not (len(strong) >= 2 or (strong and first and found[0].strong)):
        recurs = any(count > 1 for count in Counter(_key(text, mark) for mark in found).values())
        halves = all(text[mark.body - 1] in "mM." for mark in found)
        if not recurs and not (first and len(found) >= 2 and halves):
            return []
        strong = found
    marks, headers = [], {mark.start: mark for mark in strong}
    current: _Mark | None = None
    for start, end in lines:
        if start in headers:
            current = headers[start]
            marks.append(current)
        elif current is not None and _BARE_TIME.match(text, start, end):
            marks.append(_Mark(start, end, current.label))
    return marks


def _plain_marks(text: str, lines: list[_Span]) -> list[_Mark]:
    return [_Mark(start, start) for start, _ in lines]


def _turns(text: str, marks: list[_Mark]) -> tuple[Turn, ...]:
    """Make turns of the text between marks; text before the first mark is a turn without a speaker."""
    turns: list[Turn] = []
    ends = [mark.start for mark in marks[1:]] + [len(text)]
    opening = _Mark(0, 0)
    for mark, limit in zip([opening, *marks], [marks[0].start, *ends], strict=True):
        start, end = _trim(text, mark.body, limit)
        if mark.kept and start < end:
            speaker = text[slice(*mark.label)] if mark.label else None
            turns.append(Turn(len(turns), speaker, mark.label, start, end, text[start:end]))
    return tuple(turns)


_Layout = Callable[[str, list[_Span]], list[_Mark]]
_LAYOUTS: tuple[_Layout, ...] = (_tag_marks, _stamped_marks, _header_marks, _name_marks, _plain_marks)


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
    lines = _lines(text)
    for layout in _LAYOUTS:
        marks = layout(text, lines)
        if marks:
            turns = _turns(text, marks)
            if layout is _tag_marks or any(turn.label for turn in turns) or layout is _plain_marks:
                return Dialogue(text, turns)
    return Dialogue(text, ())


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
        raise DialogueError(say("the dialogue has no turn {index}. Allowed: {allowed}", index=index, allowed=allowed))
    turn = dialogue.turns[index]
    spoken = _LINE_END.sub(" ", new_text).strip(_EDGE)
    return parse_dialogue(dialogue.text[: turn.start] + spoken + dialogue.text[turn.end :])
