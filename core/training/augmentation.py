"""Augmentation: change names and numbers of training dialogues, leave out their opening or idle turns.

Dialogue and summary are changed alike, so that the pair stays true: a model that copies a name from the dialogue is
right, one that remembers it is wrong.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.config import END, FIRST_TAG
from core.text.tokenizer import TAGS
from core.training.names import FAMILY, FEMALE, MALE
from core.training.turns import Turns, join, split

if TYPE_CHECKING:
    from core.training.batches import Pair

RENAMED, RENUMBERED, LATER, IDLE = 0.4, 0.2, 0.15, 0.1
"""Probabilities of replacing names, of replacing numbers, of leaving out the opening, of leaving out an idle turn."""
USUAL = 6
"""Most speakers of a usual group."""
CALM = 0.2
"""Last share of the training, which uses the dialogues unchanged."""
FREQUENT_IDS = 250
"""Number of the most frequent ids of summaries; these say nothing about the topic of a turn."""
_FEWEST_TURNS = 4
_AFTER_TAGS = FIRST_TAG + len(TAGS)

_END = r"(?!\w|['’]t)"  # a name may be followed by 's; "Don't" is no name
_WORD = re.compile(rf"(?<![\w#])[A-Z][a-z]+{_END}")
_TITLED = re.compile(rf"\b(?:Mr|Mrs|Ms|Miss|Mister|Dr|Doctor|Professor)\.? ([A-Z][a-z]+){_END}")
_NUMBER = re.compile(r"(?<![\w.,:-])[1-9]\d{1,3}(?![\w:]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Example:
    """One training dialogue: its text, its summary, and the ids of both."""

    dialogue: str
    summary: str
    pair: "Pair"


class Augmentation:
    """Pairs for training that differ in every epoch.

    Args:
        examples: the training dialogues.
        encode: makes a pair of a dialogue and a summary, or None if that is not possible.
        epochs: of the whole training.
        seed: of all random choices.
    """

    def __init__(
        self, examples: Sequence[Example], encode: "Callable[[str, str], Pair | None]", epochs: int, seed: int = 0
    ) -> None:
        self._examples = examples
        self._encode = encode
        self._calm = epochs * (1 - CALM)
        self._seed = seed
        counts = Counter(token for example in examples for token in example.pair[1])
        self._frequent = {token for token, _ in counts.most_common(FREQUENT_IDS)} | set(range(_AFTER_TAGS))

    def __call__(self, epoch: int) -> "list[Pair]":
        """Return a pair for each dialogue; the choices depend on the seed and the epoch (from 1) alone."""
        if epoch > self._calm:
            return [example.pair for example in self._examples]
        random = np.random.default_rng([self._seed, epoch])
        return [self.changed(example, random) for example in self._examples]

    def changed(self, example: Example, random: np.random.Generator) -> "Pair":
        """Return one version of a dialogue, chosen at random."""
        return self._shortened(self._reworded(example, random), random)

    def _reworded(self, example: Example, random: np.random.Generator) -> "Pair":
        """Return the pair with other names or numbers, chosen at random."""
        changes: dict[str, str] = {}
        if random.random() < RENAMED:
            changes |= other_names(example.dialogue, random)
        if random.random() < RENUMBERED:
            changes |= other_numbers(example.dialogue, example.summary, random)
        if not changes:
            return example.pair
        return self._encode(replaced(example.dialogue, changes), replaced(example.summary, changes)) or example.pair

    def _shortened(self, pair: "Pair", random: np.random.Generator) -> "Pair":
        """Return the pair with a later opening, or without some turns that the summary does not mention."""
        turns, target = split(pair[0]), list(pair[1])
        told = set(target) - self._frequent
        if random.random() < LATER:
            count = int(random.integers(1, 4))
            rest = turns[count:]
            known = {token for turn in rest for token in turn}
            gone = {token for turn in turns[:count] for token in turn}
            if len(rest) >= _FEWEST_TURNS and not told & (gone - known):
                turns, target = _anchored(rest, target)
        idle = [number for number, turn in enumerate(turns) if number and not told & set(turn)]
        dropped = {number for number in idle if random.random() < IDLE}
        if dropped and len(turns) - len(dropped) >= _FEWEST_TURNS:
            turns = [turn for number, turn in enumerate(turns) if number not in dropped]
        return [*join(turns), END], target


def other_names(dialogue: str, random: np.random.Generator) -> dict[str, str]:
    """Choose another name of the same kind for every listed name of a dialogue; none is in the dialogue yet."""
    present = set(_WORD.findall(dialogue))
    titled = set(_TITLED.findall(dialogue))
    changes: dict[str, str] = {}
    for pool, words in (
        (MALE, present - titled),
        (FEMALE, present - titled),
        (FAMILY, titled),
    ):
        free = [name for name in pool if name not in present]
        names = sorted(words & set(pool))
        chosen = random.choice(len(free), size=len(names), replace=False) if len(names) <= len(free) else ()
        changes |= {name: free[number] for name, number in zip(names, chosen, strict=False)}
    return changes


def other_tags(texts: Sequence[Sequence[int]], random: np.random.Generator) -> list[list[int]]:
    """Give the speakers of one dialogue other tags, in all its texts alike; no two get the same one.

    Four times of five they are among the first `USUAL`, as in most groups, otherwise among all.
    """
    present = sorted({token for ids in texts for token in ids if FIRST_TAG <= token < _AFTER_TAGS})
    free = USUAL if random.random() < 0.8 and len(present) <= USUAL else len(TAGS)
    tags = dict(zip(present, map(int, FIRST_TAG + random.permutation(free)), strict=False))
    return [[tags.get(token, token) for token in ids] for ids in texts]


def other_numbers(dialogue: str, summary: str, random: np.random.Generator) -> dict[str, str]:
    """Choose another number with as many digits for each number of two to four digits that both texts have."""
    shared = sorted(set(_NUMBER.findall(dialogue)) & set(_NUMBER.findall(summary)))
    changes = {}
    for number in shared:
        low = 10 ** (len(number) - 1)
        step = low // 10 if number.endswith("0") and low > 10 else 1
        changes[number] = str(int(random.integers(low // step, 10 * low // step)) * step)
    return changes if len(set(changes.values())) == len(changes) else {}


def replaced(text: str, changes: Mapping[str, str]) -> str:
    """Return a text with whole words replaced, all at once, the longest first."""
    longest = sorted(map(re.escape, changes), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w#])(?:{'|'.join(longest)}){_END}")
    return pattern.sub(lambda match: changes[match.group()], text)


def _anchored(turns: Turns, target: list[int]) -> tuple[Turns, list[int]]:
    """Exchange tags in both texts so that #Person1# speaks first, as in every training dialogue."""
    first = turns[0][0]
    if first == FIRST_TAG or not FIRST_TAG <= first < _AFTER_TAGS:
        return turns, target
    exchange = {first: FIRST_TAG, FIRST_TAG: first}
    return [[exchange.get(token, token) for token in turn] for turn in turns], [
        exchange.get(token, token) for token in target
    ]
