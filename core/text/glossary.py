"""The terms of `docs/glossary.md`: what the app shows where a term needs a definition.

`docs/glossary.tr.md` and the like are the same in another language, with the English term in brackets at the end of
each heading where the two differ.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.files import fault, mistaken, read_text
from core.words import ENGLISH, language, say

PATH = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
LONGEST = 240
"""Characters of a definition that still fit into a tooltip."""
LAST = "expected calibration error"
"""The last term of the file."""
_TERM = "### "
_IN_BRACKETS = re.compile(r"\((.*)\)\s*$")


@dataclass(frozen=True, slots=True)
class Term:
    """An entry of the glossary.

    Args:
        name: its English term.
        heading: as it stands in the glossary of a language, with the English term in brackets where they differ.
        definition: plain text.
        source: the works that it comes from, "" where none is named.
        group: number of the group that it stands in, from 0.
    """

    name: str
    heading: str
    definition: str
    source: str
    group: int


def groups() -> dict[str, list[Term]]:
    """Return the terms by their groups, in the language that is spoken here; raises OSError or UnicodeDecodeError."""
    return _groups(file(language()))


def definition(term: str) -> str:
    """Return the definition of a term, plain text of at most `LONGEST` characters.

    Args:
        term: as its heading in the glossary has it, such as "teacher forcing".

    Raises:
        KeyError: the glossary does not have the term.
    """
    path = file(language())
    try:
        return _definitions(path)[term]
    except (OSError, UnicodeDecodeError) as error:  # a page without its tooltips is better than none
        return say(
            "docs/{file} cannot be read: {fault}",
            file=path.name,
            fault=fault(path, error, say("bring it back with git restore")),
        )


def file(code: str) -> Path:
    """Return the glossary in a language."""
    return PATH if code == ENGLISH else PATH.with_suffix(f".{code}.md")


def parse(text: str) -> dict[str, list[Term]]:
    """Return the terms of a glossary by their groups: level-3 headings below those of level 2."""
    glossary: dict[str, list[Term]] = {}
    for number, block in enumerate(text.split("\n## ")):
        name, _, body = block.partition("\n")
        terms = [_term(part, number - 1) for part in f"\n{body}".split(f"\n{_TERM}")[1:]]
        if terms:
            glossary[name.strip()] = terms
    return glossary


def _term(text: str, group: int) -> Term:
    heading, *paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    definition, source, *_ = [*paragraphs, "", ""]
    match = _IN_BRACKETS.search(heading)
    return Term(match[1] if match else heading.strip(), heading, definition, source, group)


@cache
def _groups(path: Path) -> dict[str, list[Term]]:
    text = read_text(path)
    if reason := mistaken(path):
        raise OSError(reason)
    return parse(text)


@cache
def _definitions(path: Path) -> dict[str, str]:
    return _Terms((term.name, term.definition) for terms in _groups(path).values() for term in terms)


class _Terms(dict[str, str]):
    """The terms of a glossary; one whose last term is missing is cut off."""

    def __missing__(self, term: str) -> str:
        if LAST in self:
            raise KeyError(term)
        return say("The glossary is cut off and does not define {term}: bring it back with git restore", term=term)
