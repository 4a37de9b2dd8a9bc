"""The terms of `docs/glossary.md`: what the app shows where a term needs a definition."""

from functools import cache
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
LONGEST = 240
"""Characters of a definition that still fit into a tooltip."""
_TERM = "### "


def definition(term: str) -> str:
    """Return the definition of a term, plain text of at most `LONGEST` characters.

    Args:
        term: as its heading in the glossary has it, such as "teacher forcing".

    Raises:
        KeyError: the glossary does not have the term.
    """
    return _definitions()[term]


def parse(text: str) -> list[tuple[str, str]]:
    """List the terms of a glossary with their definitions: level-3 headings, each with the paragraph below it."""
    entries = text.split(f"\n{_TERM}")[1:]
    blocks = [entry.partition("\n## ")[0].split("\n\n") for entry in entries]
    return [(term.strip(), " ".join(paragraphs[0].split()) if paragraphs else "") for term, *paragraphs in blocks]


@cache
def _definitions() -> dict[str, str]:
    return dict(parse(PATH.read_text(encoding="utf-8")))
