"""Words of summaries and dialogues: content or not, stems, names, speakers, quantities."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal

from core.faults.quantities import CALENDAR, quantities
from core.files import table
from core.runtime.imports import without

Class = Literal["content", "name", "speaker", "number", "function"]
TAG = re.compile(r"#Person\d+#")
APOSTROPHES = "'\u2019"
POSSESSIVES = ("'s", "\u2019s")
_WORD = re.compile(rf"[^\W_]+(?:[{APOSTROPHES}][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)]*\s+|\n+")

_TABLE = table(__file__)
FUNCTION_WORDS = frozenset(_TABLE["function_words"].split())
"""Words without content: articles, pronouns, auxiliaries, particles, greetings."""
REPORT_WORDS = frozenset(_TABLE["report_words"].split())
"""Reporting verbs of a summary, which need not be in the dialogue."""
_NO_NAMES = frozenset("I I'm I'd I'll I've".split())


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text.

    Args:
        start: first character.
        end: one past the last.
        text: as written, without a possessive 's.
        stem: Porter stem in lower case; the speaker whom a name or tag stands for; the value of a quantity.
        kind: "speaker" is the name of one of the dialogue's speakers or a #Person tag, "name" another proper name.
    """

    start: int
    end: int
    text: str
    stem: str
    kind: Class

    @property
    def content(self) -> bool:
        """Return whether the word has content."""
        return self.kind in ("content", "name", "number")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the Porter stem of a word in lower case; words of up to three letters stay, as in `rouge-score`."""
    small = word.casefold()
    return small if len(small) <= 3 else str(_stemmer().stem(small))


@cache
def _stemmer() -> Any:
    with without("scipy", "sklearn"):
        from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]  # it comes with rouge-score

    return PorterStemmer()


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences; the point of "Mr." and the like ends none."""
    spans, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        before = text[start : match.start()].rsplit(None, 1)
        if match.group().startswith(".") and before and before[-1].strip("\"'(") in ("Mr", "Mrs", "Ms", "Dr", "St"):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return [(first, last) for first, last in spans if text[first:last].strip()]


@lru_cache(maxsize=4)
def _speakers(speakers: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str]]:
    """Return names and pattern of speakers: the same for each turn, and there may be thousands of both."""
    whole = {name: name for name in speakers if not TAG.fullmatch(name)}
    parts: dict[str, set[str]] = {}
    for name in whole:
        for part in _WORD.findall(name):
            if len(part) > 1 and part[0].isupper() and part.casefold() not in FUNCTION_WORDS:
                parts.setdefault(part, set()).add(name)
    names = {part: owners.pop() for part, owners in parts.items() if len(owners) == 1} | whole
    written = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return names, re.compile(TAG.pattern + (rf"|(?<!\w)(?:{written})(?!\w)" if names else ""))


def read_words(
    text: str,
    speakers: Sequence[str] = (),
    known: Iterable[str] = (),
    tags: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Word, ...]:
    """Split a text into words with their classes.

    Args:
        text: a summary or a turn.
        speakers: the dialogue's speakers.
        known: further proper names; they also count at the beginning of a sentence.
        tags: speakers by the tags that stand for them.

    Returns:
        The words in order; a quantity of several words ("half past ten") and a speaker's name are one.
    """
    names, pattern = _speakers(tuple(speakers))
    mentions = [(match.start(), match.end(), match.group()) for match in pattern.finditer(text)]
    words = [Word(start, end, name, tags.get(name, names.get(name, name)), "speaker") for start, end, name in mentions]
    words += [Word(it.start, it.end, text[it.start : it.end], it.value, "number") for it in quantities(text)]
    taken = sorted((word.start, word.end) for word in words)
    starts = {_first_word(text, *span) for span in sentences(text)}
    proper = set(known)
    index = 0
    for match in _WORD.finditer(text):
        while index < len(taken) and taken[index][1] <= match.start():
            index += 1
        if index < len(taken) and taken[index][0] < match.end():
            continue
        if match.group() in ("s", "S") and match.start() and text[match.start() - 1] in APOSTROPHES:
            continue
        words.append(_plain_word(text, match, match.start() in starts, proper))
    named = {word.text for word in words if word.kind == "name"}
    words = [replace(word, kind="name") if word.kind == "content" and word.text in named else word for word in words]
    return tuple(_without_overlaps(sorted(words, key=lambda word: (word.start, -word.end))))


def _first_word(text: str, start: int, end: int) -> int:
    match = _WORD.search(text, start, end)
    return match.start() if match else start


def _plain_word(text: str, match: re.Match[str], first: bool, known: set[str]) -> Word:
    whole = match.group()
    written = whole[:-2] if whole.casefold().endswith(POSSESSIVES) else whole
    start, end = match.start(), match.start() + len(written)
    small = written.casefold().replace("\u2019", "'")
    if small in FUNCTION_WORDS or "'" in small and small.split("'")[0] + "'" != "o'":
        return Word(start, end, written, small, "function")
    capital = written[0].isupper() and written not in _NO_NAMES and small not in CALENDAR
    named = capital and (written in known or not first or (_subject(text, match.end()) and written[-1] != "s"))
    if len(small) == 1 and not named:
        return Word(start, end, written, small, "function")
    return Word(start, end, written, stem(small), "name" if named else "content")


def _subject(text: str, end: int) -> bool:
    """Return whether a verb in the third person follows: in "Brad calls" it does, in "Passengers wait" not."""
    match = re.match(r"\s+([a-z]+)", text[end:])
    verb = match.group(1) if match else ""
    return verb.endswith("s") and (verb in REPORT_WORDS or verb in ("is", "has", "was", "does"))


def _without_overlaps(words: list[Word]) -> list[Word]:
    kept: list[Word] = []
    for word in words:
        if not kept or word.start >= kept[-1].end:
            kept.append(word)
    return kept
