"""Where turns begin in a text: lines with a name, or with the time at which a message was sent.

Every pattern is anchored or of bounded length, so the time is linear in the text.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """The start of a turn: its first character, the span of the name, the first spoken character.

    `strong`: the layout alone shows a chat line. `kept` is False for a notice of the chat program.
    """

    start: int
    body: int
    label: tuple[int, int] | None = None
    strong: bool = True
    kept: bool = True


LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
EDGE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + "\0\u200b\u200e\u200f\u2060\ufeff"
_NAME_EDGE = EDGE + "*~\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_NAME_PUNCTUATION = frozenset(".'\u2019#@&()/+|\u00b7")
_NAME_CATEGORIES = frozenset({"So", "Sk", "Cf", "Cs", "Pc", "Pd"})
_NAME_LENGTH = 48

_SIDE = r"[\u200e\u200f]?"
_NUMBERS = (
    rf"\d{{1,4}}{_SIDE}[./\u2010-\u2012年년-]{_SIDE}\s?\d{{1,2}}{_SIDE}"
    rf"[./\u2010-\u2012月월-]{_SIDE}\s?\d{{1,4}}[.日일]?"
)
DATE = (
    rf"(?:{_NUMBERS}|\d{{1,2}}\.?\s(?:de\s)?[^\W\d_]{{3,12}}\.?\s(?:de\s)?\d{{4}}(?:\s?г\.)?"
    r"|[^\W\d_]{3,9}\.?\s\d{1,2},\s\d{4})"
)
_HALVES = (
    r"[AaPp]\.?\s?[Mm]\.?|ÖÖ|ÖS|öö|ös|SA|CH|PG|PTG|[μπ]\.μ\.|[صم]|[قب]\.ظ\.?|पूर्वाह्न|अपराह्न|[vn]m\.?|[fe]m|dop\.|odp\.|"
    r"d[eu]\.|[ia]p\.|לפנה״צ|אחה״צ|น\.|ก่อนเที่ยง|หลังเที่ยง"
)
"""How twelve-hour clocks end, in the languages of phones."""
TIME = (
    r"(?:(?:Ö[ÖS]|[上下]午|午[前後]|오[전후]|[AP]M|凌晨|早上|中午|晚上)\s?)?"
    rf"\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?:\s?(?:{_HALVES})(?!\w))?"
)
_BETWEEN = rf"(?:[,،、]?{_SIDE}\s{{1,3}}(?:(?:at|um|à|alle|às|om|klo|kl\.|saat|lúc|о|в)\s)?|T)"
_COLON = re.compile(r"[:\uff1a]")
_NICK = re.compile(r"<[@+%~& ]?([^<>\s]{1,40})>\s")
STAMP = re.compile(
    rf"(?P<open>[\[(])?{_SIDE}(?:(?P<date>{DATE}){_BETWEEN}{TIME}|{TIME}(?:[,،]?\s{{1,3}}(?P<later>{DATE}))?){_SIDE}"
    r"(?(open)[\])])\s{0,3}(?:[-\u2013\u2014]\s{1,3})?"
)
_BARE_TIME = re.compile(rf"{TIME}$")
_HEADER_TAIL = re.compile(
    r"(?P<gap>\s{2,8}|\t|\s?[\u2014\u2013-]\s|,?\s?(?=[\[(])|\s)[\[(]?"
    rf"(?P<day>(?:(?:[Tt]oday|[Yy]esterday)(?:\s?at)?,?|(?:{_NUMBERS}|(?<=[\[(]){DATE}),?(?:\s?at)?)\s)?{TIME}[\])]?:?$"
)

_STATUS = re.compile(r"(?:\s?:[\w+-]{1,40}:)+$")
"""Emoji by their names behind a name, as Slack copies what somebody's status is."""

_SCHEMES = frozenset({"http", "https", "ftp", "mailto", "tel", "file"})
_NO_NAMES = ("last reply",)
_BEFORE_TIMES = frozenset("at by from to until till before after around about since between and um à is on".split())


def trim(text: str, start: int, end: int, edge: str = EDGE) -> Span:
    """Return the span without white space, or other characters `edge`, at its ends."""
    piece = text[start:end]
    kept = piece.lstrip(edge)
    start += len(piece) - len(kept)
    return start, start + len(kept.rstrip(edge))


def lines_of(text: str) -> list[Span]:
    """Return the spans of the lines that are not blank, without white space at their ends."""
    spans, start = [], 0
    for match in LINE_END.finditer(text):
        spans.append(trim(text, start, match.start()))
        start = match.end()
    spans.append(trim(text, start, len(text)))
    return [span for span in spans if span[0] < span[1]]


def _name(text: str, start: int, end: int, words: int = 4, *, number: bool = False) -> Span | None:
    """Find a name inside [start, end); `number` allows names without a letter."""
    start, end = trim(text, start, end, _NAME_EDGE)
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


def label_line(text: str, start: int, end: int, words: int = 4, *, number: bool = False) -> Mark | None:
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
    return Mark(start, body, label)


def pieces(text: str, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield of each piece of a text that begins at one of `starts` where the next one begins, and its line, from 1."""
    line, before = 1, 0
    for start, end in pairwise([*starts, len(text)]):
        line += text.count("\n", before, start)
        before = start
        yield end, line


def key_of(text: str, mark: Mark) -> str:
    """Return the name of a mark for comparisons; "" for none."""
    return text[slice(*mark.label)].casefold() if mark.label else ""


def _stamped_line(text: str, start: int, end: int) -> Mark | None:
    """Read `12/03/2023, 21:14 - Anna: …`, `[12.03.23, 21:14:05] Anna: …`, `[10:32] <anna> …` or a notice."""
    stamp = STAMP.match(text, start, min(end, start + 64))
    begin = stamp.end() if stamp else start
    strong = bool(stamp and (stamp["open"] or stamp["date"] or stamp["later"]))
    nick = _NICK.match(text, begin, end)
    if nick:
        return Mark(start, nick.end(), nick.span(1), strong)
    if not stamp:
        return None
    begin, end = trim(text, begin, end)
    line = label_line(text, begin, end, words=8, number=True) or (_loose_line(text, begin, end) if strong else None)
    if line is not None and text[line.body : line.body + 2].endswith("\u200e"):
        line = None if "end-to-end" in text[line.body : line.body + 80] else line
    if line is not None:
        return Mark(start, line.body, line.label, strong)
    return Mark(start, end, None, strong, kept=False) if strong else None


def _loose_line(text: str, start: int, end: int) -> Mark | None:
    """Read a name with any signs in it, up to a colon with a space; after a date a name is no guess."""
    colon = text.find(": ", start, min(end, start + 64))
    label = trim(text, start, colon, _NAME_EDGE) if colon > start else (0, 0)
    return Mark(start, colon + 1, label) if label[0] < label[1] else None


def stamped_marks(text: str, lines: list[Span]) -> list[Mark]:
    """Find lines of chat exports with the time, and mostly the date, before the name."""
    candidates = [mark for mark in (_stamped_line(text, *span) for span in lines) if mark is not None]
    counts = Counter(key_of(text, mark) for mark in candidates if mark.label)
    marks = []
    for mark in candidates:
        once = (
            mark.label and counts[key_of(text, mark)] < 2 and text[mark.start] != "["
        )  # there even a notice has a name
        if once and mark.label and not _is_likely(text[slice(*mark.label)], counts):
            mark = Mark(mark.start, mark.body, None, mark.strong, kept=False)
        marks.append(mark)
    strong = [mark for mark in marks if mark.strong]
    named = sum(mark.label is not None for mark in strong)
    if named >= 2 or (named and strong[0].start == lines[0][0]):
        return strong
    recurs = any(count > 1 for count in counts.values())
    return marks if recurs and len(marks) * 2 >= len(lines) else []


def _is_likely(name: str, counts: Counter[str]) -> bool:
    """Return whether what stands once before a colon is a name: four words at most, and no other name with a verb."""
    words = name.split()
    if len(words) > 4 or any(sign in name for sign in '"“”„«»'):
        return False
    starts = (" ".join(words[:size]).casefold() for size in range(1, len(words)) if words[size][0].islower())
    return not any(start in counts for start in starts)


def _header_line(text: str, start: int, end: int) -> Mark | None:
    """Read `Anna  10:32 AM`, `Anna — Today at 10:32`, `Anna, [12.03.23 21:14]`: a name and a time, nothing else."""
    if end - start > 120:
        return None
    tail = _HEADER_TAIL.search(text[start:end])
    if tail is None:
        return None
    status = _STATUS.search(text[start : start + tail.start()])
    label = _name(text, start, start + (status or tail).start())
    name = text[slice(*label)].casefold() if label else ""
    if not name or name in _NO_NAMES or name.split()[-1] in _BEFORE_TIMES:
        return None
    strong = tail["gap"] not in (" ", "\u00a0") or tail["day"] is not None
    return Mark(start, end, label, strong)


def header_marks(text: str, lines: list[Span]) -> list[Mark]:
    """Find turns copied from Slack, Discord or Telegram: a line with name and time, then the text."""
    candidates = [mark for mark in (_header_line(text, *span) for span in lines) if mark is not None]
    if not candidates:
        return []
    first = candidates[0].start == lines[0][0]
    strong = [mark for mark in candidates if mark.strong]
    if not (len(strong) >= 2 or (strong and first and candidates[0].strong)):
        recurs = any(count > 1 for count in Counter(key_of(text, mark) for mark in candidates).values())
        halves = all(text[mark.body - 1] in "mM." for mark in candidates)
        if not recurs and not (first and len(candidates) >= 2 and halves):
            return []
        strong = candidates
    marks, headers = [], {mark.start: mark for mark in strong}
    current: Mark | None = None
    for start, end in lines:
        if start in headers:
            current = headers[start]
            marks.append(current)
        elif current is not None and _BARE_TIME.match(text, start, end):
            marks.append(Mark(start, end, current.label))
    return marks
