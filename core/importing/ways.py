"""Ways out of a refused import, as the command line and as the app name them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from core.words import later, say

_in_app: ContextVar[bool] = ContextVar("in_app", default=False)
_WAYS: Mapping[str, tuple[str, str]] = {
    "decoding": (
        later("Import it with --decoding default to decode with the settings of this project instead"),
        later("Choose “As in this app” at Decoding to decode with the settings of this app instead"),
    ),
    "precision": (later("Use --precision original"), later("Choose “As it is” at Precision of the weights")),
    "base": (
        later("Name the folder of that model: --base FOLDER"),
        later("Name the folder of that model at Base of an adapter"),
    ),
}


def way(key: str) -> str:
    """Say a way out where the reader can take it: a flag on the command line, a control in the app."""
    return say(_WAYS[key][_in_app.get()])


@contextmanager
def in_app() -> Iterator[None]:
    """Name the app's own ways out in this thread for a while."""
    before = _in_app.set(True)
    try:
        yield
    finally:
        _in_app.reset(before)
