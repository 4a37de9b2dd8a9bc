"""The input of a detector: one summary with its dialogue and further known facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from core.errors import SettingsError
from core.faults import evidence
from core.faults.alignment import Alignment, Support, align, support, topic_words
from core.faults.evidence import Evidence
from core.faults.source import Source
from core.faults.words import Word
from core.text.dialogue import Dialogue


class WrittenToken(Protocol):
    """A token of a summary: its characters and its probability."""

    @property
    def start(self) -> int:
        """First character in the summary."""

    @property
    def end(self) -> int:
        """One past the last character."""

    @property
    def probability(self) -> float:
        """Probability when it was written, 0 to 1."""


@dataclass(frozen=True)
class ReferenceClause:
    """A clause of a reference: its words and its turns."""

    text: str
    words: tuple[Word, ...]
    support: tuple[Support, ...]


@dataclass(frozen=True)
class Case:
    """One summary to check.

    Args:
        dialogue: the dialogue.
        summary: its summary.
        references: reference summaries, if any.
        tokens: the summary's tokens, if our model wrote it.
        attention: share of the attention on each turn; empty if unknown.
        tags: speakers by the tags that stand for them in the summary and its references.
        ended: whether the model wrote an end; None where nobody knows.

    Raises:
        SettingsError: `attention` does not have one share for each turn, or a token is outside the summary.
    """

    dialogue: Dialogue
    summary: str
    references: tuple[str, ...] = ()
    tokens: Sequence[WrittenToken] = ()
    attention: tuple[float, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    ended: bool | None = None

    def __post_init__(self) -> None:
        turns = len(self.dialogue.turns)
        if self.attention and len(self.attention) != turns:
            raise SettingsError(f"attention must have {turns} shares, one a turn. Received: {len(self.attention)}")
        outside = [token for token in self.tokens if not 0 <= token.start <= token.end <= len(self.summary)]
        if outside:
            span = f"{outside[0].start} to {outside[0].end}"
            raise SettingsError(f"a token must lie in the summary, 0 to {len(self.summary)}. Received: {span}")

    @cached_property
    def source(self) -> Source:
        """The words of the dialogue."""
        return Source(self.dialogue, self.tags)

    @cached_property
    def alignment(self) -> Alignment:
        """The alignment of the summary with the dialogue."""
        return align(self.source, self.summary)

    @cached_property
    def reference_clauses(self) -> tuple[tuple[ReferenceClause, ...], ...]:
        """The clauses of each reference that have a topic, with their turns."""
        clauses = []
        for reference in self.references:
            aligned = align(self.source, reference)
            clauses.append(
                tuple(
                    ReferenceClause(
                        reference[clause.start : clause.end].strip(), clause.words, support(self.source, clause.words)
                    )
                    for clause in aligned.clauses
                    if topic_words(clause.words)
                )
            )
        return tuple(clauses)


def quoted(words: Sequence[str], limit: int = 4) -> str | Evidence:
    """Quote some words for a sentence: "suitcase", "Madrid"; at most `limit`."""
    shown = [f"\u201c{word}\u201d" for word in dict.fromkeys(words)]
    quotation = ", ".join(shown[:limit])
    return evidence.of("and_more", words=quotation, count=len(shown) - limit) if len(shown) > limit else quotation
