"""Labels that a reader gives to summaries: hints confirmed or rejected, tags and a note; as a file, and from one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.errors import CorpusError, SettingsError
from core.evaluation.rows import ScoredSummary
from core.faults.detectors import ANY_ERROR, DETECTORS
from core.faults.fault import Fault
from core.faults.labels import LABELS
from core.files import csv_of, mistaken, parsed
from core.words import LANGUAGES, catalogue, say

Verdict = Literal["", "right", "wrong"]
LONGEST_NOTE, LONGEST_TAG, MOST_TAGS = 2000, 40, 12
LABEL_OF = {kind: each.confirmed_by[0] for kind, each in DETECTORS.items() if each.confirmed_by != ANY_ERROR}
"""The label that a confirmed hint becomes; low confidence alone names no error."""
ERROR_TAGS = {each.label: name for name, each in LABELS.items()}
"""The tags that name an error type, each with the label that it becomes, about the whole summary."""
IN_FILES: dict[Verdict, str] = {"right": "confirmed", "wrong": "rejected"}
FROM_FILES = {name: verdict for verdict, name in IN_FILES.items()}
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


@dataclass(frozen=True)
class Entry:
    """The labels of one summary.

    Args:
        verdicts: of hints that were confirmed or rejected.
        tags: words of the reader's own.
        note: a text of the reader's own.
        writer: hash of the weights that wrote the summary, or the name of the file that it came with.
        correct: whether the reader found no error; an error tag or a confirmed hint takes that back.
    """

    verdicts: Mapping[Fault, Verdict] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str = ""
    writer: str = ""
    correct: bool = False

    @property
    def empty(self) -> bool:
        """Return whether nothing was labelled."""
        return not (self.verdicts or self.tags or self.note or self.correct)

    @property
    def decided(self) -> bool:
        """Return whether the summary is judged: it has a tag or a confirmed hint, or is correct."""
        return bool(self.correct or self.tags or "right" in self.verdicts.values())

    def verdict(self, hint: Fault) -> Verdict:
        """Return the verdict on a hint, "" if there is none; kind and span tell the hints of a summary apart."""
        return next((said for each, said in self.verdicts.items() if same(each, hint)), "")

    def judged(self, hint: Fault, verdict: Verdict) -> "Entry":
        """Return the labels with another verdict on a hint; "" takes it back."""
        others = {each: said for each, said in self.verdicts.items() if not same(each, hint)}
        correct = self.correct and verdict != "right"
        return replace(self, verdicts=others | ({hint: verdict} if verdict else {}), correct=correct)

    def worded(self, tags: Iterable[str], note: str) -> "Entry":
        """Return the labels with other tags and another note, cut to what is allowed."""
        plain = (" ".join(tag.split())[:LONGEST_TAG] for tag in tags)
        kept = tuple(dict.fromkeys(tag for tag in plain if tag))[:MOST_TAGS]
        correct = self.correct and ERROR_TAGS.keys().isdisjoint(kept)
        return replace(self, tags=kept, note=note[:LONGEST_NOTE].strip(), correct=correct)

    def tagged(self, tag: str, on: bool) -> "Entry":
        """Return the labels with a tag, or without it; with as many tags as are allowed it gets no other."""
        return self.worded([*self.tags, tag] if on else [each for each in self.tags if each != tag], self.note)

    def found_correct(self, on: bool) -> "Entry":
        """Return the labels of a summary without an error: no error tags, no confirmed hints; or not judged so."""
        if not on:
            return replace(self, correct=False)
        verdicts = {hint: said for hint, said in self.verdicts.items() if said != "right"}
        tags = tuple(tag for tag in self.tags if tag not in ERROR_TAGS)
        return replace(self, verdicts=verdicts, tags=tags, correct=True)

    def __str__(self) -> str:
        """Say all labels in one line."""
        found = list(self.verdicts.values())
        right, wrong = found.count("right"), found.count("wrong")
        said = [
            say("no error") if self.correct else "",
            say("{count} confirmed", count=right) if right else "",
            say("{count} rejected", count=wrong) if wrong else "",
        ]
        return "; ".join(filter(None, [*said, *map(tag_name, self.tags), self.note]))


Book = Mapping[Subject, Entry]


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


def read(content: str, rows: Iterable[ScoredSummary]) -> tuple[dict[Subject, Entry], int]:
    """Return the labels that a file gives to some summaries, and how many of its lines label others.

    A line is one that `to_jsonl` or `rows_to_jsonl` wrote; the summary is found by its id and its words.

    Raises:
        CorpusError: a line is something else.
    """
    if content and (reason := mistaken(content[:64].encode("utf-8", "replace"))):
        raise CorpusError("the file holds no labels: {reason}", reason=reason)
    known = {(row.id, row.summary): row for row in rows}
    found, others = {}, 0
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = parsed(line)
            id, summary = str(values["id"]), str(values["summary"])
            said = entry_of(values, len(summary))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError, SettingsError):
            message = say(
                "line {number} is no line of labels that this page has saved as JSONL. Correct it, or save them again",
                number=number,
            )
            raise CorpusError(message) from None
        if (id, summary) not in known:
            others += not said.empty
        elif not said.empty:
            found[subject(known[id, summary])] = said
    return found, others


def entry_of(values: Mapping[str, Any], length: int) -> Entry:
    """Return the labels of a line; `length` of the summary bounds the spans of its hints.

    Raises:
        ValueError, LookupError, TypeError, AttributeError, SettingsError: it is no such line.
    """
    judged = [each for each in (values.get("hints") or values.get("faults") or ()) if each.get("verdict")]
    verdicts = {Fault.from_dict(each): FROM_FILES[each["verdict"]] for each in judged}
    if any(hint.end > length for hint in verdicts):
        raise ValueError(say("a hint ends beyond the end of its summary"))
    tags = [str(tag) for tag in values.get("tags", ())]
    said = Entry(verdicts, writer=str(values.get("checkpoint", "")), correct=values.get("correct") is True)
    return said.worded(tags, values.get("note", ""))


def to_jsonl(labels: Book) -> str:
    """Return a line for each summary that was labelled, in the form of the labelled set that ships."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in to_lines(labels))


def to_csv(labels: Book) -> str:
    """Return a line for each hint that was judged, and for each summary with tags or a note alone."""
    rows = [["id", "summary", "hint", "text", "evidence", "verdict", "tags", "note", "correct"]]
    for line in to_lines(labels):
        for hint in line["hints"] or [{}]:
            judged = [hint.get(name, "") for name in ("kind", "text", "evidence", "verdict")]
            said = ["; ".join(line["tags"]), line["note"], "yes" if line["correct"] else ""]
            rows.append([line["id"], line["summary"], *judged, *said])
    return csv_of(rows)


def rows_to_jsonl(rows: Iterable[tuple[ScoredSummary, Sequence[Fault], Entry]]) -> str:
    """Return a line for each row, with all its hints, the verdicts on them, the tags and the note."""
    lines = []
    for row, hints, said in rows:
        faults = [hint.to_dict() | {"verdict": IN_FILES.get(said.verdict(hint), "")} for hint in hints]
        more = {"faults": faults, "tags": list(said.tags), "note": said.note, "correct": said.correct}
        lines.append(json.dumps(row.to_dict() | more | {"checkpoint": said.writer}, ensure_ascii=False) + "\n")
    return "".join(lines)


def to_lines(labels: Book) -> list[dict[str, Any]]:
    """Return what `to_jsonl` writes, a dictionary for each summary, in the order of the labels."""
    return [
        {
            "id": id,
            "checkpoint": said.writer,
            "summary": summary,
            "labels": _labels(said, summary),
            "hints": [
                hint.to_dict() | {"text": summary[hint.start : hint.end], "verdict": IN_FILES[verdict]}
                for hint, verdict in said.verdicts.items()
            ],
            "tags": list(said.tags),
            "note": said.note,
            "correct": said.correct,
        }
        for (id, _, summary), said in labels.items()
    ]


def _labels(said: Entry, summary: str) -> list[dict[str, str]]:
    """Return the labels of the labelled set: confirmed hints with their words, then error tags without any."""
    confirmed = [hint for hint, verdict in said.verdicts.items() if verdict == "right" and hint.kind in LABEL_OF]
    found = [{"type": LABEL_OF[hint.kind], "text": summary[hint.start : hint.end]} for hint in confirmed]
    return found + [{"type": ERROR_TAGS[tag], "text": ""} for tag in said.tags if tag in ERROR_TAGS]
