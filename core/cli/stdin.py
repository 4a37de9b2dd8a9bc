"""Standard input in the place of a file: "-" wherever a command reads one."""

import atexit
import json
import re
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from core.errors import SettingsError
from core.limits import check, limits


def content(most: int) -> bytes:
    """Return what came on standard input, or one byte more than is allowed; raises SettingsError if it cannot be read.

    Args:
        most: bytes.
    """
    if not sys.stdin:
        raise SettingsError("- stands for standard input, which is closed. Name a file, or send one with < FILE")
    if sys.stdin.closed:
        raise SettingsError(
            "- stands for standard input, which can be read once. Received: - twice. Name a file for one"
        )
    data = sys.stdin.buffer.read(most + 1)
    sys.stdin.close()
    return data


def named(file: str | Path) -> str:
    """Return what a result calls its source: a file without its folder, a name on the hub as it is."""
    if str(file) == "-":
        return "standard input"
    return Path(file).name if Path(file).is_file() else str(file)


def local(file: str | Path, tables: Callable[[list[str]], bool] = lambda cells: False) -> Path:
    """Return a file, or one that holds what came on standard input where "-" was given.

    Args:
        file: as it was given.
        tables: says of the cells of a first line whether they head a table; lines of plain text may have commas, too.

    Raises:
        SettingsError: standard input was read before, or is too long.
    """
    if str(file) != "-":
        return Path(file)
    data = content(limits().unpacked_file)
    check("unpacked_file", len(data), "The text of standard input")
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = Path(folder.name) / f"stdin{_ending(data, tables)}"
    path.write_bytes(data)
    return path


def _ending(data: bytes, tables: Callable[[list[str]], bool]) -> str:
    """Return the ending of a name of a file with this content: corpora are read by it."""
    if data.startswith(b"PAR1"):
        return ".parquet"
    if data.startswith(b"\x1f\x8b"):
        return f"{_ending(zlib.decompressobj(31).decompress(data, 2**20), tables)}.gz"
    line = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    if line[:1] in (b"{", b"["):
        try:
            return ".jsonl" if isinstance(json.loads(line), dict) else ".json"
        except ValueError:
            return ".json"
    cells = [cell.strip(' "\r') for cell in re.split(r"[\t,;]", line.decode("utf-8", "replace"))]
    return (".tsv" if b"\t" in line else ".csv") if tables(cells) else ""
