"""The terms of `docs/glossary.md`: what the app shows where a term needs a definition."""

from functools import cache
from pathlib import Path

from core.files import fault, mistaken, read_text

PATH = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
LONGEST = 240
"""Characters of a definition that still fit into a tooltip."""
LAST = "expected calibration error"
"""The last term of the file."""
_TERM = "### "


def definition(term: str) -> str:
    """Return the definition of a term, plain text of at most `LONGEST` characters.

    Args:
        term: as its heading in the glossary has it, such as "teacher forcing".

    Raises:
        KeyError: the glossary does not have the term.
    """
    try:
        return _definitions()[term]
    except (OSError, UnicodeDecodeError) as error:  # a page without its tooltips is better than none
        return f"docs/glossary.md cannot be read: {fault(PATH, error, 'bring it back with git restore')}"


def parse(text: str) -> list[tuple[str, str]]:
    """List the terms of a glossary with their definitions: level-3 headings, each with the paragraph below it."""
    entries = text.split(f"\n{_TERM}")[1:]
    blocks = [entry.partition("\n## ")[0].split("\n\n") for entry in entries]
    return [(term.strip(), " ".join(paragraphs[0].split()) if paragraphs else "") for term, *paragraphs in blocks]


@cache
def _definitions() -> dict[str, str]:
    text = read_text(PATH)
    if reason := mistaken(PATH):
        raise OSError(reason)
    return _Terms(parse(text))


class _Terms(dict[str, str]):
    """The terms of a glossary; one whose last term is missing is cut off."""

    def __missing__(self, term: str) -> str:
        if LAST in self:
            raise KeyError(term)
        return f"docs/glossary.md is cut off and does not define {term}: bring it back with git restore"
