"""Labels that readers give to summaries: hints confirmed or rejected, tags, the words that they are about, a note."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.errors import CorpusError
from core.evaluation.rows import ScoredSummary
from core.faults.detectors import ANY_ERROR, DETECTORS
from core.faults.fault import Fault
from core.faults.labels import LABELS
from core.scoring.agreement import ANY, MISSING
from core.text.dialogue import parse_dialogue
from core.words import LANGUAGES, catalogue, say

Verdict = Literal["", "right", "wrong"]
LONGEST_NOTE, LONGEST_TAG, LONGEST_NAME = 2000, 40, 40
MOST_TAGS, MOST_MARKS = 12, 100
LABEL_OF = {kind: each.confirmed_by[0] for kind, each in DETECTORS.items() if each.confirmed_by != ANY_ERROR}
"""The label that a confirmed hint becomes; low confidence alone names no error."""
ERROR_TAGS = {each.label: name for name, each in LABELS.items()}
"""The tags that name an error type, each with the label that it becomes, about the whole summary."""
Passage = tuple[int, int, int]
"""Words of the dialogue: the turn, their first character in its text, one past the last; all from 0."""
Subject = tuple[str, str, str]
"""What is labelled: id, dialogue and summary. The same summary of the same dialogue keeps its labels in any file."""


def tag_name(tag: str) -> str:
    """Return a tag as it is shown: an error type in the language of the page, a reader's own as it is."""
    return say(LABELS[ERROR_TAGS[tag]].label) if tag in ERROR_TAGS else tag


def tag_of(text: str) -> str:
    """Return the tag that a text names: the error type of this name in any language, else a reader's own.

    Somebody may type what is shown, and a browser may send what it has shown in the language before.
    """
    return next((tag for tag in ERROR_TAGS for code in LANGUAGES if catalogue(code).get(tag) == text), text)


def same(one: Fault, other: Fault) -> bool:
    """Return whether two hints of a summary are about the same: of one kind, on the same words."""
    return (one.kind, one.start, one.end) == (other.kind, other.start, other.end)


def subject(row: ScoredSummary) -> Subject:
    """Return what the labels of a row are kept under."""
    return row.id, row.dialogue, row.summary


@dataclass(frozen=True, slots=True)
class Mark:
    """The words that an error is about.

    Args:
        tag: one of `ERROR_TAGS`.
        start: first character of the words of the summary.
        end: one past the last; 0 like `start` where the error is about no words of the summary.
        passages: words of the dialogue.
    """

    tag: str
    start: int = 0
    end: int = 0
    passages: tuple[Passage, ...] = ()


def mark_of(row: ScoredSummary, tag: str, words: Sequence[Passage]) -> Mark | None:
    """Return words of a summary and its dialogue as an error; None if they are not there.

    Args:
        row: the summary.
        tag: one of `ERROR_TAGS`.
        words: at most one passage of each turn, and of the summary, which is the turn -1.
    """
    turns = parse_dialogue(row.dialogue).turns
    texts = {-1: row.summary, **{turn.index: turn.text for turn in turns}}
    there = {turn: (start, end) for turn, start, end in words if 0 <= start < end <= len(texts.get(turn, ""))}
    if not words or len(there) < len(words):
        return None
    passages = tuple((turn, *span) for turn, span in sorted(there.items()) if turn >= 0)
    return Mark(tag, *there.get(-1, (0, 0)), passages)


@dataclass(frozen=True)
class Entry:
    """The labels of one summary by one reader.

    Args:
        verdicts: of hints that were confirmed or rejected.
        tags: error types, and words of the reader's own.
        note: a text of the reader's own.
        writer: hash of the weights that wrote the summary, or the name of the file that it came with.
        correct: whether the reader found no error; an error tag or a confirmed hint takes that back.
        marks: the words that error tags are about; an error tag without any is about the whole summary.
    """

    verdicts: Mapping[Fault, Verdict] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str = ""
    writer: str = ""
    correct: bool = False
    marks: tuple[Mark, ...] = ()

    @property
    def empty(self) -> bool:
        """Return whether nothing was labelled."""
        return not (self.verdicts or self.tags or self.note or self.correct)

    @property
    def decided(self) -> bool:
        """Return whether the summary is judged: it has a tag or a confirmed hint, or is correct."""
        return bool(self.correct or self.tags or "right" in self.verdicts.values())

    @property
    def errors(self) -> frozenset[str]:
        """Return the types of the errors that were found, keys of `LABELS`: by tags and by confirmed hints."""
        confirmed = {LABEL_OF.get(hint.kind, "") for hint, verdict in self.verdicts.items() if verdict == "right"}
        return frozenset({ERROR_TAGS.get(tag, "") for tag in self.tags} | confirmed) - {""}

    def words(self, summary: str) -> dict[str, list[int]]:
        """Return for each type of error, and `ANY`, which words of the summary tags and confirmed hints mark.

        1 is a word of an error, 0 one of none; `MISSING` stands where an error was found in no words of the summary.
        """
        places = [word.span() for word in re.finditer(r"\S+", summary)]
        spans = [(ERROR_TAGS[mark.tag], mark.start, mark.end) for mark in self.marks]
        spans += [(LABEL_OF.get(h.kind, ""), h.start, h.end) for h, said in self.verdicts.items() if said == "right"]
        rated = {}
        for kind in (ANY, *LABELS):
            own = [(start, end) for each, start, end in spans if start < end and kind in (ANY, each)]
            unknown = not own and (bool(self.errors) if kind == ANY else kind in self.errors)
            inside = [any(start < last and first < end for start, end in own) for first, last in places]
            rated[kind] = [MISSING if unknown else int(each) for each in inside]
        return rated

    def verdict(self, hint: Fault) -> Verdict:
        """Return the verdict on a hint, "" if there is none; kind and span tell the hints of a summary apart."""
        return next((verdict for other, verdict in self.verdicts.items() if same(other, hint)), "")

    def judged(self, hint: Fault, verdict: Verdict) -> "Entry":
        """Return the labels with another verdict on a hint; "" takes it back."""
        others = {other: said for other, said in self.verdicts.items() if not same(other, hint)}
        correct = self.correct and verdict != "right"
        return replace(self, verdicts=others | ({hint: verdict} if verdict else {}), correct=correct)

    def worded(self, tags: Iterable[str], note: str) -> "Entry":
        """Return the labels with other tags and another note, cut to what is allowed."""
        plain = (" ".join(tag.split())[:LONGEST_TAG] for tag in tags)
        kept = tuple(dict.fromkeys(tag for tag in plain if tag))[:MOST_TAGS]
        correct = self.correct and ERROR_TAGS.keys().isdisjoint(kept)
        marks = tuple(mark for mark in self.marks if mark.tag in kept)
        return replace(self, tags=kept, note=note[:LONGEST_NOTE].strip(), correct=correct, marks=marks)

    def tagged(self, tag: str, on: bool) -> "Entry":
        """Return the labels with a tag, or without it; with as many tags as are allowed it gets no other."""
        return self.worded([*self.tags, tag] if on else [other for other in self.tags if other != tag], self.note)

    def marked(self, mark: Mark) -> "Entry":
        """Return the labels with words that an error is about, and its tag; known words and their tag are taken back.

        With as many tags or marks as are allowed it gets no other.
        """
        others = tuple(other for other in self.marks if other != mark)
        if mark in self.marks:
            left = any(other.tag == mark.tag for other in others)
            return replace(self if left else self.tagged(mark.tag, on=False), marks=others)
        entry = self.tagged(mark.tag, on=True)
        return replace(entry, marks=(*others, mark)) if mark.tag in entry.tags and len(others) < MOST_MARKS else self

    def found_correct(self, on: bool) -> "Entry":
        """Return the labels of a summary without an error: no error tags, no confirmed hints; or not judged so."""
        if not on:
            return replace(self, correct=False)
        verdicts = {hint: verdict for hint, verdict in self.verdicts.items() if verdict != "right"}
        tags = tuple(tag for tag in self.tags if tag not in ERROR_TAGS)
        return replace(self, verdicts=verdicts, tags=tags, correct=True, marks=())

    def __str__(self) -> str:
        """Say all labels in one line."""
        verdicts = list(self.verdicts.values())
        right, wrong = verdicts.count("right"), verdicts.count("wrong")
        parts = [
            say("no error") if self.correct else "",
            say("{count} confirmed", count=right) if right else "",
            say("{count} rejected", count=wrong) if wrong else "",
        ]
        return "; ".join(filter(None, [*parts, *map(tag_name, self.tags), self.note]))


Book = Mapping[Subject, Entry]
"""The labels of one reader."""
Books = Mapping[str, Book]
"""The labels of readers by the names that they chose; "" is a reader who chose none."""


def amount(books: Books) -> int:
    """Return how many summaries have labels."""
    return len({about for book in books.values() for about in book})


def name_of(text: str) -> str:
    """Return a reader's name as it is kept: on one line, without signs that cannot be seen, cut to what is allowed."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(plain.split())[:LONGEST_NAME].strip()


def check_tags(tags: Sequence[str]) -> None:
    """Refuse too many tags, or a too long one; raises CorpusError."""
    if len(tags) > MOST_TAGS:
        message = say("a summary has at most {most} tags. Received: {got}", most=MOST_TAGS, got=len(tags))
        raise CorpusError(message)
    for tag in tags:
        if len(" ".join(tag.split())) > LONGEST_TAG:
            got = f"{len(tag)}, {tag[:60]!r}"
            message = say("a tag has at most {most} characters. Received: {got}", most=LONGEST_TAG, got=got)
            raise CorpusError(message)
