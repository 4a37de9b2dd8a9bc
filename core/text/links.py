"""Pack a whole dialogue into a link: zlib and base64url, bounded both ways."""

import base64
import binascii
import zlib

from core.errors import DialogueError

LONGEST_LINK = 4096
"""Characters of `?t=`: browsers and chat programs cut longer addresses."""
LONGEST_TEXT = 200_000
"""Characters of a dialogue that the app accepts."""


def pack(text: str) -> str | None:
    """Return the text as it stands in `?t=`, or None if it is too long for a link."""
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).rstrip(b"=").decode()
    return packed if len(packed) < LONGEST_LINK else None


def unpack(packed: str) -> str:
    """Return the text that `pack` put into a link; raises DialogueError if it is damaged or grows too large."""
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
    """Return the text; raises DialogueError if it is longer than the app accepts."""
    if len(text) > LONGEST_TEXT:
        raise DialogueError(
            f"The text is too long. Received: {len(text):,} characters; allowed: {LONGEST_TEXT:,}. Shorten it first."
        )
    return text
