"""Meetings and chats as text with lines of their own: Zoom's saved chat, and the documents of Google Meet."""

import re
from collections.abc import Iterator

from core.text.dialogue import parse_dialogue
from core.text.formats.cleaning import clean
from core.text.formats.content import Content
from core.text.formats.transcript import Said, Transcript, finished, moment_of, transcript
from core.text.marks import EDGE, pieces

_WAYS = {
    "From": "[Tt]o", "Von": "[Aa]n", "De": "(?:[àÀaA]|[Pp]ara)", "Da": "[aA]", "Van": "[Aa]an",
    "От": "(?:[Кк]ому|[Кк])", "Från": "[Tt]ill", "Kimden": "[Kk]ime", "Od": "[Dd]o", "Dari": "[Kk]e",
    "Từ": "[Đđ]ến", "发件人": "收件人",
    "寄件者": "收件者", "差出人": "宛先", "보낸 사람": "받는 사람",
}  # fmt: skip
"""The words before sender and receiver, by language."""
_GAP = r"[ \t]{1,4}"
_NAMED = "|".join(
    rf"{sender}{_GAP}(?P<name{place}>[^\n]{{1,80}}?){_GAP}{receiver}"
    for place, (sender, receiver) in enumerate(_WAYS.items())
)
ZOOM = re.compile(
    rf"^(?:\d{{4}}-\d\d-\d\d )?\d{{1,2}}:\d\d(?::\d\d)?(?: ?[AP]M)?{_GAP}"
    rf"(?:(?:{_NAMED}){_GAP}(?P<to>[^\n:]{{1,80}}?)|From{_GAP}(?P<alone>[^\n:]{{1,80}}?))"
    r"[ \t]{0,2}:[ \t]{0,4}(?P<words>[^\n]*)$",
    re.MULTILINE,
)
_MOST_BEFORE = 80
"""Characters that can stand before the first message; in a chat of another kind more do."""
_BARE = re.compile(r"^[ \t]*\d{1,2}:\d\d:\d\d[ \t]*$", re.MULTILINE)
_MEET_HEAD = re.compile(
    r"^.{0,160}\S[ \t]*(?:[-\u2013\u2014][ \t]*)?Transcript[ \t]*$|^Attendees[ \t]*$|^Transcript[ \t]*$", re.MULTILINE
)
_MEET_END = re.compile(r"^(?:Meeting ended after|Transcription ended after)\b.{0,60}$", re.MULTILINE)
_MEET_NOTE = re.compile(r"^This editable transcript was computer generated\b.{0,200}$", re.MULTILINE)


def _is_zoom(content: Content) -> bool:
    first = ZOOM.search(content.head)
    return first is not None and len(content.head[: first.start()].strip(EDGE)) < _MOST_BEFORE


def _zoom(content: Content) -> Transcript:
    return transcript("zoom-chat", _messages(content.text.replace("\r\n", "\n").replace("\r", "\n")), "message", clean)


def _messages(text: str) -> Iterator[Said]:
    matches = list(ZOOM.finditer(text))
    if matches and (before := text[: matches[0].start()].strip(EDGE)):
        yield Said(None, before)
    for match, (end, line) in zip(matches, pieces(text, [match.start() for match in matches]), strict=True):
        below = "\n".join(each.strip() for each in text[match.end() : end].split("\n"))
        names = [match["alone"], *(match[f"name{place}"] for place in range(len(_WAYS)))]
        day, start = moment_of(match[0][:30])
        yield Said(next(filter(None, names)), f"{match['words']}\n{below}".strip(EDGE), "", line, start, day=day)


def _is_meet(content: Content) -> bool:
    head = content.head
    named = len(_MEET_HEAD.findall(head[:4000])) + len(_MEET_NOTE.findall(head)) + len(_MEET_END.findall(head))
    return named > 1 or named == 1 and bool(_BARE.search(head))


def _meet(content: Content) -> Transcript:
    """Read the dialogue between head and end, without the times that stand alone."""
    lines = [line for line in content.text.splitlines() if line.strip()]
    begin = 0
    for place, line in enumerate(lines[:400]):
        if _BARE.match(line):
            break
        if _MEET_HEAD.match(line) or _MEET_NOTE.match(line):
            begin = place + 1
    kept = [line for line in lines[begin:] if not any(each.match(line) for each in (_BARE, _MEET_END, _MEET_NOTE))]
    turns = [(turn.speaker, turn.text) for turn in parse_dialogue("\n".join(kept)).turns]
    left = {"around": len(lines) - len(kept)}
    return finished("meet", turns, "line", taken=len(kept), joined=len(kept) - len(turns), left_out=left)


FORMATS = {"zoom-chat": (_is_zoom, _zoom), "meet": (_is_meet, _meet)}
