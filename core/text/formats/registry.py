"""All formats in the order in which they are tried, and the reading of a file or a pasted text by one of them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import DialogueError
from core.files import table
from core.text.dialogue import SIGN
from core.text.formats import (
    headed,
    meetings,
    messages,
    recordings,
    slack,
    spoken,
    stamped,
    subtitles,
    tables,
    telegram,
    turns_json,
)
from core.text.formats.content import Content, no_text
from core.text.formats.transcript import Note, NothingSaid, Transcript
from core.text.marks import DATE, TIME
from core.words import later, say


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that can be read.

    Args:
        name: stands in links, options and JSON.
        recognises: returns whether a file, or a pasted text, has this format; looks at its beginning, or its JSON.
        read: makes the transcript; raises DialogueError.
        title: what people call it, to be said; begins with a capital.
        by: by what it is recognised, in English, for docs/formats.md.
        json: whether it is one of JSON, and tried for JSON alone.
        offered: whether the app offers it for a text of any other format.
    """

    name: str
    recognises: Callable[[Content], bool]
    read: Callable[[Content], Transcript]
    title: str
    by: str
    json: bool = False
    offered: bool = False


_FUNCTIONS: Mapping[str, tuple[Any, Any]] = {
    **slack.FORMATS, **telegram.FORMATS, **messages.FORMATS, **recordings.FORMATS, **turns_json.FORMATS,
    **subtitles.FORMATS, **meetings.FORMATS, **tables.FORMATS, **stamped.FORMATS, **headed.FORMATS, **spoken.FORMATS,
}  # fmt: skip
READERS = tuple(Reader(name, *_FUNCTIONS[name], **about) for name, about in table(__file__)["formats"].items())
BY_NAME = {reader.name: reader for reader in READERS}
DIALOGUE, PLAIN = BY_NAME["dialogue"], BY_NAME["plain"]
_TAG = re.compile(r"#Person\d{1,4}#\s{0,3}:", re.IGNORECASE)
_SIGNATURES = {
    "subtitles": subtitles.ARROW,
    "zoom-chat": meetings.ZOOM,
    "whatsapp": re.compile(rf"^\u200e?(?:\[{DATE},? {TIME}\]|{DATE},? {TIME} -) [^:\n]{{1,48}}: ", re.MULTILINE),
}
"""Lines by which a second format in a text shows."""
_FAMILY = {name: "subtitles" for name in (*subtitles.FORMATS, "cues")} | {"signal": "whatsapp", "times": "whatsapp"}
_MIXED = later("Line {line} begins another format, which is read as words: “{text}”. Give each of them by itself.")
_GUESSED = later("It is read as {encoding}, which is a guess: if letters are wrong, choose another encoding.")
_ENDING = later("The ending says {ending}, and the content is: {format}.")
_OWN_ENDINGS = {
    ".vtt": ("vtt", "teams-vtt", "webex-vtt"),
    ".srt": ("srt",),
    ".sbv": ("sbv",),
    ".html": ("telegram-html",),
}


def recognise(content: Content) -> Reader:
    """Return the reader of a text: the first one that recognises it."""
    if content.text.startswith(SIGN) or _TAG.search(content.head):
        return DIALOGUE if not isinstance(content.value, dict | list) else _first(True, content)
    return _first(content.value is not None or content.ending == ".json", content)


def _first(json: bool, content: Content) -> Reader:
    return next((reader for reader in READERS if reader.json == json and reader.recognises(content)), DIALOGUE)


def readings(content: Content) -> list[Reader]:
    """Return the readers that a text can be read with, the recognised one first."""
    first = recognise(content)
    others = [reader for reader in READERS if reader is not first and (reader.offered or reader.recognises(content))]
    if first.name in (*subtitles.FORMATS, "whisperx"):
        others.insert(0, BY_NAME["cues"])
    return [first, *others]


def read(content: Content, reading: str = "") -> Transcript:
    """Read a file or a pasted text.

    Args:
        content: what is read.
        reading: name of a reader; "" for the one that recognises it.

    Raises:
        DialogueError: no such reader, one that does not fit, or nobody says anything.
    """
    if reading and reading not in BY_NAME:
        allowed = ", ".join(BY_NAME)
        raise DialogueError("{reading!r} is no format. Allowed: {allowed}", reading=reading, allowed=allowed)
    reader = BY_NAME[reading] if reading else recognise(content)
    try:
        transcript = reader.read(content)
    except NothingSaid as error:
        places = {"file": content.called, "format": say(reader.title), "left": error.left}
        places["line"] = next((line.strip()[:60] for line in content.head.splitlines() if line.strip()), "")
        if not error.left and reading:
            raise DialogueError("{file!r} cannot be read as: {format}. It begins: “{line}”", **places) from None
        if not error.left and reader.name in ("json", DIALOGUE.name, PLAIN.name):
            raise no_text(content.called) from None
        raise DialogueError(
            "{file!r} was read as: {format}. Nobody speaks in it; entries left out: {left}. It begins: “{line}”. "
            "Take another file, or read it as another format.",
            **places,
        ) from None
    return transcript.noted(*_notes(content, reader))


def _notes(content: Content, reader: Reader) -> Iterator[Note]:
    """Note an ending that belongs to another format, and a second format further down."""
    if content.encoding.guessed:
        yield Note(_GUESSED, {"encoding": content.encoding.shown})
    own = _OWN_ENDINGS.get(content.ending)
    if own and reader.name not in (*own, "cues", PLAIN.name):
        yield Note(_ENDING, {"ending": content.ending, "format": say(reader.title)})
    if reader.json or reader.name in (PLAIN.name, "telegram-html"):
        return
    for name, pattern in _SIGNATURES.items():
        if name != _FAMILY.get(reader.name, reader.name) and (match := pattern.search(content.text)):
            line = content.text.count("\n", 0, match.start()) + 1
            yield Note(_MIXED, {"line": line, "text": match[0].strip()[:60]})
            return
