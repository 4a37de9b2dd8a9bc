"""Dialogues that are too long for a link, on their way from one session to another of this server.

The link names a dialogue by a key that only this server can make: whoever has the link gets the dialogue, nobody else.
"""

import hashlib
import secrets
import threading
from collections import OrderedDict

from core.limits import limits

_SECRET = secrets.token_bytes(32)
_KEPT: OrderedDict[str, str] = OrderedDict()
_LOCK = threading.Lock()


def keep(text: str) -> str:
    """Keep a dialogue and return its key; the same dialogue has the same key until the server stops.

    Where there are too many, the one that was not asked for the longest is dropped.
    """
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=_SECRET).hexdigest()
    with _LOCK:
        _KEPT[key] = text
        _KEPT.move_to_end(key)
        while len(_KEPT) > limits().handed_dialogues:
            _KEPT.popitem(last=False)
    return key


def find(key: str) -> str | None:
    """Return the dialogue of a key; None if it is not kept any more, or never was."""
    with _LOCK:
        if key in _KEPT:
            _KEPT.move_to_end(key)
        return _KEPT.get(key)
