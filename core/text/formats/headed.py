"""Texts in which name and time stand above the words: copied chats, and transcripts of meetings as text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from core.text.dialogue import SIGN
from core.text.formats.cleaning import clean
from core.text.formats.content import Content
from core.text.formats.transcript import Said, Transcript, backwards, moment_of, transcript
from core.text.marks import DATE, TIME, header_marks, lines_of, pieces

_DAY = rf"(?:(?:[Tt]oday|[Yy]esterday|[A-Z][a-z]{{2,8}}day)(?: at)?,? |{DATE}[,\s]{{1,3}}(?:at )?)"
_STAMPED_NAME = re.compile(rf"\[{_DAY}?{TIME}\] (?P<name>[^\n:]{{1,60}}?)(?: \((?:pinned|edited)\))?:?$")
_CLOCKED = re.compile(
    r"\d{1,2}:\d\d:\d\d(?:\.\d{1,3})?[ \t]{1,4}(?:[-\u2013][ \t]+)?(?P<name>[^\W\d_][^\n:.,?!]{0,47})$"
)
_BEFORE_CLOCK = re.compile(r"\[(?P<name>[^\[\]\n]{1,60})\][ \t]{1,4}\d{1,2}:\d\d:\d\d$")
_NAME_LINE = re.compile(r"(?P<name>[^\W\d_][^\n:<>]{0,59}|\+?\d[\d ()-]{5,20}|[^\s:<>]{1,40}@[^\s:<>]{1,40})$")
_STAMP_LINE = re.compile(rf"{_DAY}{TIME}(?: \([^()\n]{{1,80}}\))?$")
_TIME_LINE = re.compile(rf"(?:{_DAY}?{TIME}|\d{{1,2}}:\d\d:\d\d)$")
_PAREN = re.compile(rf"(?P<name>[^\W\d_][^\n:\[\]()]{{0,47}}?) ?[(\[]{TIME}[)\]]:?(?:\s|$)")
_RULE = re.compile(r"[=_-]{8,}$")
_BRACED = re.compile(r"\{(?:Attachments|Embed|Stickers|Reactions|Embeds)\}$")
_IN_DISCORD = re.compile(r"(?:Guild|Channel|Topic|After|Before|Exported \d[\d,]* message(?:s|\(s\))?)\b.{0,200}$")
_JOINED = re.compile(r"(?:Joined the server\.|Started a call.{0,60}|Pinned a message\.|Added .{1,60} to the group\.)$")
_TAPBACK = re.compile(
    r"(?:Tapbacks:|(?::[\w+-]{1,40}: \d+\s?)+|"
    r"(?:Loved|Liked|Disliked|Laughed|Emphasized|Questioned|Sticker)(?: at)? by .{1,80})$"
)
_THREAD = re.compile(rf"(?:\d+ repl(?:y|ies)|Last reply (?:today|yesterday|\d).{{0,40}}|View thread|\[{TIME}\])$")
"""Below a message of Slack how many answered, above the second message of somebody in Discord its time."""
_ENDINGS = re.compile(
    r"(?:transcribed by https?://otter\.ai|this transcript was .{0,80}|(?:meeting|transcription) ended.{0,60})$",
    re.I,
)
_STARTS = re.compile(r"(?:.{0,120} (?:started|stopped) transcription|\d+ ?h? ?\d* ?m(?:in)? ?\d*s?)$", re.I)

_OF_RECORDINGS = ("under-name", "paren", "clocked", "teams-docx", "otter")
"""Formats whose times count from the beginning of a recording."""

Head = tuple[int, int, str]
"""First line of a head, the line after it, and the name."""


def _heads(lines: Sequence[str], name: str) -> list[Head]:
    found: list[Head] = []
    for place, line in enumerate(lines):
        below = lines[place + 1] if place + 1 < len(lines) else ""
        if name in ("discord-text", "teams-copy") and (match := _STAMPED_NAME.match(line)):
            found.append((place, place + 1, match["name"]))
        elif name == "imessage" and _STAMP_LINE.match(line) and (match := _NAME_LINE.match(below)):
            found.append((place, place + 2, match["name"]))
        elif (
            name == "under-name"
            and below in ("\u2014", "-")
            and _TIME_LINE.match("".join(lines[place + 2 : place + 3]))
        ):
            found.append((place, place + 3, line))
        elif name == "clocked" and (match := _CLOCKED.match(line) or _BEFORE_CLOCK.match(line)):
            found.append((place, place + 1, match["name"]))
        elif name == "under-name" and _TIME_LINE.match(below) and (match := _NAME_LINE.match(line)):
            found.append((place, place + 2, match["name"]))
        elif name == "paren" and (match := _PAREN.match(line)):
            found.append((place, place, match["name"]))
    return found


def _lines(text: str) -> list[str]:
    return [line.strip(" \t\ufeff\u200e\u200f\xa0") for line in text.splitlines()]


def kind_of(text: str) -> str:
    """Return which kind of heads a text has; "" for none."""
    if text.startswith(SIGN):
        return ""
    lines = _lines(text)
    for name in ("discord-text", "imessage", "under-name", "paren", "clocked"):
        heads = _heads(lines, name)
        first = next((place for place, line in enumerate(lines) if line), 0)
        recurs = max(Counter(head[2] for head in heads).values(), default=0) > 1
        if heads and (heads[0][0] == first or (len(heads) > 1 and recurs) or name == "discord-text" and len(heads) > 1):
            if name == "discord-text" and not any(_RULE.match(line) for line in lines[:3]):
                return "teams-copy"
            if name in ("under-name", "paren", "clocked") and len(heads) < 2:
                continue
            return name
    if marks := header_marks(text, lines_of(text)):
        first_head = next(text[mark.start : mark.body] for mark in marks)
        if re.search(r"\s{2,}\d{1,2}:\d\d(?::\d\d)?$", first_head):
            return "otter"
        return "telegram-copy" if re.search(r", \[.{6,24}\]:?$", first_head) else "copied"
    return ""


def _entries(lines: Sequence[str], heads: Sequence[Head], name: str) -> Iterator[Said]:
    ends = [*(head[0] for head in heads), len(lines)][1:]
    for line, number in zip(lines[: heads[0][0]], range(1, len(lines)), strict=False):
        if line:
            yield Said(None, line, "around", number)
    for (first, begin, speaker), end in zip(heads, ends, strict=True):
        body = list(lines[begin:end])
        if name == "paren":
            body[0] = _PAREN.sub("", body[0], count=1)
        kept, left = _sorted(body)
        words = "\n".join(kept).strip("\n")
        beside = _PAREN.match(lines[first]) if name == "paren" else None
        stamp = beside[0] if beside else " ".join(lines[first : max(begin, first + 1)])
        day, start = moment_of(stamp, name in _OF_RECORDINGS)
        if words and _JOINED.match(words):
            yield Said(None, words, "notice", first + 1)
        elif words or not left:
            yield Said(speaker, words, "" if words else "empty", first + 1, start, day=day)
        for reason in left:
            yield Said(None, "", reason, first + 1)


def _sorted(body: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines of a message that are words, and why each other one is not."""
    kept: list[str] = []
    left: list[str] = []
    braced = ""
    for line in body:
        if match := _BRACED.match(line):
            braced = "reaction" if "Reactions" in match[0] else "media"
            left.append(braced)
        elif _RULE.match(line) or _IN_DISCORD.match(line) and any(_RULE.match(other) for other in body):
            left.append("around")
            braced = "around"
        elif _TAPBACK.match(line):
            left.append("reaction")
        elif _ENDINGS.match(line) or _STARTS.match(line) or _THREAD.match(line):
            left.append("around")
        elif not line:
            braced = "" if braced != "around" else braced
            kept.append(line)
        elif not braced:
            kept.append(line)
    return kept, left


def _read(content: Content, name: str) -> Transcript:
    if name in ("teams-docx", "otter", "telegram-copy", "copied"):
        entries = list(_marked(content.text, name in _OF_RECORDINGS))
    else:
        lines = _lines(content.text)
        heads = _heads(lines, name)
        entries = list(_entries(lines, heads, name)) if heads else []
    return transcript(name, entries, "message", clean, backwards(entries) if name in _OF_RECORDINGS else ())


def _marked(text: str, of_recording: bool) -> Iterator[Said]:
    """Yield what stands under names with a time beside them."""
    marks = header_marks(text, lines_of(text))
    for line in text[: marks[0].start].splitlines() if marks else ():
        if line.strip():
            yield Said(None, line, "around")
    for mark, (end, number) in zip(marks, pieces(text, [mark.start for mark in marks]), strict=True):
        kept, left = _sorted(_lines(text[mark.body : end]))
        speaker = text[slice(*mark.label)] if mark.label else None
        day, start = moment_of(text[mark.start : mark.body], of_recording)
        yield Said(speaker, "\n".join(kept), "", number, start, day=day)
        yield from (Said(None, "", reason, number) for reason in left)


def _is(content: Content, name: str) -> bool:
    kind = kind_of(content.head)
    return name == ("teams-docx" if kind == "otter" and content.ending == ".docx" else kind)


_NAMES = (
    "discord-text", "teams-copy", "imessage", "under-name", "paren", "clocked", "teams-docx", "otter", "telegram-copy",
    "copied",
)  # fmt: skip
FORMATS = {name: (partial(_is, name=name), partial(_read, name=name)) for name in _NAMES}
