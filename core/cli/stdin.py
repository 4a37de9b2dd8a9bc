"""Standard input in the place of a file: "-" wherever a command reads one."""

import atexit
import sys
import tempfile
from pathlib import Path

from core.errors import SettingsError
from core.limits import check, limits

_taken: list[str] = []


def local(file: str | Path, what: str = "") -> Path:
    """Return the file, or one that holds what came on standard input where "-" was given.

    Args:
        file: as it was given.
        what: the file is, for a message; it can be asked for once.

    Raises:
        SettingsError: standard input is named twice, or is too long.
    """
    if str(file) != "-":
        return Path(file)
    if _taken:
        raise SettingsError(f"- can stand for one file. Received: {_taken[0]} and {what}. Name a file for one of them")
    _taken.append(what)
    data = sys.stdin.buffer.read(limits().unpacked_file + 1)
    check("unpacked_file", len(data), "The text of standard input")
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = Path(folder.name) / f"stdin{_ending(data)}"
    path.write_bytes(data)
    return path


def _ending(data: bytes) -> str:
    """Return the ending that the name of a file of this content has: what is read goes by it."""
    return ""
