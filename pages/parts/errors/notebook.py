"""What somebody says about the summaries: hints confirmed or rejected, tags, notes; and all of it as a file."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from core.faults.fault import Fault
from pages.parts.errors.runs import Run
from pages.shared.state import Key
from pages.shared.summary_check import Verdict

LONGEST_NOTE = 2000
MOST_TAGS = 12
LABEL_OF: Mapping[str, str] = {
    "repetition": "repetition",
    "novel_word": "invented",
    "novel_name": "invented",
    "novel_number": "invented",
    "number_mismatch": "wrong_number",
    "negation_mismatch": "negation",
    "wrong_speaker": "wrong_speaker",
    "same_person": "wrong_speaker",
    "omitted_turn": "missing",
    "unread_turn": "missing",
    "too_short": "missing",
    "too_long": "repetition",
    "special_token": "grammar",
    "speaker_swap": "wrong_speaker",
    "name_swap": "wrong_name",
    "number_swap": "wrong_number",
    "negation_swap": "negation",
}
"""The label that a confirmed hint becomes; low confidence alone names no error."""
Mark = tuple[str, int, int]
"""What tells the hints of a summary apart: kind and span."""


@dataclass(frozen=True)
class Entry:
    """What was said about one summary."""

    verdicts: Mapping[Mark, Verdict] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was said."""
        return not (self.verdicts or self.tags or self.note)


def mark(fault: Fault) -> Mark:
    """What tells a hint from the others of its summary."""
    return fault.kind, fault.start, fault.end


def entries(run: Run) -> dict[int, Entry]:
    """What was said about the summaries of a run, by place; a copy."""
    return dict(st.session_state.get(Key.ERR_NOTED, {}).get(run.key, {}))


def entry(run: Run, place: int) -> Entry:
    """What was said about one summary."""
    return entries(run).get(place, Entry())


def judge(run: Run, place: int, fault: Fault, verdict: Verdict) -> None:
    """Confirm or reject a hint; "" takes it back."""
    before = entry(run, place)
    others = {each: said for each, said in before.verdicts.items() if each != mark(fault)}
    verdicts = others | {mark(fault): verdict} if verdict else others
    _keep(run, place, replace(before, verdicts=verdicts))


def write(run: Run, place: int, tags: Sequence[str], note: str) -> None:
    """Tag a summary and note something about it."""
    plain = tuple(dict.fromkeys(" ".join(tag.split())[:40] for tag in tags if tag.strip()))[:MOST_TAGS]
    _keep(run, place, replace(entry(run, place), tags=plain, note=note[:LONGEST_NOTE].strip()))


def _keep(run: Run, place: int, said: Entry) -> None:
    others = {each: before for each, before in entries(run).items() if each != place}
    books = st.session_state.get(Key.ERR_NOTED, {})
    st.session_state[Key.ERR_NOTED] = books | {run.key: others if said.empty else others | {place: said}}


def all_tags(run: Run) -> list[str]:
    """The tags that were used, in alphabetical order."""
    return sorted({tag for said in entries(run).values() for tag in said.tags})


Book = Mapping[int, Entry]
"""What was said, by place."""


def to_jsonl(run: Run, book: Book, faults: Mapping[int, Sequence[Fault]]) -> str:
    """A line for each summary about which something was said, in the form of the hand-labelled set.

    Args:
        run: the summaries.
        book: what was said about them.
        faults: all hints of each place.
    """
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _lines(run, book, faults))


def to_csv(run: Run, book: Book, faults: Mapping[int, Sequence[Fault]]) -> str:
    """A line for each hint that was judged, and for each summary with tags or a note alone."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["id", "summary", "hint", "text", "evidence", "verdict", "tags", "note"])
    for line in _lines(run, book, faults):
        tail = ["; ".join(line["tags"]), line["note"]]
        hints = line["hints"] or [{"kind": "", "text": "", "evidence": "", "verdict": ""}]
        for hint in hints:
            writer.writerow([line["id"], line["summary"], *hint.values(), *tail])
    return buffer.getvalue()


def _lines(run: Run, book: Book, faults: Mapping[int, Sequence[Fault]]) -> list[dict[str, Any]]:
    lines = []
    for place, said in sorted(book.items()):
        row = run.rows.get(place)
        if row is None:
            continue
        judged = [(each, said.verdicts[mark(each)]) for each in faults.get(place, ()) if mark(each) in said.verdicts]
        labels = [
            {"type": LABEL_OF[each.kind], "text": row.summary[each.start : each.end]}
            for each, verdict in judged
            if verdict == "right" and each.kind in LABEL_OF
        ]
        hints = [
            {
                "kind": each.kind,
                "text": row.summary[each.start : each.end],
                "evidence": each.evidence,
                "verdict": {"right": "confirmed", "wrong": "rejected"}[verdict],
            }
            for each, verdict in judged
        ]
        lines.append(
            {
                "id": row.id,
                "checkpoint": _writer(run),
                "summary": row.summary,
                "labels": labels,
                "hints": hints,
                "tags": list(said.tags),
                "note": said.note,
            }
        )
    return lines


def _writer(run: Run) -> str:
    """The hash of the weights that wrote the summaries, or the name of the file that they came with."""
    if run.summarizer is None:
        return run.data.name
    return str(run.summarizer.checkpoint.card["sha256"]["weights.safetensors"])


