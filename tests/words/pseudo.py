"""A language in which every translated letter can be told: `Ａ` for `A`; what nobody translated stays plain."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from core import words
from core.lessons import course, reader
from core.lessons.stop import Stop, Talk
from core.text import glossary

PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WIDE = "".join(chr(ord(letter) + 0xFEE0) for letter in PLAIN)
CODE = "xx"
_KEPT = re.compile(
    r"\{[^{}]*\}|:material/\w+:|:(?:blue|green|orange|red|violet|gr[ae]y|rainbow|small|primary)(?:-\w+)?(?=\[)"
    r"|\$[^$]+\$|`[^`]*`|</?[a-z][^<>]*>|\]\([^)]*\)|&\w+;|https?://\S+"
)
"""What a translator leaves as it is: places for values, icons, colours, formulas, code, tags and addresses."""


def wide(message: str) -> str:
    """Return a message in the language: full-width letters, all else as it was."""
    kept = [match.group() for match in _KEPT.finditer(message)]
    parts = [part.translate(str.maketrans(PLAIN, WIDE)) for part in _KEPT.split(message)]
    return "".join(part + (kept[place] if place < len(kept) else "") for place, part in enumerate(parts))


class Pseudo(Mapping[str, str]):
    """The catalogue of the language: it has every message, and remembers which were asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, message: str) -> str:
        self.asked.add(message)
        return wide(message)

    def __contains__(self, message: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.asked)

    def __len__(self) -> int:
        return len(self.asked)


@contextmanager
def speaks() -> Iterator[Pseudo]:
    """Let everything be said in the language."""
    pseudo = Pseudo()
    plain = glossary.parse(glossary.PATH.read_text("utf-8"))
    groups = {wide(name): [_said(term) for term in terms] for name, terms in plain.items()}
    terms = {term.name: term.definition for terms in groups.values() for term in terms}
    read, grouped = glossary._definitions, glossary._groups
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(words._catalogues, CODE, pseudo)
        patch.setattr(words, "_ask", [lambda: CODE])
        patch.setattr(glossary, "_definitions", lambda path: terms if words.language() == CODE else read(path))
        patch.setattr(glossary, "_groups", lambda path: groups if words.language() == CODE else grouped(path))
        patch.setattr(course, "parse", _translated)
        yield pseudo


def _said(term: glossary.Term) -> glossary.Term:
    said = {name: wide(getattr(term, name)) for name in ("heading", "definition", "source")}
    return replace(term, **said)


def _translated(name: str, text: str) -> Stop | Talk:
    """Read a lesson, in the language where that is spoken."""
    found = reader.parse(name, text)
    if words.language() != CODE:
        return found
    changed = {"title": wide(found.title), "text": wide(found.text)}
    return replace(found, **changed, task=wide(found.task)) if isinstance(found, Stop) else replace(found, **changed)
