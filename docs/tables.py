"""Put a table that a script makes into a document, in the place of the one that it has, or compare the two."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def with_table(text: str, head: str, table: str) -> str:
    """Return a document with a table in the place of the one with the same head.

    Args:
        text: the document, as Markdown.
        head: the first two lines of the table.
        table: the new one, whole.

    Raises:
        ValueError: the document has no such table.
    """
    before, found, after = text.partition(head)
    if not found:
        raise ValueError(f"the document must have a table that begins with {head.splitlines()[0]}")
    rest = after[re.match(r"(?:\|.*\n)*", after).end() :]  # type: ignore[union-attr]
    return before + table + rest


def write(made: Mapping[Path, str]) -> int:
    """Write what was made for each document, or with `--check` say which is out of date; returns the exit status."""
    status = 0
    for path, text in made.items():
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)} is out of date: run `make docs` and commit it", file=sys.stderr)
            status = 1
    return status
