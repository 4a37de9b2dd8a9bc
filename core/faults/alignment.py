"""Align a summary with its dialogue: the turns that its words come from, and the turns that it leaves out.

This uses word overlap and no model. Overlap shows a possible source, not that a statement is true.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from core.explain.shared.repetition import words_of
from core.faults.fault import Fault, Kind
from core.faults.source import Source, written
from core.faults.words import REPORT_WORDS, Word, sentences

SUPPORTING = 3
"""Most turns of a clause, the best first."""
PassageKind = Literal[
    "same phrase", "similar meaning", "new word", "new name", "new number", "missed turn", "other speaker"
]
TurnWordKind = Literal["same", "another form", "reference"]
MAX_TURNS = 5
"""Most turns of a passage, in the order of the dialogue."""
_HINTED: Mapping[Kind, PassageKind] = {"wrong_speaker": "other speaker", "omitted_turn": "missed turn"}
"""Hints that are also passages."""
CONJUNCTIONS = frozenset("and but so because while although though then whereas".split())
_PRONOUNS = frozenset("he she they it i we you".split())


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the summary and its source.

    Args:
        kind: "same phrase" occurs in a turn word for word, "similar meaning" is another form of a word of a turn;
            "new …" is in no turn; "other speaker" names a person although somebody else says the words of the clause;
            "missed turn" is no stretch (`start` = `end` = 0) but a turn that is not in the summary.
        start: first character in the summary.
        end: one past the last.
        turns: 0-based turns, at most `MAX_TURNS`.
    """

    kind: PassageKind
    start: int
    end: int
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """A turn that shares words with a clause: the share of the clause's weighted content words, and the words."""

    turn: int
    speaker: str | None
    share: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the summary.

    Args:
        start: first character.
        end: one past the last.
        words: its words.
        support: the turns that share content words with it, the best first, at most `SUPPORTING`.
        by_speaker: for each speaker, the share of its weighted content words that they say somewhere, 0 to 1.
    """

    start: int
    end: int
    words: tuple[Word, ...]
    support: tuple[Support, ...]
    by_speaker: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Alignment:
    """A summary aligned with its dialogue.

    Args:
        source: the dialogue.
        summary: the summary.
        words: its words.
        clauses: its clauses.
        coverage: for each turn, the share of its content stems that occur in the summary; 0 for a turn without any.
    """

    source: Source
    summary: str
    words: tuple[Word, ...]
    clauses: tuple[Clause, ...]
    coverage: tuple[float, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The content stems of the summary."""
        return frozenset(word.stem for word in self.words if word.content)


def align(source: Source, summary: str) -> Alignment:
    """Align a summary with a dialogue."""
    words = source.read(summary)
    stems = {word.stem for word in words if word.content}
    coverage = tuple(len(turn & stems) / len(turn) if turn else 0.0 for turn in source.stems)
    spans = clause_spans(summary, words)
    clauses = tuple(_clause(source, start, end, words) for start, end in spans)
    return Alignment(source, summary, words, clauses, coverage)


def reference_coverage(alignment: Alignment, references: Sequence[str]) -> list[float] | None:
    """Return for each turn the share of its content words that the best reference for it has; None without any."""
    sides = [align(alignment.source, reference).coverage for reference in references]
    return [max(shares) for shares in zip(*sides, strict=True)] if sides else None


def turn_words(alignment: Alignment, turn: int, references: Sequence[str]) -> list[tuple[Word, TurnWordKind]]:
    """Return the content words of a turn that the summary or a reference has.

    Args:
        alignment: of the summary with the dialogue.
        turn: 0-based.
        references: reference summaries.

    Returns:
        Words, and whether the summary has the "same" word, "another form" of it, or only a "reference" has it.
    """
    expected = {word.stem for text in references for word in alignment.source.read(text) if word.content}
    summary_words = set(words_of(alignment.summary))
    matches: list[tuple[Word, TurnWordKind]] = []
    for word in (each for each in alignment.source.turns[turn] if each.content):
        if word.stem in alignment.stems:
            matches.append((word, "same" if word.text.casefold() in summary_words else "another form"))
        elif word.stem in expected:
            matches.append((word, "reference"))
    return matches


def clause_spans(text: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Split into sentences, also before a conjunction with a new subject ("…, but Anna agrees")."""
    spans = []
    for start, end in sentences(text):
        inside = [word for word in words if start <= word.start < end]
        for place in range(2, len(inside) - 2):
            word, before, after = inside[place], inside[place - 1], inside[place + 1]
            subject = after.kind in ("speaker", "name") or after.text.casefold() in _PRONOUNS
            joins = before.kind in ("speaker", "name") and after.kind in ("speaker", "name")
            if word.text.casefold() in CONJUNCTIONS and subject and not joins:
                spans.append((start, word.start))
                start = word.start
        spans.append((start, end))
    return spans


def topic_words(words: Sequence[Word]) -> list[Word]:
    """Return the content words without reporting verbs ("tells", "discuss"): the topic of a clause."""
    return [word for word in words if word.content and word.text.casefold() not in REPORT_WORDS]


def support(source: Source, words: Sequence[Word], limit: int = SUPPORTING) -> tuple[Support, ...]:
    """Return the turns that share content words, the best first; of equal ones the earlier one first."""
    topics = {word.stem: word.text for word in topic_words(words)}
    whole = sum(source.weight(stem) for stem in topics)
    shared: dict[int, list[str]] = defaultdict(list)
    for stem in topics:
        for turn in source.where.get(stem, ()):
            shared[turn].append(stem)
    candidates = [
        Support(
            turn,
            source.dialogue.turns[turn].speaker,
            sum(source.weight(stem) for stem in stems) / whole,
            tuple(topics[stem] for stem in stems),
        )
        for turn, stems in shared.items()
    ]
    return tuple(sorted(candidates, key=lambda candidate: (-candidate.share, candidate.turn))[:limit])


def _clause(source: Source, start: int, end: int, words: Sequence[Word]) -> Clause:
    inside = tuple(word for word in words if start <= word.start < end)
    topics = dict.fromkeys(word.stem for word in topic_words(inside))  # sums of one order are always the same
    whole = sum(source.weight(stem) for stem in topics)
    shares: dict[str, float] = defaultdict(float)
    for stem in topics:
        speakers = {source.dialogue.turns[turn].speaker for turn in source.where.get(stem, ())}
        for speaker in sorted(name for name in speakers if name is not None):
            shares[speaker] += source.weight(stem) / whole
    return Clause(start, end, inside, support(source, inside), tuple(sorted(shares.items())))


def passages(alignment: Alignment, faults: Sequence[Fault] = ()) -> tuple[Passage, ...]:
    """Split a summary into stretches by their source.

    Args:
        alignment: of the summary with its dialogue.
        faults: its hints; those for wrong speakers and omitted turns become passages.

    Returns:
        The passages in the order of the summary, missed turns first. Function words have no own passage; only
        "other speaker" may overlap another passage.
    """
    source, words = alignment.source, alignment.words
    aligned: list[Passage] = []
    place = 0
    while place < len(words):
        length, turns = _longest(source, words, place)
        last = words[place + length - 1]
        if turns and any(word.content for word in words[place : place + length]):
            aligned.append(Passage("same phrase", words[place].start, last.end, turns[:MAX_TURNS]))
            place += length
            continue
        kind = _word_kind(source, words[place])
        if kind is not None:
            where = source.where.get(words[place].stem, ())[:MAX_TURNS]
            aligned.append(Passage(kind, words[place].start, words[place].end, where))
        place += 1
    hinted = [
        Passage(_HINTED[fault.kind], fault.start, fault.end, fault.turns[:MAX_TURNS])
        for fault in faults
        if fault.kind in _HINTED
    ]
    return tuple(sorted([*aligned, *hinted], key=lambda passage: (passage.start, passage.end)))


def _word_kind(source: Source, word: Word) -> PassageKind | None:
    """Return the class of a word that is in no turn as written."""
    if not word.content:
        return None
    if source.has(word):
        return "similar meaning"
    if word.kind == "number":
        return "new number"
    if word.kind == "name":
        return "new name"
    return None if word.text.casefold() in REPORT_WORDS else "new word"  # "tells" is a word of the summary itself


def _longest(source: Source, words: Sequence[Word], place: int) -> tuple[int, tuple[int, ...]]:
    """Return the length of the longest run of words from `place` that is in a turn, and those turns."""
    small = [written(word) for word in words[place : place + 40]]
    starts = source.pairs.get((small[0], small[1]), []) if len(small) > 1 else []
    best, turns = 1, dict.fromkeys(_single(source, words[place]))
    for turn, first in starts:
        utterance = source.small[turn]
        length = 2
        while length < len(small) and first + length < len(utterance) and utterance[first + length] == small[length]:
            length += 1
        if length > best:
            best, turns = length, {}
        if length == best:
            turns[turn] = None
    while best > 1 and not words[place + best - 1].content:
        best -= 1  # "the suitcase is in" ends with "suitcase"
    return best, tuple(turns)


def _single(source: Source, word: Word) -> tuple[int, ...]:
    turns = source.where.get(word.stem, ()) if word.content else ()
    small = written(word)
    return tuple(turn for turn in turns if small in source.small[turn])
