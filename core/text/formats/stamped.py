"""Chats as lines that begin with a time: WhatsApp, Signal, IRC and others."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from core.text.dialogue import SIGN
from core.text.formats.cleaning import clean
from core.text.formats.content import Content
from core.text.formats.transcript import Said, Transcript, moment_of, transcript
from core.text.marks import STAMP, Mark, lines_of, pieces, stamped_marks

_PROGRAM = "\u200e"
"""WhatsApp on iOS writes this mark before the words that are its own."""
_FROM_RIGHT = "\u200f"
"""It does so in languages that are written from the right, where a person's words may begin with the mark too."""
_OMITTED = re.compile(r"\u200f.{0,40}(?:הושמט|استبعاد|محذوف|תמונה נמחקה)")
_SECURED = re.compile(r"\u200f.{0,60}(?:מוצפנ|הצפנ|مشفر|تشفير|رمزگذاری)")
_SIGNAL = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?\] [^<\s]")
_CLOCK = r"(?:[A-Z][a-z]{2} \d{1,2} )?[\[(]?[\dT][\d:.T /-]{3,24}(?:\s?[AP]M)?[\])]?\s{0,3}"
_NICK = re.compile(rf"(?:{_CLOCK})?<[@+%~& ]?(?P<name>[^<>\s]{{1,40}})>\s(?P<words>.*)$")
_CLOCKED = re.compile(rf"{_CLOCK}\S")
_TAB = re.compile(r"((?:\d{4}[-/]\d\d[-/]\d\d )?\d{1,2}:\d\d(?::\d\d)?)\t([^\t\n]{1,60})\t")
_SERVICE = re.compile(r"(?:[-=<>*!]{1,3}|←|→|⇐|⇒)$")
_IRC_NOTICE = re.compile(
    rf"(?:{_CLOCK})?(?:\*{{4}} (?:BEGIN|ENDING) LOGGING|-!-|\*{{1,3}}|={{3}}|---?|-->|<--|[\u2190\u2192])\s"
)


def _marks(text: str) -> list[Mark]:
    return [] if text.startswith(SIGN) else stamped_marks(text, lines_of(text))


def _first(text: str) -> str:
    """Return the first line that begins a message, as far as its name."""
    marks = _marks(text)
    mark = next((candidate for candidate in marks if candidate.label), None)
    return text[mark.start : mark.body + 1] if mark else ""


def kind_of(text: str) -> str:
    """Return which chat has such lines: "whatsapp", "signal", "irc" or "times"; "" for none."""
    lines = [line for line in text.splitlines() if line.strip()]
    tabbed = sum(bool(_TAB.match(line)) for line in lines)
    if tabbed > 1 and 2 * tabbed >= len(lines):
        return "tabs"
    nicks = sum(bool(_NICK.match(line)) for line in lines)
    if nicks and 2 * (nicks + sum(bool(_IRC_NOTICE.match(line)) for line in lines)) >= len(lines):
        return "irc"
    if not (first := _first(text)):
        return "whatsapp" if lines and all(map(_is_notice, lines)) and not text.startswith(SIGN) else ""
    if _SIGNAL.match(first):
        return "signal"
    stamp = STAMP.match(first)
    if stamp is None or not (stamp["date"] or stamp["later"]):
        return "times"
    return "whatsapp" if stamp["open"] == "[" or stamp[0].rstrip().endswith(("-", "–")) else "times"


def _is_notice(line: str) -> bool:
    """Return whether a line begins with a day and a time as WhatsApp writes them: a chat may have no other lines."""
    stamp = STAMP.match(line)
    return bool(stamp and (stamp["date"] or stamp["later"]) and stamp[0].rstrip().endswith(("-", "–", "]")))


def _entries(text: str) -> Iterator[Said]:
    """Yield what stands between the marks of a text; what the program itself says is left out."""
    marks = _marks(text)
    if not marks:
        yield from (Said(None, line, "notice") for line in text.splitlines() if _is_notice(line))
    if marks and text[: marks[0].start].strip("\ufeff\u200e\u200f \r\n"):
        yield Said(None, text[: marks[0].start])
    groups = set()
    for mark, (end, line) in zip(marks, pieces(text, [mark.start for mark in marks]), strict=True):
        if not mark.kept:
            yield Said(None, text[mark.start : end], "notice", line)
            continue
        words = text[mark.body : end].lstrip(" \t\u202f\u00a0")
        day, start = moment_of(text[mark.start : (mark.label or (mark.body,))[0]])
        entry = Said(text[slice(*mark.label)] if mark.label else None, words, "", line, start, day=day)
        if words.startswith(_PROGRAM):
            rest, reasons = clean(entry)
            if not (reasons and rest.strip(" \u200e")):  # what WhatsApp wrote itself, in any language
                own = "media" if len(words.split()) <= 3 else "notice"
                entry = replace(entry, left_out=reasons[-1] if reasons else own)
        elif words.startswith(_FROM_RIGHT):
            if _SECURED.match(words):
                groups.add(entry.speaker)
            reason = "media" if _OMITTED.match(words) else "notice" if entry.speaker in groups else ""
            entry = replace(entry, left_out=reason)
        yield entry


def _read(content: Content, name: str) -> Transcript:
    return transcript(name, _irc(content.text) if name == "irc" else _entries(content.text), "message", clean)


def _irc(text: str) -> list[Said]:
    """Return an IRC log's lines; what no nickname says is a notice, what has no time belongs to the line above."""
    entries: list[Said] = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := _NICK.match(line):
            start = moment_of(line[: match.start("name")])[1]
            entries.append(Said(match["name"], match["words"], "", number, start))
        elif _IRC_NOTICE.match(line) or _CLOCKED.match(line) or not entries or entries[-1].left_out:
            entries += [Said(None, line, "notice", number)] if line.strip() else []
        else:
            entries[-1] = replace(entries[-1], text=f"{entries[-1].text}\n{line}")
    return entries


def _tabs(content: Content) -> Transcript:
    entries: list[Said] = []
    for number, line in enumerate(content.text.splitlines(), 1):
        if match := _TAB.match(line):
            speaker = match[2].strip().lstrip("@+%~&").rstrip(":")
            reason = "notice" if _SERVICE.fullmatch(match[2].strip()) else ""
            day, start = moment_of(match[1])
            entries.append(Said(speaker, line[match.end() :], reason, number, start, day=day))
        elif entries and not entries[-1].left_out and line.strip():
            entries[-1] = replace(entries[-1], text=f"{entries[-1].text}\n{line}")
        elif line.strip():
            entries.append(Said(None, line, "around", number))
    return transcript("tabs", entries, "message", clean)


def _is(content: Content, name: str) -> bool:
    return kind_of(content.head) == name


FORMATS = {
    "tabs": (partial(_is, name="tabs"), _tabs),
    **{name: (partial(_is, name=name), partial(_read, name=name)) for name in ("whatsapp", "signal", "irc", "times")},
}
