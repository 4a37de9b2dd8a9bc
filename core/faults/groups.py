"""How often summaries of groups are right: of dialogues of three to five people, read twice by a language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from core.errors import CorpusError
from core.files import fault, parsed, read_text
from core.text.judged import Verdict

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
def shipped() -> Readings:
    """Count what ships; it is read once. Raises CorpusError if the file is damaged."""
    try:
        rows = [parsed(line) for line in read_text(FILE).splitlines()]
        (checkpoint,) = {str(row["checkpoint"]) for row in rows}
        wrong = [_is_wrong(row) for row in rows]
        return Readings(checkpoint, len(rows), sum(wrong), sum(all(row["wrong_person"]) for row in rows))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorpusError(f"{FILE.name} is damaged: {fault(FILE, error, 'bring it back with git restore')}") from None


def _is_wrong(row: Mapping[str, Any]) -> bool:
    """Return whether no reading calls a summary right; raises ValueError for other words than verdicts."""
    allowed = get_args(Verdict)
    if not row["verdicts"] or not set(row["verdicts"]) <= set(allowed):
        raise ValueError(f"the verdicts must be of {', '.join(allowed)}. Received: {row['verdicts']}")
    return "right" not in row["verdicts"]


def known() -> Readings | None:
    """Return the counts that ship; None where the file is missing or damaged, for those who can do without."""
    try:
        return shipped()
    except CorpusError:
        return None
