"""How often summaries of groups are right: chats of three to five people, each read twice by a language model."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.files import parsed, read_text

FILE = Path(__file__).with_name("groups.jsonl")
"""One summary a line: the id of its dialogue in `core/text/groups.jsonl`, and what each reading says of it."""
FEWEST = 3
"""Speakers of a group."""


@dataclass(frozen=True, slots=True)
class Readings:
    """Counts of summaries that one checkpoint wrote of groups.

    Args:
        checkpoint: sha256 of its weights.
        count: number of summaries.
        wrong: of them, those that no reading calls right: something false, or the main point missing.
        persons: those of which every reading says that they name a wrong person.
    """

    checkpoint: str
    count: int
    wrong: int
    persons: int


@cache
def shipped() -> Readings | None:
    """Return the counts of what ships; None where the file is missing or damaged, for those who can do without."""
    try:
        rows = [parsed(line) for line in read_text(FILE).splitlines()]
        (checkpoint,) = {row["checkpoint"] for row in rows}
        wrong = sum("right" not in row["verdicts"] for row in rows)
        return Readings(checkpoint, len(rows), wrong, sum(all(row["wrong_person"]) for row in rows))
    except (OSError, ValueError, TypeError, KeyError):
        return None
