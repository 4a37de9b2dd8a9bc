"""Pack a whole dialogue into a link: zlib and base64url, bounded both ways."""

import base64
import binascii
import zlib

from core.errors import DialogueError
from core.limits import limits
from core.text.size import checked


def pack(text: str) -> str | None:
    """Return the text as it stands in `?t=`, or None if browsers and chat programs would cut it off."""
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).rstrip(b"=").decode()
    return packed if len(packed) < limits().link_characters else None


def unpack(packed: str) -> str:
    """Return the text that `pack` put into a link; raises DialogueError if it is damaged or grows too large."""
    try:
        if len(packed) >= limits().link_characters:
            raise ValueError("too long")
        data = base64.b64decode(packed.encode("ascii") + b"=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        inflate = zlib.decompressobj()
        text = inflate.decompress(data, 4 * limits().dialogue_characters)
        if not inflate.eof:
            raise ValueError("cut off, or too large")
        return checked(text.decode("utf-8"))
    except (ValueError, binascii.Error, zlib.error):
        raise DialogueError("The dialogue in the link is damaged, so it was left out.") from None
