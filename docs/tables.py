"""Put a table that a script makes into a document, in the place of the one that it has."""

import re


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
