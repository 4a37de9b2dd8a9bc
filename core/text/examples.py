"""The dialogues that ship with the project: written for it, with reference summaries, no data set needed."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

START = "bad-cold"
"""Id of the dialogue that the app opens with: its summary is right, and its cross-attention easy to read."""


@dataclass(frozen=True, slots=True)
class Example:
    """One embedded dialogue.

    Args:
        id: short slug, as it stands in links (`lost-suitcase`).
        title: short title for a picker.
        dialogue: the text, ready for `parse_dialogue`.
        references: one to three reference summaries.
        topic: one word.
        notes: one line about the use of the dialogue.
    """

    id: str
    title: str
    dialogue: str
    references: tuple[str, ...]
    topic: str
    notes: str


@cache
def load_examples() -> tuple[Example, ...]:
    """Return the embedded dialogues in the order of `examples.jsonl`; the file is read once."""
    lines = Path(__file__).with_name("examples.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return tuple(Example(**{**row, "references": tuple(row["references"])}) for row in rows)


def example_by_id(id: str) -> Example | None:
    """Return the embedded dialogue with this id, or None where there is none."""
    return next((example for example in load_examples() if example.id == id), None)
