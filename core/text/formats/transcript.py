"""What every reader gives: the turns of a file, and how many of its lines were taken, joined and left out, and why."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from core.errors import DialogueError
from core.files import table
from core.text.dialogue import SIGN, parse_dialogue, write_turns
from core.text.marks import DATE, EDGE
from core.words import later, say

Unit = str
"""What a format consists of: "message", "cue", "line" or "row"; to be counted in a sentence."""
UNITS = (later("message"), later("cue"), later("line"), later("row"))
REASONS: dict[str, str] = table(__file__)["reasons"]
"""Why something is left out, each as a noun to be counted."""
SEVERAL = later("The file holds {chats} chats: the longest one is read.")
_NAME_EDGE = EDGE + "*~,\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ENDS = re.compile(r"[.?!\u2026\u3002\uff1f\uff01\u061f\u06d4\u0964][\"'\u201d\u2019\u00bb)\]]*$")
_PAUSE = 5.0
"""Seconds of silence after which the next cue is a turn of its own."""


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a file: a message, a cue or a line.

    Args:
        speaker: the name, or None.
        text: the words as they stand there.
        left_out: the reason in `REASONS` for which it is no turn; "" for a turn.
        line: where it begins in the file, from 1; 0 where that is not known.
        start, end: in seconds from the beginning of a recording, or None.
        day: its date as the file writes it, or "".
    """

    speaker: str | None
    text: str
    left_out: str = ""
    line: int = 0
    start: float | None = None
    end: float | None = None
    day: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a reader should know about a file; `message` is to be said with its values."""

    message: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Say the note."""
        return say(self.message, **self.values)


Moment = tuple[str, float | None]
"""A day as a file writes it, "" for none, and a second of it or of a recording."""
_DATE = re.compile(DATE)
_CLOCK = re.compile(r"(?<!\d)(\d{1,3})[:.](\d\d)(?:[:.](\d\d))?(?!\d)")
_LATE = re.compile(
    r"[pP]\.?\s?[mM]|ÖS|ös|[下午晚]+[午上後]|오후|\bم\b|ب\.ظ|अपराह्न|μ\.μ|\bCH\b|odp|du\.|ip\.|[ne]m\b|אחה|หลัง"
)
"""What the second half of the day is called with twelve hours."""


def moment_of(stamp: str, minutes: bool = False) -> Moment:
    """Read the day and the time before a message; `minutes`: whether 12:30 are minutes of a recording, not hours."""
    date = _DATE.search(stamp)
    rest = stamp[: date.start()] + " " + stamp[date.end() :] if date else stamp
    clock = _CLOCK.search(rest)
    if clock is None:
        return (date[0] if date else ""), None
    first, second, third = (int(digits or 0) for digits in clock.groups())
    if minutes and not date and clock[3] is None:
        first, second, third = 0, first, second
    elif first <= 12 and _LATE.search(rest):
        first = first % 12 + 12
    return (date[0] if date else ""), float(3600 * first + 60 * second + third)


def epoch(value: Any, unit: float = 1.0) -> Moment:
    """Return the day and the second of a number of seconds since 1970, or of other units; of a text that it says."""
    if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
        return moment_of(value[:60])
    try:
        seconds = float(value) * unit
        return datetime.fromtimestamp(seconds, UTC).date().isoformat(), seconds % 86_400
    except (TypeError, ValueError, OverflowError, OSError):
        return "", None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file as it was read.

    Args:
        format: name of the reader in the registry.
        turns: speaker, or None, and words of each.
        text: the same turns as `core.text.dialogue.parse_dialogue` finds them again.
        unit: what the file consists of.
        taken: how many of them became turns, or parts of turns.
        joined: how many of them became a part of the turn before.
        left_out: how many were left out, by the reason.
        notes: what else is to be said, the first offending line among it.
        moments: of each turn the day and the second at which it begins; empty where the reader knows neither.
    """

    format: str
    turns: tuple[tuple[str | None, str], ...]
    text: str
    unit: Unit = "line"
    taken: int = 0
    joined: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    moments: tuple[Moment, ...] = ()

    @property
    def speakers(self) -> tuple[str, ...]:
        """The distinct speakers in the order of their first turn."""
        return tuple(dict.fromkeys(speaker for speaker, _ in self.turns if speaker))

    @property
    def whole(self) -> bool:
        """Whether nothing was left out and there is nothing to note."""
        return not self.left_out and not self.notes

    def to_dict(self) -> dict[str, Any]:
        """Return name, counts, reasons and notes as plain JSON types; the turns stand beside it."""
        return {
            "name": self.format,
            "unit": self.unit,
            "taken": self.taken,
            "joined": self.joined,
            "left_out": dict(self.left_out),
            "notes": [str(note) for note in self.notes],
        }

    def noted(self, *notes: Note) -> "Transcript":
        """Return the transcript with more notes."""
        return replace(self, notes=(*self.notes, *notes))


Cleaner = Callable[[Said], tuple[str, Sequence[str]]]


def transcript(
    name: str, entries: Iterable[Said], unit: Unit, clean: Cleaner | None = None, notes: Iterable[Note] = ()
) -> Transcript:
    """Make a transcript of the entries of a file, in their order.

    Args:
        name: of the reader.
        entries: of the file.
        unit: what they are.
        clean: returns the words of an entry without what nobody said, and the reasons of what it took away; an entry
            of which nothing is left is left out for the last of them.
        notes: what else is to be said.
    """
    turns, moments, left, taken = [], [], Counter[str](), 0
    for entry in entries:
        if entry.left_out:
            left[entry.left_out] += 1
            continue
        words, reasons = clean(entry) if clean else (entry.text, ())
        words = words.replace(SIGN, "").strip(EDGE)
        left.update(reasons if words or reasons else ("empty",))
        if words:
            taken += 1
            turns.append((name_of(entry.speaker), words))
            moments.append((entry.day, entry.start))
    untimed = finished(name, turns, unit, taken=taken, left_out=left, notes=notes)
    return replace(untimed, moments=tuple(moments)) if any(map(any, moments)) else untimed


def finished(
    name: str,
    turns: Iterable[tuple[str | None, str]],
    unit: Unit,
    *,
    taken: int,
    joined: int = 0,
    left_out: Mapping[str, int],
    notes: Iterable[Note] = (),
) -> Transcript:
    """Make a transcript of turns; raises DialogueError if there are none."""
    whole = tuple((speaker, readable(text)) for speaker, text in turns)
    left = {reason: count for reason, count in left_out.items() if count}
    if not whole:
        raise NothingSaid(sum(left.values()))
    return Transcript(name, whole, write_turns(whole), unit, taken, joined, left, tuple(notes))


class NothingSaid(DialogueError):
    """A file whose format is known has no turn; `left` is how much of it was left out."""

    def __init__(self, left: int) -> None:
        super().__init__(say("nobody says anything in it; entries left out: {left}", left=left))
        self.left = left


def typed(name: str, text: str) -> Transcript:
    """Read a text as it stands, as `parse_dialogue` does."""
    turns = tuple((turn.speaker, turn.text) for turn in parse_dialogue(text).turns)
    if not turns:
        raise NothingSaid(0)
    return Transcript(name, turns, text, "line", len(turns))


def name_of(speaker: str | None) -> str | None:
    """Return a speaker's name on one line, without marks around it; None for no name."""
    if speaker is None:
        return None
    return readable(" ".join(speaker.replace(SIGN, "").split()).strip(_NAME_EDGE)[:200].strip(_NAME_EDGE)) or None


def readable(text: str) -> str:
    """Put the sign for what cannot be read in the place of half a pair of UTF-16."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def joined(name: str, cues: Sequence[Said], notes: Iterable[Note] = (), *, apart: bool = False) -> Transcript:
    """Make a transcript of a recording's cues: those of one speaker are one turn until a sentence ends.

    Args:
        name: of the reader.
        cues: in their order.
        notes: what else is to be said.
        apart: whether each cue stays a turn.
    """
    turns: list[tuple[str | None, list[str]]] = []
    moments: list[Moment] = []
    left, taken, before = Counter[str](), 0, None
    for cue in _without_repeats(cues):
        words = " ".join(cue.text.replace(SIGN, "").split()).strip(EDGE)
        if cue.left_out or not words:
            left[cue.left_out or "empty"] += 1
            continue
        taken, speaker = taken + 1, name_of(cue.speaker)
        if not apart and turns and turns[-1][0] == speaker and _goes_on(turns[-1][1][-1], before, cue):
            turns[-1][1].append(words)
        else:
            turns.append((speaker, [words]))
            moments.append((cue.day, cue.start))
        before = cue
    lines = [(speaker, " ".join(words)) for speaker, words in turns]
    notes = (*notes, *backwards(cues))
    untimed = finished(name, lines, "cue", taken=taken, joined=taken - len(turns), left_out=left, notes=notes)
    return replace(untimed, moments=tuple(moments))


def _goes_on(words: str, before: Said | None, cue: Said) -> bool:
    """Return whether a cue continues what its speaker said in the cue before."""
    pause = cue.start - before.end if before and cue.start is not None and before.end is not None else 0.0
    return not _ENDS.search(words) and pause <= _PAUSE


def _without_repeats(cues: Iterable[Said]) -> Iterator[Said]:
    """Leave out what stands in the cue before already; live captions roll."""
    before, earlier = Said(None, ""), [""]
    for cue in cues:
        lines = [line.strip() for line in cue.text.split("\n") if line.strip()]
        rolls = cue.speaker == before.speaker and cue.start is not None and cue.start <= (before.end or -1.0) + 0.1
        if rolls and lines == earlier[-len(lines) :] and len(cue.text.split()) > 1:
            yield replace(cue, left_out="repeated")
        elif rolls and len(lines) > 1 and lines[0] == earlier[-1]:
            yield replace(cue, text="\n".join(lines[1:]))
        else:
            yield cue
        before, earlier = cue, lines or [""]


def backwards(cues: Sequence[Said]) -> Iterator[Note]:
    """Note the first cue that begins before the one above it."""
    timed = [cue for cue in cues if cue.start is not None]
    for before, cue in zip(timed, timed[1:], strict=False):
        if (cue.start or 0.0) < (before.start or 0.0):
            yield Note(later("The times go back at line {line}; the order of the file is kept."), {"line": cue.line})
            return
