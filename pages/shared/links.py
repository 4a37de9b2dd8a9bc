"""What stands in a link: choices, numbers, and a whole dialogue (zlib and base64url, bounded both ways)."""

import base64
import binascii
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import DialogueError

LONGEST_LINK = 4096
"""Characters of `?t=`: browsers and chat programs cut longer addresses."""
LONGEST_TEXT = 200_000
"""Characters of a dialogue that the app accepts."""


@dataclass(frozen=True)
class Number:
    """A numeric setting: its name in DecodeSettings, if it has one, and its range; whole if `low` is an int."""

    setting: str
    low: float
    high: float
    step: float

    def clamp(self, value: float) -> float:
        """The value, or the end of the range that it is beyond; whole if the range is."""
        return type(self.low)(min(max(value, self.low), self.high))

    def parse(self, raw: str) -> float | None:
        """The value of a text, or None if it is none or out of range."""
        try:
            value = type(self.low)(raw)
        except ValueError:
            return None
        return value if math.isfinite(value) and self.low <= value <= self.high else None


@dataclass(frozen=True)
class Text:
    """A setting that is read by the page itself, up to `longest` characters."""

    longest: int


Field = Sequence[str] | Number | Text
"""What a name in a link may be: one of some words, a number, or a text."""


def read(link: Mapping[str, str], fields: Mapping[Any, Field]) -> tuple[dict[Any, Any], tuple[str, ...]]:
    """What a link says, and a note on each value that is not possible; unknown names are left alone."""
    values: dict[Any, Any] = {}
    notes = []
    for key, field in fields.items():
        raw = link.get(key)
        if raw is None:
            continue
        if isinstance(field, Number):
            value, allowed = field.parse(raw), f"{field.low:g} to {field.high:g}"
        elif isinstance(field, Text):
            value, allowed = raw if len(raw) <= field.longest else None, f"{field.longest} characters"
        else:
            value, allowed = raw if raw in field else None, ", ".join(field[:6])
        if value is None:
            notes.append(f"The link asks for {key}={raw[:40]}, which is not possible here (allowed: {allowed}).")
        else:
            values[key] = value
    return values, tuple(notes)


def plain(value: Any) -> str:  # noqa: ANN401
    """A value as it stands in a link."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def pack(text: str) -> str | None:
    """The text as it stands in `?t=`, or None where it is too long for a link."""
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).rstrip(b"=").decode()
    return packed if len(packed) < LONGEST_LINK else None


def unpack(packed: str) -> str:
    """The text that `pack` put into a link; raises DialogueError if it is damaged or grows too large."""
    try:
        if len(packed) >= LONGEST_LINK:
            raise ValueError("too long")
        data = base64.b64decode(packed.encode("ascii") + b"=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        inflate = zlib.decompressobj()
        text = inflate.decompress(data, 4 * LONGEST_TEXT)
        if not inflate.eof:
            raise ValueError("cut off, or too large")
        return checked(text.decode("utf-8"))
    except (ValueError, binascii.Error, zlib.error):
        raise DialogueError("The dialogue in the link is damaged, so it was left out.") from None


def checked(text: str) -> str:
    """The text itself; raises DialogueError if it is longer than the app accepts."""
    if len(text) > LONGEST_TEXT:
        raise DialogueError(
            f"The text is too long. Received: {len(text):,} characters; allowed: {LONGEST_TEXT:,}. Shorten it first."
        )
    return text
