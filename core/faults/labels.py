"""A labelled set: summaries of one checkpoint with the errors found in them. It holds no dialogue.

The set that ships was read and labelled by a language model, not by people.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import CorpusError, SettingsError
from core.files import beside, fault, parsed, read_text, table, writing

LABELS_FILE = Path(__file__).with_name("labels.jsonl")
"""The labelled set that ships: read and labelled by a language model."""
_AGAIN = "take another copy of the file; git restore brings back the one that ships"


@dataclass(frozen=True, slots=True)
class LabelType:
    """The meaning of a label, to be said, and the corresponding error types of the literature."""

    label: str
    definition: str
    literature: str


LABELS = {name: LabelType(**each) for name, each in table(__file__)["types"].items()}
"""The types of labels."""


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled error.

    Args:
        type: a key of `LABELS`.
        text: the exact words of the summary; "" for the whole summary.
        occurrence: which occurrence of these words is meant, from 1.
    """

    type: str
    text: str = ""
    occurrence: int = 1


@dataclass(frozen=True, slots=True)
class LabelledSummary:
    """A summary and its labels; without labels it has no error.

    Args:
        id: of the dialogue in its data set.
        checkpoint: sha256 of the weights that wrote it.
        summary: the summary.
        labels: its errors.
        todo: it has not been labelled yet.

    Raises:
        SettingsError: an unknown type of label, or words that are not in the summary.
    """

    id: str
    checkpoint: str
    summary: str
    labels: tuple[Label, ...] = ()
    todo: bool = False

    def __post_init__(self) -> None:
        for label in self.labels:
            if label.type not in LABELS:
                raise SettingsError(f"a label's type must be one of {', '.join(LABELS)}. Received: {label.type!r}")
            count = self.summary.count(label.text) if label.text else 1
            if not 1 <= label.occurrence <= count:
                what = f"{label.text!r}, occurrence {label.occurrence}"
                raise SettingsError(f"a label's words must stand in its summary ({count} times). Received: {what}")

    def span(self, label: Label) -> tuple[int, int]:
        """Return the first character of a label's words and one past the last; (0, 0) for the whole summary."""
        start = -1
        for _ in range(label.occurrence if label.text else 0):
            start = self.summary.index(label.text, start + 1)
        return (start, start + len(label.text)) if label.text else (0, 0)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain JSON types; `occurrence` and `todo` only if they are not the default."""
        labels = [
            {"type": label.type, "text": label.text}
            | ({"occurrence": label.occurrence} if label.occurrence > 1 else {})
            for label in self.labels
        ]
        row = {"id": self.id, "checkpoint": self.checkpoint, "summary": self.summary, "labels": labels}
        return row | ({"todo": True} if self.todo else {})


def read_labels(path: Path = LABELS_FILE) -> tuple[LabelledSummary, ...]:
    """Read a labelled set; raises CorpusError that names the faulty line."""
    try:
        lines = read_text(path).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"the labels {path.name} cannot be read: {fault(path, error, _AGAIN)}") from None
    rows: dict[str, LabelledSummary] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(parsed(line))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            reason = fault(path, error, f"correct the line, or {_AGAIN}")
            raise CorpusError(f"line {number} of the labels {path.name} is wrong: {reason}") from None
        if row.id in rows:
            raise CorpusError(f"line {number} of the labels {path.name} has an id for the second time: {row.id!r}")
        rows[row.id] = row
    if not rows:
        raise CorpusError(f"the labels {path.name} are empty. Needed: at least one line; {_AGAIN}")
    return tuple(rows.values())


def _row(values: Mapping[str, Any]) -> LabelledSummary:
    labels = tuple(
        Label(str(each["type"]), str(each.get("text", "")), int(each.get("occurrence", 1))) for each in values["labels"]
    )
    return LabelledSummary(
        str(values["id"]), str(values["checkpoint"]), str(values["summary"]), labels, bool(values.get("todo", False))
    )


def write_labels(path: Path, rows: Iterable[LabelledSummary]) -> None:
    """Write a labelled set, complete or not at all; raises CorpusError if that fails."""
    write_text(path, "".join(json.dumps(row.to_dict(), ensure_ascii=False) + "\n" for row in rows))


def write_text(path: Path, text: str) -> None:
    """Write a file, complete or not at all; raises CorpusError if that fails."""
    with writing(f"'{path}'", CorpusError), beside(path) as file:
        file.write(text.encode())
