"""Labels that somebody gives to summaries: hints confirmed or rejected, tags and notes; as a file, and from one."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from core.errors import CorpusError, SettingsError
from core.evaluation.rows import ScoredSummary
from core.faults.detectors import ANY_ERROR, DETECTORS
from core.faults.fault import Fault
from pages.parts.errors.summary_check import Verdict

BOOK, SAVED = "err_labels", "err_labels_saved"
"""Session keys: the labels, and the labels as they were saved last."""
LONGEST_NOTE, LONGEST_TAG, MOST_TAGS = 2000, 40, 12
LABEL_OF = {kind: each.confirmed_by[0] for kind, each in DETECTORS.items() if each.confirmed_by != ANY_ERROR}
"""The label that a confirmed hint becomes; low confidence alone names no error."""
IN_FILES: dict[Verdict, str] = {"right": "confirmed", "wrong": "rejected"}
FROM_FILES = {name: verdict for verdict, name in IN_FILES.items()}
Subject = tuple[str, str, str]
"""What is labelled: id, dialogue and summary. The same summary of the same dialogue keeps its labels in any file."""


@dataclass(frozen=True)
class Entry:
    """The labels of one summary.

    Args:
        verdicts: of hints that were confirmed or rejected.
        tags: words of one's own.
        note: a text of one's own.
        writer: hash of the weights that wrote the summary, or the name of the file that it came with.
    """

    verdicts: Mapping[Fault, Verdict] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str = ""
    writer: str = ""

    @property
    def empty(self) -> bool:
        """Return whether nothing was labelled."""
        return not (self.verdicts or self.tags or self.note)

    def verdict(self, hint: Fault) -> Verdict:
        """Return the verdict on a hint, "" if there is none; kind and span tell the hints of a summary apart."""
        return next((said for each, said in self.verdicts.items() if same(each, hint)), "")


Book = Mapping[Subject, Entry]


def same(one: Fault, other: Fault) -> bool:
    """Return whether two hints of a summary are about the same: of one kind, on the same words."""
    return (one.kind, one.start, one.end) == (other.kind, other.start, other.end)


def subject(row: ScoredSummary) -> Subject:
    """Return what the labels of a row are kept under."""
    return row.id, row.dialogue, row.summary


def book() -> Book:
    """Return all labels of the session."""
    return st.session_state.get(BOOK, {})  # type: ignore[no-any-return]


def entry(row: ScoredSummary) -> Entry:
    """Return the labels of a summary."""
    return book().get(subject(row), Entry())


def judge(row: ScoredSummary, hint: Fault, verdict: Verdict, writer: str) -> None:
    """Confirm or reject a hint; "" takes that back."""
    before = entry(row)
    verdicts = {each: said for each, said in before.verdicts.items() if not same(each, hint)}
    if verdict:
        verdicts[hint] = verdict
    keep({subject(row): replace(before, verdicts=verdicts, writer=writer)})


def write(row: ScoredSummary, tags: Sequence[str], note: str, writer: str) -> None:
    """Tag a summary and note something about it."""
    keep({subject(row): replace(entry(row), tags=_tags(tags), note=_note(note), writer=writer)})


def keep(changed: Book) -> None:
    """Put changed labels into the session."""
    st.session_state[BOOK] = {about: said for about, said in {**book(), **changed}.items() if not said.empty}


def all_tags() -> list[str]:
    """Return the tags that were used, in alphabetical order."""
    return sorted({tag for each in book().values() for tag in each.tags})


def unsaved() -> bool:
    """Return whether there are labels that were not saved since they changed."""
    return bool(book()) and book() != st.session_state.get(SAVED)


def mark_saved() -> None:
    """Remember that the labels were saved as they are now; for a button."""
    st.session_state[SAVED] = book()


def take(content: str, rows: Iterable[ScoredSummary]) -> str:
    """Put the labels of a file into the session, in the place of those that the same summaries had.

    Args:
        content: of the file.
        rows: the summaries that can be labelled.

    Returns:
        How many labels were read, in words.

    Raises:
        CorpusError: the file is something else, or labels none of the summaries.
    """
    found, others = read(content, rows)
    if not found:
        raise CorpusError("the file labels none of the summaries that are shown: their ids or their texts differ")
    keep(found)
    read_said = f"Labels of {len(found):,} {'summary' if len(found) == 1 else 'summaries'} were read."
    return f"{read_said} The other {others:,} lines are about summaries that are not shown." if others else read_said


def read(content: str, rows: Iterable[ScoredSummary]) -> tuple[dict[Subject, Entry], int]:
    """Return the labels that a file gives to some summaries, and how many of its lines label others.

    A line is one that `to_jsonl` or `table.to_jsonl` wrote; the summary is found by its id and its words.

    Raises:
        CorpusError: a line is something else.
    """
    known = {(row.id, row.summary): row for row in rows}
    found, others = {}, 0
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            id, summary = str(values["id"]), str(values["summary"])
            said = _entry(values, len(summary))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, SettingsError):
            raise CorpusError(f"line {number} is no line of labels that this page has saved as JSONL") from None
        if (id, summary) not in known:
            others += not said.empty
        elif not said.empty:
            found[subject(known[id, summary])] = said
    return found, others


def to_jsonl(labels: Book) -> str:
    """Return a line for each summary that was labelled, in the form of the hand-labelled set."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(labels))


def to_csv(labels: Book) -> str:
    """Return a line for each hint that was judged, and for each summary with tags or a note alone."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["id", "summary", "hint", "text", "evidence", "verdict", "tags", "note"])
    for line in _lines(labels):
        for hint in line["hints"] or [{}]:
            judged = [hint.get(name, "") for name in ("kind", "text", "evidence", "verdict")]
            writer.writerow([line["id"], line["summary"], *judged, "; ".join(line["tags"]), line["note"]])
    return buffer.getvalue()


def _lines(labels: Book) -> list[dict[str, Any]]:
    return [
        {
            "id": id,
            "checkpoint": said.writer,
            "summary": summary,
            "labels": [
                {"type": LABEL_OF[hint.kind], "text": summary[hint.start : hint.end]}
                for hint, verdict in said.verdicts.items()
                if verdict == "right" and hint.kind in LABEL_OF
            ],
            "hints": [
                hint.to_dict() | {"text": summary[hint.start : hint.end], "verdict": IN_FILES[verdict]}
                for hint, verdict in said.verdicts.items()
            ],
            "tags": list(said.tags),
            "note": said.note,
        }
        for (id, _, summary), said in labels.items()
    ]


def _entry(values: Mapping[str, Any], length: int) -> Entry:
    """Return the labels of a line; `length` of the summary bounds the spans of its hints."""
    judged = [each for each in (values.get("hints") or values.get("faults") or ()) if each.get("verdict")]
    verdicts = {Fault.from_dict(each): FROM_FILES[each["verdict"]] for each in judged}
    if any(hint.end > length for hint in verdicts):
        raise ValueError("a hint ends behind its summary")
    writer = str(values.get("checkpoint", ""))
    return Entry(verdicts, _tags([str(tag) for tag in values.get("tags", ())]), _note(values.get("note", "")), writer)


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    plain = (" ".join(tag.split())[:LONGEST_TAG] for tag in tags)
    return tuple(dict.fromkeys(tag for tag in plain if tag))[:MOST_TAGS]


def _note(note: str) -> str:
    return note[:LONGEST_NOTE].strip()
