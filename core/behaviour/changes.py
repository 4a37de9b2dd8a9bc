"""Dialogues with one thing changed, and what their summaries have to do then: follow, or stay as they are.

After CheckList (Ribeiro et al. 2020, 2020.acl-main.442): directional tests and tests of invariance. The changes are
made for English dialogues.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np

from core.experiments.attribution.twins import NUMBERS, WORD, exchanged, next_number
from core.faults.source import Source
from core.faults.words import REPORT_WORDS, stem
from core.files import table
from core.text.dialogue import Dialogue, write_turns
from core.training.augmentation import other_names, replaced

Test = Literal["directional", "invariance"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change: its name, definition and what was done, to be said, and what it tests."""

    label: str
    test: Test
    definition: str
    done: str


KINDS: Mapping[str, Kind] = {name: Kind(**each) for name, each in table(__file__, "kinds")["kinds"].items()}
SMALL_TALK = ("The weather is really lovely today, isn't it?", "Yes, it is. I hope that it stays like this.")
MOST_DIGITS = 4
_FEWEST_TURNS = 3
_DIGITS = {word: str(number) for number, word in enumerate(NUMBERS, 2)}


@dataclass(frozen=True, slots=True)
class Change:
    """A changed dialogue.

    Args:
        kind: one of `KINDS`.
        changed: what was changed, in plain words or numbers.
        text: the changed dialogue.
        expected: the summary before, with the change.
        come: what the summary must have now, as `told` gives it.
        gone: what it must not have any more.
        order: the speakers that it must name, in the order of their first mention; () for any.
    """

    kind: str
    changed: str
    text: str
    expected: str
    come: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

    def followed(self, before: str, after: str) -> bool | None:
        """Return whether a summary follows the change; None where it must stay: how much stays is measured."""
        if KINDS[self.kind].test == "invariance":
            return None
        if self.order:
            return mentioned(after, self.order) == self.order
        if self.come or self.gone:
            return self.come <= (words := told(after)) and not self.gone & words
        return before.split() != after.split()


def changes(id: str, dialogue: Dialogue, summary: str, seed: int = 0) -> tuple[Change, ...]:
    """Make every change that is possible in a dialogue, in the order of `KINDS`.

    Args:
        id: of the dialogue; with the seed it decides what is drawn at random.
        dialogue: unchanged.
        summary: of the unchanged dialogue, by the model that is tested.
        seed: of what is drawn.
    """
    variants = []
    for kind in KINDS:
        random = np.random.default_rng([seed, crc32(f"{id}\n{kind}".encode("utf-8", "replace"))])
        variants += [variant for variant in _MAKERS[kind](dialogue, summary, random) if variant.text != dialogue.text]
    return tuple(variants)


def told(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, their stems, and numbers up to ten in digits."""
    words = [word.casefold() for word in WORD.findall(text)]
    return frozenset((*words, *map(stem, words), *(_DIGITS[word] for word in words if word in _DIGITS)))


def mentioned(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of some names that a text has, in the order of their first mention."""
    longest = sorted(names, key=len, reverse=True)
    return tuple(dict.fromkeys(re.findall(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", text)))


def _names(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    new = other_names(dialogue.text, random)
    summary_names = {old: name for old, name in new.items() if old.casefold() in told(summary)}
    if summary_names:
        shown = ", ".join(f"{old} → {name}" for old, name in new.items())
        come, gone = (frozenset(map(str.casefold, names)) for names in (summary_names.values(), summary_names))
        yield Change("names", shown, replaced(dialogue.text, new), replaced(summary, new), come, gone)


def _speakers(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    both = dialogue.speakers[:2]
    if len(both) == 2 and mentioned(summary, both):
        other = (both[0], both[1])
        new = exchanged(summary, other)
        yield Change("speakers", " ↔ ".join(both), exchanged(dialogue.text, other), new, order=mentioned(new, both))


def _number(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    told_words = told(dialogue.text)
    words = set(WORD.findall(dialogue.text))
    for old in dict.fromkeys(WORD.findall(summary)):
        if old not in words or not (old in NUMBERS or old.isdecimal() and len(old) <= MOST_DIGITS):
            continue
        new = next_number(old)
        while new in told_words and new != old:
            new = next_number(new)
        if new != old:
            text, expected = (re.sub(rf"(?<!\w){old}(?!\w)", new, each) for each in (dialogue.text, summary))
            come, gone = (frozenset({_DIGITS.get(each, each)}) for each in (new, old))
            yield Change("number", f"{old} → {new}", text, expected, come, gone)
            return


def _told_turn(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    source = Source(dialogue)
    stems = {word.stem for word in source.read(summary) if word.kind == "content" and word.text not in REPORT_WORDS}
    alone = Counter(source.where[each][0] for each in stems if len(source.where.get(each, ())) == 1)
    if len(dialogue.turns) >= _FEWEST_TURNS and alone:
        turn = min(alone, key=lambda place: (-alone[place], place))
        text = _written(dialogue, [place for place in range(len(dialogue.turns)) if place != turn])
        gone = frozenset(each for each in stems if source.where.get(each) == (turn,)) - told(text)
        if gone:
            yield Change("told_turn", str(turn + 1), text, "", gone=gone)


def _shuffled(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    count = len(dialogue.turns)
    if count >= _FEWEST_TURNS:
        order = [int(place) for place in random.permutation(count)]
        if order == sorted(order):
            order = order[::-1]
        yield Change("shuffled", " ".join(str(place + 1) for place in order), _written(dialogue, order), summary)


def _idle_turn(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    source = Source(dialogue)
    stems = {word.stem for word in source.read(summary) if word.content}
    idle = [place for place, turn_stems in enumerate(source.stems) if place and not turn_stems & stems]
    if len(dialogue.turns) >= _FEWEST_TURNS and idle:
        turn = int(random.choice(idle))
        text = _written(dialogue, [place for place in range(len(dialogue.turns)) if place != turn])
        yield Change("idle_turn", str(turn + 1), text, summary)


def _small_talk(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[Change]:
    turns = [(turn.speaker, turn.text) for turn in dialogue.turns]
    middle, speakers = (len(turns) + 1) // 2, (*dialogue.speakers[:2], None, None)
    if dialogue.speakers:
        talk = [(speakers[place] or speakers[0], sentence) for place, sentence in enumerate(SMALL_TALK)]
        text = write_turns([*turns[:middle], *talk, *turns[middle:]])
        yield Change("small_talk", str(middle + 1), text, summary)


_MAKERS: Mapping[str, Callable[[Dialogue, str, np.random.Generator], Iterator[Change]]] = {
    name: globals()[f"_{name}"] for name in KINDS
}


def _written(dialogue: Dialogue, order: list[int]) -> str:
    """Return the text of some turns in an order."""
    return write_turns([(dialogue.turns[place].speaker, dialogue.turns[place].text) for place in order])
