"""A file, or a pasted text, as readers get it: its bytes as text, and as JSON where it is that."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from core.errors import DialogueError
from core.text.corpora.encodings import MARKS, Encoding, named, windows
from core.words import later, say

ALLOWED = later(
    "a text file, chat export or transcript (.txt, .md, .log, .vtt, .srt, .docx, .html, .csv) or one dialogue as .json"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b]")
HEAD = 20_000
"""Characters by which a format is recognised."""


@dataclass(frozen=True)
class Content:
    """What readers read.

    Args:
        name: of the file; "" for a pasted text.
        text: all of it.
        encoding: how its bytes became the text.
        data: its bytes, where that was guessed or chosen, so that another encoding can be.
    """

    name: str
    text: str
    encoding: Encoding = Encoding("utf-8")
    data: bytes = b""

    @property
    def called(self) -> str:
        """What a message calls it."""
        return self.name or say("the pasted text")

    @property
    def ending(self) -> str:
        """The ending of the file's name, in small letters."""
        return PurePath(self.name).suffix.lower()

    @cached_property
    def head(self) -> str:
        """The beginning, by which a format is recognised."""
        return self.text[:HEAD]

    @cached_property
    def value(self) -> Any:
        """What a JSON text holds; None for other texts."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return self.json()
        except (ValueError, RecursionError):
            return None

    def json(self) -> Any:
        """Return what the text holds, or what its lines hold; raises ValueError or RecursionError."""
        try:
            return json.loads(self.text)
        except ValueError:
            lines = [line for line in self.text.splitlines() if line.strip()]
            if len(lines) < 2 or not lines[0].rstrip().endswith("}"):
                raise
            return [json.loads(line) for line in lines]


def decode(name: str, data: bytes, chosen: str = "") -> Content:
    """Return a file with the text of its bytes.

    Args:
        name: of the file.
        data: UTF-8, UTF-16 or UTF-32, with or without a byte order mark, or what `charset_normalizer` knows.
        chosen: name of an encoding; "" for the one that the bytes tell.

    Raises:
        DialogueError: damaged or binary content.
        DialoscopeError: an encoding that is not known.
    """
    marked = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "")
    wide = "" if chosen or marked else _unmarked(data)
    charset = named(chosen) if chosen else Encoding(marked or wide or "utf-8", guessed=bool(wide))
    try:
        text = data.decode(charset.name)
    except UnicodeDecodeError as error:
        if chosen or marked or wide:
            raise DialogueError(
                "{file!r} is not {encoding} at byte {byte}: it is damaged, or has another encoding",
                file=name,
                encoding=charset.shown,
                byte=error.start + 1,
            ) from None
        text, charset = _old(name, data)
    _refuse_binary(name, text)
    return Content(name, text.removeprefix("\ufeff"), charset, data if chosen or charset.guessed else b"")


def _unmarked(data: bytes) -> str:
    """Recognise UTF-16 without a mark: read so, a tenth of its characters at least are ASCII; "" for anything else."""
    best, most = "", 0.1
    if b"\0" in data[:4096]:
        for encoding in ("utf-16-le", "utf-16-be"):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            share = sum(map(str.isascii, text[:4096])) / len(text[:4096])
            if "\0" not in text and share > most:
                best, most = encoding, share
    return best


def _old(name: str, data: bytes) -> tuple[str, Encoding]:
    """Decode a text of an older encoding: Windows-1252 where most of it is ASCII, else what its letters tell."""
    encoding = "cp1252"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding := "latin-1")
    _refuse_binary(name, text)
    letters = [character for character in text if not character.isspace()]
    if sum(character.isascii() for character in letters) >= 0.7 * len(letters):
        encoding = windows(data[:100_000]) or encoding
        return data.decode(encoding, "replace"), Encoding(encoding, guessed=True)
    from charset_normalizer import from_bytes

    best = from_bytes(data[:100_000]).best() if len(data) >= 64 else None  # a shorter text tells too little
    if best is not None:
        try:
            return data.decode(best.encoding), Encoding(best.encoding, guessed=True)
        except UnicodeDecodeError:
            pass
    raise DialogueError("{file!r} is not UTF-8 text: save it as UTF-8, or name its encoding with --encoding", file=name)


def no_text(name: str) -> DialogueError:
    """Return the refusal of a file in which nothing stands."""
    return DialogueError("{file!r} holds no text. Allowed: {allowed}", file=name, allowed=say(ALLOWED))


def _refuse_binary(name: str, text: str) -> None:
    """Raise for NUL characters, and where more than one character in fifty is a control character."""
    controls = len(_CONTROLS.findall(text))
    if "\0" in text or controls * 50 > len(text):
        raise DialogueError("{file!r} is a binary file, not text. Allowed: {allowed}", file=name, allowed=say(ALLOWED))


_BLOCKS = frozenset({"br", "p", "div", "li", "tr"})
_HIDDEN = frozenset({"blockquote", "style", "script", "attachment", "head"})
VOID = frozenset({"br", "img", "meta", "link", "input", "hr"})
"""Elements without an end."""
_MARKUP = re.compile(r"<(/?)([A-Za-z][\w:-]{0,30})([^<>]{0,4000})>|<[!?][^<>]{0,4000}>")


def markup(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the pieces of a text in HTML, in linear time: `html.parser` needs the square of it for a hostile one.

    Yields:
        A kind ("words", "begin" or "end"), the words or the element's name, and the attributes as they are written.
    """
    place = 0
    for match in _MARKUP.finditer(text):
        if place < match.start():
            yield "words", html.unescape(text[place : match.start()]), ""
        if match[2]:
            yield ("end" if match[1] else "begin"), match[2].lower(), match[3]
        place = match.end()
    if place < len(text):
        yield "words", html.unescape(text[place:]), ""


def attribute(written: str, name: str) -> str:
    """Return an attribute of an element, "" where it has none."""
    match = re.search(rf'\b{name}="([^"]{{0,400}})"', written)
    return html.unescape(match[1]) if match else ""


def joined_text(value: Any) -> str:
    """Return a text of a message, or the texts of its parts as one; "" for anything else."""
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        return "".join(part for part in parts if isinstance(part, str))
    return value if isinstance(value, str) else ""


def words_of(text: str) -> str:
    """Return the words of a message that is written in HTML, a line for each of its own, without what it quotes."""
    pieces, hidden = [], 0
    for kind, name, attributes in markup(text):
        if kind == "words":
            pieces.append("" if hidden else name)
            continue
        if name in _HIDDEN:
            hidden = max(hidden + (1 if kind == "begin" else -1), 0)
        if name in _BLOCKS:
            pieces.append("\n")
        elif kind == "begin" and name in ("emoji", "img"):
            pieces.append(attribute(attributes, "alt"))
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)
