"""WebVTT, SRT and SBV: the cues of a recording, with names as Teams, Zoom, Webex, Meet and others write them."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from core.text.dialogue import parse_dialogue
from core.text.formats.content import Content
from core.text.formats.transcript import Note, Said, Transcript, joined
from core.words import later

ARROW = re.compile(r"^[ \t]{0,4}((?:\d{1,3}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})[ \t]{0,4}-->.*", re.MULTILINE)
_SBV = re.compile(r"^(\d{1,2}:\d\d:\d\d\.\d{3}),\d{1,2}:\d\d:\d\d\.\d{3}[ \t]*$", re.MULTILINE)
_SPAN = re.compile(
    r"^[ \t]{0,4}\[((?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{1,3}) --> ((?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{1,3})\][ \t]*(.*)$",
    re.MULTILINE,
)
"""A line of a recogniser that prints what it hears."""
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?[ \t]+([^<>]{1,200})>")
_TAG = re.compile(r"</?(?:[a-z]{1,4}|\d[\d:.]{3,14}|font)(?:[ .][^<>]{0,200})?/?>", re.IGNORECASE)
_WEBEX = re.compile(r"\d{1,9} \"([^\"]{1,100})\" \(\d{1,15}\)$")
_BRACKETED = re.compile(r"[\[(]([^\W\d_][^\[\]()\n]{0,47})[\])]:?[ \t]+(?=\S)|>>[ \t]*([^\W\d_][^:\n]{0,47}):[ \t]+")
_ROMAN = re.compile(r"(?:-[ \t]*)?([^\W\d_][^:\n]{0,47})[:\uff1a](?:[ \t]+|$)")
_DASH = re.compile(r"[-\u2013\u2014][ \t]*(?=\S)")
_SOUND = re.compile(r"(?:[\[(\u266a*][^\[\]()\n]{0,80}[\])\u266a*]\s*){1,4}")
_SPILT = re.compile(r"\n\d{1,9}\n\d{1,3}:\d\d:\d\d[.,]\d.*", re.DOTALL)
EVIDENCE = 200_000
"""Characters in which names are looked for."""


def _is_vtt(content: Content) -> bool:
    head = content.head.lstrip("\ufeff \t\r\n")
    return head.startswith("WEBVTT") and (not head[6:7].strip() or bool(ARROW.search(head)))


def _is_srt(content: Content) -> bool:
    first = ARROW.search(content.head)
    above = content.head[: first.start()].strip("\ufeff \t\r\n") if first else ""
    return bool(first) and (not above or above.isdigit())


def _is_sbv(content: Content) -> bool:
    return bool(_SBV.match(content.head.lstrip("\ufeff\r\n ")))


def _cues(content: Content, form: str) -> Iterator[Said]:
    """Yield the cues of a text; what the library does not take is yielded as unreadable.

    Args:
        content: what is read.
        form: "vtt", "srt" or "sbv", as `webvtt` calls them.
    """
    import webvtt
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    text = content.text.lstrip("\ufeff \t\r\n").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    head = []
    if form == "srt" and ARROW.match(text):  # no number above the times: what WebVTT allows
        form, head = "vtt", ["WEBVTT", ""]
    try:
        captions = iter(webvtt.from_buffer(iter([*head, *lines]), format=form).captions)
    except (MalformedFileError, MalformedCaptionError, ValueError, IndexError):
        captions = iter(())
    caption = next(captions, None)
    pattern = _SBV if form == "sbv" else ARROW
    for number, line in enumerate(lines, 1):
        if not (match := pattern.match(line)):
            continue
        if caption is None or _seconds(match[1]) != caption.start_time.in_milliseconds() / 1000:
            yield Said(None, line, "unreadable", number)
            continue
        words, spilt = _SPILT.subn("", caption.raw_text)
        times = _seconds(match[1]), caption.end_time.in_milliseconds() / 1000
        yield from _voices(words, caption.identifier or "", number, times)
        if spilt:
            yield Said(None, "", "unreadable", number)
        caption = next(captions, None)


def _seconds(time: str) -> float:
    parts = [float(part) for part in time.replace(",", ".").split(":")]
    seconds = 0.0
    for part in parts:
        seconds = 60 * seconds + part
    return round(seconds, 3)


def _voices(text: str, identifier: str, line: int, times: tuple[float, float]) -> Iterator[Said]:
    named = _WEBEX.match(identifier)
    speaker: str | None = named[1] if named else None
    pieces = _VOICE.split(text)
    for place, piece in enumerate(pieces):
        if place % 2:
            speaker = html.unescape(piece)
        elif piece.strip() or len(pieces) == 1:
            words = html.unescape(_TAG.sub("", piece)).strip()
            sound = "sound" if _SOUND.fullmatch(words) else ""
            yield Said(speaker, words, sound, line, *times)


def _named(cues: Sequence[Said]) -> list[Said]:
    """Find names in the words of cues, where no cue has a voice: `Name: …`, `[Name] …`, `>> Name: …`."""
    spoken = [cue for cue in cues if not cue.left_out]
    if any(cue.speaker for cue in spoken):
        return list(cues)
    if _names_above(spoken):
        return [replace(cue, speaker=cut[0], text=cut[1]) if (cut := _cut(cue)) else cue for cue in cues]
    names = _evidence(spoken)
    named, speaker = [], None
    for cue in cues:
        for line in ("",) if cue.left_out else _utterances(cue.text, names):
            if cue.left_out:
                named.append(cue)
                continue
            match = _BRACKETED.match(line) or _ROMAN.match(line)
            name = next((group for group in match.groups() if group), "") if match else ""
            if match and name in names:
                speaker = name
                line = line[match.end() :]
            elif _DASH.match(line):  # somebody else
                speaker = None
                line = _DASH.sub("", line)
            named.append(replace(cue, speaker=speaker, text=line))
    return named


def _names_above(cues: Sequence[Said]) -> bool:
    """Return whether each cue has a name on a line above its words, as older documents of Teams have."""
    heads = [_cut(cue) for cue in cues]
    names = {head[0] for head in heads if head}
    return bool(cues) and None not in heads and len(names) <= max(len(cues) // 2, 2)


def _cut(cue: Said) -> tuple[str, str] | None:
    """Return the first line of a cue, if it looks like a name, and the rest."""
    name, _, words = cue.text.partition("\n")
    proper = 0 < len(name) < 48 and all(word[0].isupper() or word[0] in "(0123456789" for word in name.split())
    return (
        (name.strip("()[]"), words) if proper and words.strip() and name.strip()[-1:] not in (*".?!,:;-", "") else None
    )


def _evidence(cues: Sequence[Said]) -> frozenset[str]:
    """Return the names before the words of cues, as much as `Name:` lines of a dialogue show that they are names."""
    bracketed = Counter(
        match[1] or match[2] for cue in cues for line in cue.text.split("\n") if (match := _BRACKETED.match(line))
    )
    lines = "\n".join(line.removeprefix("-").strip() for cue in cues for line in cue.text.split("\n"))
    names = set(parse_dialogue(lines[:EVIDENCE]).speakers)
    if sum(bracketed.values()) * 2 >= len(cues) and len(bracketed) <= max(len(cues) // 2, 2):
        names |= bracketed.keys()
    return frozenset(names)


def _utterances(text: str, names: frozenset[str]) -> list[str]:
    """Cut a cue where another name begins a line."""
    pieces: list[list[str]] = []
    for line in text.split("\n"):
        match = _BRACKETED.match(line) or _ROMAN.match(line)
        begins = match and not names.isdisjoint(match.groups()) or _DASH.match(line)
        if begins or not pieces:
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(lines) for lines in pieces]


def in_turn(cues: Sequence[Said]) -> list[Said]:
    """Give each cue to one of two speakers, in turn."""
    spoken = 0
    result = []
    for cue in cues:
        result.append(cue if cue.left_out else replace(cue, speaker=f"Speaker {1 + spoken % 2}"))
        spoken += not cue.left_out
    return result


NOBODY = later("Nobody is named in it: its turns have no speakers. Another reading gives every cue one.")
UNREADABLE = later("Line {line} cannot be read: “{text}”.")


def read_cues(name: str, cues: Sequence[Said], *, alternate: bool = False) -> Transcript:
    """Make a transcript of cues, and note what is odd in it; also for recordings in other formats."""
    notes = [
        Note(UNREADABLE, {"line": cue.line, "text": cue.text[:60]})
        for cue in cues
        if cue.left_out == "unreadable" and cue.text
    ][:1]
    if alternate:
        return joined(name, in_turn(cues), notes, apart=True)
    transcript = joined(name, _named(cues), notes)
    return transcript if transcript.speakers else transcript.noted(Note(NOBODY))


def _read(content: Content, form: str) -> Transcript:
    return read_cues(_source(content, form), list(_cues(content, form)))


def _span_cues(content: Content) -> list[Said]:
    cues = []
    for number, line in enumerate(content.text.splitlines(), 1):
        if match := _SPAN.match(line):
            cues.append(Said(None, match[3], "", number, _seconds(match[1]), _seconds(match[2])))
        elif line.strip():
            cues.append(Said(None, line, "around", number))
    return cues


def cues_of(content: Content) -> list[Said]:
    """Return the cues of a text in any of these forms."""
    if len(_SPAN.findall(content.head)) > 1:
        return _span_cues(content)
    return list(_cues(content, "vtt" if _is_vtt(content) else "srt" if _is_srt(content) else "sbv"))


def _source(content: Content, form: str) -> str:
    """Name the tool that wrote a file, where it tells."""
    if form == "vtt" and re.search(r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", content.head, re.MULTILINE):
        return "teams-vtt"
    if form == "vtt" and re.search(r"^\d{1,9} \"[^\"\n]{1,100}\" \(\d{1,15}\)$", content.head, re.MULTILINE):
        return "webex-vtt"
    return form


def _is_from(content: Content, source: str) -> bool:
    return _is_vtt(content) and _source(content, "vtt") == source


_read_vtt = partial(_read, form="vtt")
FORMATS = {
    "teams-vtt": (partial(_is_from, source="teams-vtt"), _read_vtt),
    "webex-vtt": (partial(_is_from, source="webex-vtt"), _read_vtt),
    "vtt": (_is_vtt, _read_vtt),
    "srt": (_is_srt, partial(_read, form="srt")),
    "sbv": (_is_sbv, partial(_read, form="sbv")),
    "spans": (
        lambda content: len(_SPAN.findall(content.head)) > 1,
        lambda content: read_cues("spans", _span_cues(content)),
    ),
}
