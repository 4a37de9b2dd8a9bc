"""The dialogues that ship with the project: written for it, with reference summaries, no data set needed."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.errors import CorpusError
from core.files import fault, read_text
from core.words import say

PATH = Path(__file__).with_name("examples.jsonl")
START = "lost-wallet"
"""Id of the dialogue that the app opens with: its summary is right, and its cross-attention easy to read."""


@dataclass(frozen=True, slots=True)
class Example:
    """One embedded dialogue.

    Args:
        id: short slug, as it stands in links (`lost-suitcase`).
        title: short title for a picker, to be said.
        dialogue: the text, ready for `parse_dialogue`.
        references: one to three reference summaries.
        topic: one word.
        notes: one line about the use of the dialogue, to be said.
    """

    id: str
    title: str
    dialogue: str
    references: tuple[str, ...]
    topic: str
    notes: str


@cache
def load_examples() -> tuple[Example, ...]:
    """Return the embedded dialogues in the order of `examples.jsonl`; the file is read once.

    Raises:
        CorpusError: the file is damaged.
    """
    try:
        rows = [json.loads(line) for line in read_text(PATH).split("\n") if line.strip()]
        examples = tuple(Example(**{**row, "references": tuple(row["references"])}) for row in rows)
        texts = [text for each in examples for text in (each.id, each.title, each.dialogue, *each.references)]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise ValueError(say("each must have texts for id, title, dialogue and references"))
        if len({each.id for each in examples}) != len(examples) or START not in {each.id for each in examples}:
            raise ValueError(say("each id must be there once, and {id!r} among them", id=START))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        reason = fault(PATH, error, say("bring it back with git restore core/text/examples.jsonl"))
        raise CorpusError("the bundled dialogues {file} are damaged: {reason}", file=PATH.name, reason=reason) from None
    return examples


def example_by_id(id: str) -> Example | None:
    """Return the embedded dialogue with this id, or None where there is none."""
    return next((example for example in load_examples() if example.id == id), None)
