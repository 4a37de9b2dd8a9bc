"""Write files that are either complete or absent, keep other processes from writing them, and say what is damaged."""

import csv
import ctypes
import errno
import hashlib
import io
import json
import math
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import DialoscopeError, SettingsError
from core.words import later, say

LARGEST = 64_000_000
"""Most bytes of a file that is read as a whole, unless more is allowed."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Numbers of the errors of a full disk."""
CAUSES = {
    errno.ENOENT: later("No such file or directory"),
    errno.EACCES: later("Permission denied"),
    errno.EPERM: later("Operation not permitted"),
    errno.EISDIR: later("Is a directory"),
    errno.ENOTDIR: later("Not a directory"),
    errno.EEXIST: later("File exists"),
    errno.EROFS: later("Read-only file system"),
    errno.EIO: later("Input/output error"),
    errno.ENOSPC: later("No space left on device"),
    errno.EDQUOT: later("Disk quota exceeded"),
    errno.EFBIG: later("File too large"),
    errno.ENAMETOOLONG: later("File name too long"),
    errno.ELOOP: later("Too many levels of symbolic links"),
    errno.EMFILE: later("Too many open files"),
}
"""What the system says of the errors that occur here, by their numbers; marked with `later`."""
_POINTER = b"version https://git-lfs"
_FORMULA = frozenset("=+-@\t\r\n")
_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of renameat2(2)."""
_BEGUN, _RANDOM = ".begun", r"[a-z0-9_]{8}"
"""The ending of a file that is being written, and what `tempfile` puts into a name."""


def read_bytes(path: Path, most: int = LARGEST) -> bytes:
    """Read a plain file; raises OSError for any other, such as a device, and for more than `most` bytes."""
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise OSError(
                errno.EINVAL, say("it has {size:,} bytes; allowed: {most:,}", size=size, most=most), str(path)
            )
        return file.read(size)  # `read` takes the memory that it is asked for


def open_plain(path: Path) -> io.BufferedReader:
    """Open a plain file for reading; raises OSError for any other, such as a device, which might never end."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, say("it is a folder or device, not a file"), str(path))
    return io.BufferedReader(io.FileIO(descriptor, "rb"))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a plain file, of which only a part at a time is in memory; raises OSError."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_text(path: Path, most: int = LARGEST) -> str:
    """Read a plain file of UTF-8 text, line ends as they are; raises OSError, or ValueError for other text."""
    return read_bytes(path, most).decode("utf-8")


def table(code: str, name: str = "") -> dict[str, Any]:
    """Read a table that a module has instead of code: a TOML file beside it.

    Args:
        code: `__file__` of the module.
        name: of the file, without its ending; "" for the module's own name.
    """
    return tomllib.loads(read_text(Path(code).with_name(f"{name or Path(code).stem}.toml")))


def parsed(text: str, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Parse JSON; raises ValueError for other text, and for half of a character pair, which cannot be shown."""
    value = json.loads(text, parse_constant=parse_constant)
    if "\\ud" in text or "\\uD" in text:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def finite(value: Any) -> float:
    """Convert to a finite number; raises TypeError or ValueError."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(say("a number must be finite. Received: {number}", number=number))
    return number


def cause(error: OSError) -> str:
    """Return what the system says of an error."""
    text = error.strerror or str(error)
    known = CAUSES.get(error.errno or 0)
    return say(known) if known and known == text else text


def fault(file: Path | bytes, error: BaseException, remedy: str) -> str:
    """Say what is wrong with a file and what to do: what `mistaken` sees in it, else the error and `remedy`.

    Args:
        file: its path or its content.
        error: that reading it raised.
        remedy: what to do, translated already.
    """
    if isinstance(error, RecursionError):
        reason = say("it is nested too deep")
    elif isinstance(error, MemoryError):
        reason = say("it asks for more memory than there is")
    elif isinstance(error, OSError) and error.strerror:
        reason = cause(error)
    else:
        reason = " ".join(str(error).split())[:200] or say("it is cut off")
    return mistaken(file) or say("{reason}; {remedy}", reason=reason, remedy=remedy)


def mistaken(file: Path | bytes) -> str:
    """Say what a file, or its content, is instead of what it should be, and the remedy; "" if that cannot be seen."""
    try:
        if isinstance(file, bytes):
            head = file[:64]
        elif not file.is_file():
            return ""
        else:
            with file.open("rb") as opened:
                head = opened.read(64)
    except (OSError, ValueError):  # a name with a NUL
        return ""
    if not head:
        return say("it is empty: copy or download it again")
    if head.startswith(_POINTER):
        return say("it is a Git LFS pointer without the file itself: run git lfs pull")
    if head.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return say("it is a web page that was saved under this name: download the file itself")
    return ""


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV for any program; what is missing is empty.

    A spreadsheet takes a text that begins with "=", "+", "-", "@", a tab or a line's end for a formula, and would
    compute it: an apostrophe stands before such a text, which `plain_of` takes away.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerows(
        [f"'{cell}" if isinstance(cell, str) and _computed(cell) else cell for cell in row] for row in rows
    )
    return buffer.getvalue()


def plain_of(cell: str) -> str:
    """Return the text that `csv_of` wrote as a cell."""
    return cell[1:] if cell[:1] == "'" and _computed(cell) else cell


def _computed(text: str) -> bool:
    return text.lstrip("'")[:1] in _FORMULA


@contextmanager
def beside(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file that replaces `path` when the block ends and is removed if it fails; raises OSError.

    What a killed process has begun to write for the same file is removed first.
    """
    for begun in leftovers(path, _BEGUN):
        with claimed(begun) as mine:
            if mine:
                with suppress(OSError):
                    begun.unlink()
    while True:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=_BEGUN, dir=path.parent)
        fresh = Path(name)
        try:
            with claimed(fresh, wait=True):
                if not fresh.exists():  # another process took it for what a kill left, before it was claimed
                    os.close(descriptor)
                    continue
                with os.fdopen(descriptor, "wb") as file:
                    yield file
                fresh.chmod(0o644)
                os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
        return


def leftovers(path: Path, ending: str = "") -> list[Path]:
    """Return what processes have begun to write beside a file or folder, under a hidden name with this ending."""
    name = re.compile(rf"\.{re.escape(path.name)}-{_RANDOM}{re.escape(ending)}")
    try:
        return [file for file in path.parent.iterdir() if name.fullmatch(file.name)]
    except OSError:
        return []


@contextmanager
def writing(
    what: str, error: type[DialoscopeError], remedy: str = ", or name another file; what was there is kept"
) -> Iterator[None]:
    """Turn what a full or closed disk raises into an error that names the file and the remedy.

    Args:
        what: is written: "the rows 'a.jsonl'".
        error: what is raised.
        remedy: what can be done beside making room.
    """
    try:
        yield
    except OSError as failed:
        raise error(f"{what} cannot be written: {failed.strerror}. Make room there{remedy}") from None


@contextmanager
def claimed(path: Path, wait: bool = False) -> Iterator[bool]:
    """Claim a file or folder that is being written; False if another process has it, which is at work.

    The claim ends with the process, however it ends, and stays with the file when that is renamed. Where the system
    has no such claims, every process gets it.

    Args:
        path: of the file or folder.
        wait: until the other process is done with it.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield True
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            mine = True
        except OSError:
            mine = False
        yield mine
    finally:
        os.close(descriptor)


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders swap their names in one step; False where the system cannot. Linux can."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


@contextmanager
def held(path: Path, instead: str = "another output") -> Iterator[None]:
    """Hold a file or folder while this process writes it; it is free again when the process ends, however it ends.

    Args:
        path: need not exist.
        instead: what the refusal advises to name.

    Raises:
        SettingsError: another process holds it.
    """
    from filelock import FileLock, Timeout

    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:20]
    lock = FileLock(Path(tempfile.gettempdir()) / f"dialoscope-{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise SettingsError(f"another process is writing '{path}': wait until it is over, or name {instead}") from None
    except OSError as error:
        raise SettingsError(
            f"the lock of '{path}' cannot be written to {tempfile.gettempdir()}: {error.strerror}. Make room there, or "
            "let TMPDIR name another folder"
        ) from None
    try:
        yield
    finally:
        lock.release()
