"""The encoding of a text file: what a byte order mark or the bytes themselves say, else a guess that is said."""

import codecs
import re
from dataclasses import dataclass
from typing import IO

from core.errors import DialoscopeError
from core.words import say

SAMPLE = 16_000_000
"""Bytes of a file from which its encoding is told."""
_GUESSED = 65_536
"""Bytes that a guess looks at: only lines with letters beyond ASCII are among them."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WINDOWS = tuple(f"cp125{digit}" for digit in range(9))
CHOICES = (
    "utf-8",
    "utf-16",
    *_WINDOWS,
    "iso8859-2",
    "iso8859-9",
    "koi8-r",
    "mac-roman",
    "gb18030",
    "big5",
    "shift_jis",
)
"""Encodings that are offered where one was guessed; others that Python knows can be named."""
_BEYOND, _ESCAPED = re.compile(r"[^\x00-\x7f]"), re.compile("[\udc80-\udcff]")
"""Letters beyond ASCII, and bytes that were no text."""
_MARKS_OF_TEXT = "‘’‚“”„–—…€£°§«»\xa0·•"
_TURKISH = frozenset(f"ğışĞİŞçÇöÖüÜâÂîÎûÛ{_MARKS_OF_TEXT}")
_WESTERN = frozenset(f"àâäáãåæçèéêëìíîïñòóôöõøœùúûüßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜ¿¡{_MARKS_OF_TEXT}")
_SHARE = 0.4
"""Of the letters of a text in the Latin alphabet, the most that are no ASCII."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How bytes become text.

    Args:
        name: as Python knows it.
        guessed: whether nothing in the file says so.
    """

    name: str
    guessed: bool = False

    @property
    def shown(self) -> str:
        """Return the name as people know it."""
        return shown(self.name)

    @property
    def errors(self) -> str:
        """Return how bytes that are no text are decoded, so that `broken` finds them."""
        return "surrogateescape" if self.name.startswith("utf-8") else "replace"

    def broken(self, text: str) -> int | None:
        """Return the place of the first byte that was no text, from 1; None if there is none."""
        if self.errors == "replace":
            return text.find("\ufffd") + 1 or None
        bad = None if text.isascii() else _ESCAPED.search(text)
        return len(text[: bad.start()].encode("utf-8", "surrogateescape")) + 1 if bad else None

    def notes(self) -> list[str]:
        """Say which encoding was taken, where it is another one than UTF-8."""
        if self.name.startswith("utf-8"):
            return []
        if not self.guessed:
            return [say("read as {encoding}", encoding=self.shown)]
        return [
            say(
                "read as {encoding}, which is a guess: if letters are wrong, choose another encoding",
                encoding=self.shown,
            )
        ]


def shown(name: str) -> str:
    """Return the name of an encoding as people know it."""
    written = name.upper().replace("_", "-").removesuffix("-SIG")
    return f"Windows-{written[2:]}" if written.startswith("CP125") else written


def named(name: str) -> Encoding:
    """Return the encoding that somebody chose; raises DialoscopeError for one that is not known."""
    try:
        codec = codecs.lookup(name.strip())
        "".encode(codec.name)  # some are from bytes to bytes
    except (LookupError, ValueError):
        allowed = ", ".join(CHOICES)
        raise DialoscopeError(
            "{name!r} is no encoding. Allowed: {allowed}, or another one that Python knows",
            name=name[:40],
            allowed=allowed,
        ) from None
    return Encoding("utf-8-sig" if codec.name == "utf-8" else codec.name)


def encoding_of(stream: IO[bytes]) -> Encoding:
    """Tell the encoding of a stream from its first bytes; what is no text of any kind counts as UTF-8."""
    sample = stream.read(SAMPLE)
    for mark, name in MARKS:
        if sample.startswith(mark):
            return Encoding(name)
    if wide := _wide(sample[:_GUESSED]):
        return Encoding(wide, guessed=True)
    if sample.isascii():
        return Encoding("utf-8")
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    beyond = _BEYOND.findall(decoder.decode(sample, len(sample) < SAMPLE))
    bad = len(_ESCAPED.findall("".join(beyond)))
    if 2 * bad <= len(beyond) or b"\0" in sample:
        return Encoding("utf-8")
    code_page = windows(sample)
    return Encoding(code_page, guessed=True) if code_page else Encoding("utf-8")


def _wide(sample: bytes) -> str:
    """Return UTF-16 of an order if every second byte of ASCII letters is zero, as programs of Windows write it."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if min(even, odd) * 20 >= max(even, odd) or max(even, odd) * 50 < len(sample):
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def windows(sample: bytes) -> str:
    """Return the likeliest encoding of Windows; "" if the bytes are text in none.

    Short texts of the two commonest are told by their letters: the library mistakes them for those of their neighbours.
    """
    from charset_normalizer import from_bytes

    lines = b"\n".join(line for line in sample.splitlines() if not line.isascii())[:_GUESSED]
    for name, letters in (("cp1254", _TURKISH), ("cp1252", _WESTERN)):
        text = lines.decode(name, "replace")
        beyond = [letter for letter in text if letter > "\x7f"]
        if letters.issuperset(beyond) and len(beyond) < _SHARE * sum(map(str.isalpha, text)):
            return "cp1252" if set(beyond).isdisjoint("ğışĞİŞ") else name
    best = from_bytes(lines, cp_isolation=list(_WINDOWS)).best()
    return "" if best is None else str(best.encoding)
