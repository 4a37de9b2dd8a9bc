"""Measures of a row of an evaluation, and slices of rows by turns, speakers, length and so on."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.errors import SettingsError
from core.explain.shared.repetition import words_of
from core.faults.alignment import Alignment, align, support
from core.faults.source import Source
from core.scoring.bertscore import BertScore
from core.scoring.rouge import Rouge
from core.text.dialogue import Dialogue
from core.words import later

MAX_TOPICS = 10
"""Number of the most frequent topics that have their own group; the others share one."""
OTHER = later("other topics")


@dataclass(frozen=True)
class Row:
    """The part of a row that measures and slices use.

    Args:
        dialogue: the dialogue.
        references: its reference summaries.
        summary: the summary.
        topic: '' if the data has none.
        rouge: its scores, or None.
        bertscore: its scores, or None.
        log_probability: summed over the summary's tokens, in nats; None for another system's summary.
        entropy: mean over the tokens, in nats; None for another system's summary.
    """

    dialogue: Dialogue
    references: tuple[str, ...]
    summary: str
    topic: str = ""
    rouge: Rouge | None = None
    bertscore: BertScore | None = None
    log_probability: float | None = None
    entropy: float | None = None

    @cached_property
    def alignment(self) -> Alignment:
        """The alignment of the summary with the dialogue."""
        return align(Source(self.dialogue), self.summary)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a row: name, description, the function that computes it or returns None, unit and decimals.

    Name, description and unit are marked with `later`. A unit of "%" means a share of 1, to be shown times 100.
    """

    label: str
    definition: str
    of: Callable[[Row], float | None]
    unit: str = ""
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Slice:
    """A way to group rows: name, description, the group of a row, and the order of the groups (else by size).

    Name and description are marked with `later`, and so are the groups that have an order.
    """

    label: str
    definition: str
    of: Callable[[Row], str | None]
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A group of rows: its name and the indices of its rows."""

    label: str
    members: tuple[int, ...]


def groups(name: str, rows: Sequence[Row]) -> tuple[Group, ...]:
    """Group rows.

    Args:
        name: a key of `SLICES`.
        rows: the rows.

    Returns:
        The groups with a row; a row without a topic, for instance, is in none.

    Raises:
        SettingsError: an unknown name.
    """
    if name not in SLICES:
        raise SettingsError(f"a slice must be one of {', '.join(SLICES)}. Received: {name!r}")
    return grouped(name, [SLICES[name].of(row) for row in rows])


def grouped(name: str, labels: Iterable[str | None]) -> tuple[Group, ...]:
    """Group rows by known labels, one for each row; see `groups`."""
    found: dict[str, list[int]] = {}
    for number, label in enumerate(labels):
        if label is not None:
            found.setdefault(label, []).append(number)
    if order := SLICES[name].order:
        return tuple(Group(label, tuple(found[label])) for label in order if label in found)
    common = [label for label, _ in Counter({label: len(each) for label, each in found.items()}).most_common()]
    kept = [Group(label, tuple(found[label])) for label in common[:MAX_TOPICS]]
    others = sorted(number for label in common[MAX_TOPICS:] for number in found[label])
    return (*kept, *([Group(OTHER, tuple(others))] if others else []))


def key_turn(row: Row) -> int | None:
    """Return the turn with the largest overlap with the first reference, by weighted content words, or None."""
    if not row.references:
        return None
    source = row.alignment.source
    best = support(source, source.read(row.references[0]), limit=1)
    return best[0].turn if best else None


def novelty(row: Row) -> float | None:
    """Return the share of the summary's content words that are in no turn in any form."""
    words = [word for word in row.alignment.words if word.content]
    return sum(not row.alignment.source.has(word) for word in words) / len(words) if words else None


def coverage(row: Row) -> float | None:
    """Return the mean share of a turn's content stems that are in the summary, over the turns with content."""
    pairs = zip(row.alignment.coverage, row.alignment.source.stems, strict=True)
    shares = [share for share, stems in pairs if stems]
    return sum(shares) / len(shares) if shares else None


def question_share(row: Row) -> float | None:
    """Return the share of turns with a question mark."""
    turns = row.dialogue.turns
    return sum("?" in turn.text or "\uff1f" in turn.text for turn in turns) / len(turns) if turns else None


def _dialogue_words(row: Row) -> int:
    return sum(len(words_of(turn.text)) for turn in row.dialogue.turns)


_TURNS = (later("under 6 turns"), later("6 to 9 turns"), later("10 to 14 turns"), later("15 or more turns"))
_LENGTHS = (later("under 80 words"), later("80 to 119 words"), later("120 to 199 words"), later("200 or more words"))
_QUESTIONS = (later("no questions"), later("up to a third"), later("up to two thirds"), later("over two thirds"))
_SPEAKERS = (later("no speakers"), later("1 speaker"), later("2 speakers"), later("3 or more speakers"))
_THIRDS = (later("first third"), later("middle third"), later("last third"))


def _turns_band(turns: int) -> str:
    return _TURNS[(turns >= 6) + (turns >= 10) + (turns >= 15)]


def _length_band(words: int) -> str:
    return _LENGTHS[(words >= 80) + (words >= 120) + (words >= 200)]


def _question_band(row: Row) -> str | None:
    share = question_share(row)
    if share is None:
        return None
    return _QUESTIONS[(share > 0) + (share > 1 / 3) + (share > 2 / 3)]


def _key_third(row: Row) -> str | None:
    turn = key_turn(row)
    return None if turn is None else _THIRDS[3 * turn // len(row.dialogue.turns)]


SLICES: Mapping[str, Slice] = {
    "turns": Slice(
        later("Turns"),
        later("Number of turns of the dialogue."),
        lambda row: _turns_band(len(row.dialogue.turns)),
        _TURNS,
    ),
    "speakers": Slice(
        later("Speakers"),
        later("How many speak."),
        lambda row: _SPEAKERS[min(3, len(row.dialogue.speakers))],
        _SPEAKERS,
    ),
    "length": Slice(
        later("Length"),
        later("Number of words of the dialogue."),
        lambda row: _length_band(_dialogue_words(row)),
        _LENGTHS,
    ),
    "topic": Slice(later("Topic"), later("As the data name it."), lambda row: row.topic.strip().casefold() or None),
    "questions": Slice(later("Questions"), later("Share of the turns that ask."), _question_band, _QUESTIONS),
    "key_turn": Slice(
        later("Key turn"), later("Where the turn lies that the first reference overlaps most."), _key_third, _THIRDS
    ),
}
"""The ways to group rows."""

MEASURES: Mapping[str, Measure] = {
    "rouge1": Measure(
        later("ROUGE-1"), later("F-measure, 0 to 100."), lambda row: row.rouge.rouge1 if row.rouge else None
    ),
    "rouge2": Measure(
        later("ROUGE-2"), later("F-measure, 0 to 100."), lambda row: row.rouge.rouge2 if row.rouge else None
    ),
    "rougeL": Measure(
        later("ROUGE-L"), later("F-measure, 0 to 100."), lambda row: row.rouge.rougeL if row.rouge else None
    ),
    "bertscore_precision": Measure(
        later("BERTScore precision"),
        later("At most 1."),
        lambda row: row.bertscore.precision if row.bertscore else None,
        "%",
    ),
    "bertscore_recall": Measure(
        later("BERTScore recall"), later("At most 1."), lambda row: row.bertscore.recall if row.bertscore else None, "%"
    ),
    "bertscore_f1": Measure(
        later("BERTScore F1"), later("At most 1."), lambda row: row.bertscore.f1 if row.bertscore else None, "%"
    ),
    "summary_words": Measure(
        later("Summary length"),
        later("Number of words of the summary."),
        lambda row: float(len(words_of(row.summary))),
        later("words"),
        0,
    ),
    "dialogue_words": Measure(
        later("Dialogue length"),
        later("Number of words of the dialogue."),
        lambda row: float(_dialogue_words(row)),
        later("words"),
        0,
    ),
    "turns": Measure(
        later("Turns"), later("Number of turns of the dialogue."), lambda row: float(len(row.dialogue.turns)), digits=0
    ),
    "speakers": Measure(
        later("Speakers"),
        later("Number of speakers of the dialogue."),
        lambda row: float(len(row.dialogue.speakers)),
        digits=0,
    ),
    "log_probability": Measure(
        later("Log-probability"),
        later("Sum over the summary's tokens, in nats."),
        lambda row: row.log_probability,
        later("nats"),
    ),
    "entropy": Measure(
        later("Entropy"), later("Mean over the summary's tokens, in nats."), lambda row: row.entropy, later("nats"), 2
    ),
    "novelty": Measure(
        later("Novelty"), later("Share of the summary's content words that stand in no turn."), novelty, "%"
    ),
    "coverage": Measure(
        later("Coverage"), later("Mean share of a turn's content stems that the summary has."), coverage, "%"
    ),
}
"""The measures of a row."""
