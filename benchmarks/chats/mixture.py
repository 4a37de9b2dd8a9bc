"""A mixture of dialogues as they are and dialogues rewritten as chats: what a training on both reads in each epoch."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.chats.rewriting import Chat, rewrite, small_talk
from core.config import Preset
from core.text.corpus import Corpus
from core.text.dialogue import parse_dialogue
from core.text.encoded import AnyTokenizer
from core.training.augmentation import Augmentation
from core.training.batches import Pair
from core.training.recipes.contrast import retagged, weighed, wrong_summaries
from core.training.recipes.examples import encode_examples, encode_pair
from core.training.risk import Judged

CHATS = 0.5
"""Share of the dialogues of an epoch that are rewritten."""
CALM = 0.2
"""Last share of the epochs, in which the others are read as they are."""
_LONG = 10_000
"""Epochs of an augmentation of which no epoch is calm."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of one dialogue.

    Args:
        plain: pairs: as it is, and then augmented.
        chats: pairs: rewritten as chats.
        judged: as it is, and then as chats, with wrong summaries.
    """

    plain: Sequence[Pair]
    chats: Sequence[Pair]
    judged: Sequence[Judged] = ()


class Maker:
    """Makes the versions of each dialogue; they depend on the seed and its place alone.

    Args:
        data: dialogues and their references.
        tokenizer: makes the ids.
        preset: its model's lengths cut source and targets.
        plain: versions that are not rewritten; the first is the dialogue as it is.
        rewritten: versions as chats; a dialogue that cannot be rewritten stays as it is.
        wrong: most wrong summaries beside a reference.
        seed: of all choices.

    Attributes:
        examples: the dialogues.

    Raises:
        CorpusError: no usable row.
    """

    def __init__(
        self,
        data: Corpus,
        tokenizer: AnyTokenizer,
        preset: Preset,
        plain: int = 4,
        rewritten: int = 6,
        wrong: int = 5,
        seed: int = 0,
    ) -> None:
        self.examples = encode_examples(data, tokenizer, preset)
        self._tokenizer, self._preset, self._seed = tokenizer, preset, seed
        self._plain, self._rewritten, self._wrong = plain, rewritten, wrong
        self._augmented = Augmentation(self.examples, self._encode, _LONG, seed)
        self._talk = small_talk(each.dialogue for each in self.examples)

    def __call__(self, place: int) -> Versions:
        """Make the versions of the dialogue at a place."""
        example, random = self.examples[place], np.random.default_rng([self._seed, place])
        plain = [example.pair, *(self._augmented.changed(example, random) for _ in range(self._plain - 1))]
        texts = [self.chat(place, number) for number in range(self._rewritten)]
        chats = [(text, pair) for text in texts if text and (pair := self._encode(*text))]
        both = [(Chat(example.dialogue, example.summary), example.pair), *chats[:1]]
        first, *others = plain
        return Versions(
            [first, *(self._retagged(pair, random) for pair in others)],
            [self._retagged(pair, random) for _, pair in chats] or [example.pair],
            [self._judged(text, pair, random) for text, pair in both],
        )

    def chat(self, place: int, number: int = 0) -> Chat | None:
        """Rewrite the dialogue at a place, each number another way; None if it cannot be rewritten."""
        example = self.examples[place]
        return rewrite(
            example.dialogue, example.summary, np.random.default_rng([self._seed, place, number]), self._talk
        )

    def _judged(self, text: Chat, pair: Pair, random: np.random.Generator) -> Judged:
        wrong = wrong_summaries(parse_dialogue(text.dialogue), text.summary, self._wrong, random)
        return retagged(weighed(text.dialogue, pair, self._tokenizer, self._preset, wrong), random)

    def _retagged(self, pair: Pair, random: np.random.Generator) -> Pair:
        source, target, *_ = retagged(Judged(*pair), random)
        return source, target

    def _encode(self, dialogue: str, summary: str) -> Pair | None:
        return encode_pair(dialogue, summary, self._tokenizer, self._preset)


def mixed(rows: Sequence[Versions], epoch: int, epochs: int, seed: int) -> list[Pair]:
    """Choose the version of every dialogue that an epoch, from 1, reads; it is another one in the next epoch."""
    random = np.random.default_rng([seed, epoch])
    rewritten = random.random(len(rows)) < CHATS
    calm = epoch > epochs * (1 - CALM)
    found = []
    for place, (row, chat) in enumerate(zip(rows, rewritten, strict=True)):
        turn = place + epoch + 3 * seed
        if chat:
            found.append(row.chats[turn % len(row.chats)])
        else:
            found.append(row.plain[0 if calm else turn % len(row.plain)])
    return found


def mixed_judged(rows: Sequence[Versions], epoch: int, seed: int) -> list[Judged]:
    """Choose for every dialogue, as it is or as a chat, wrong summaries to contrast with."""
    random = np.random.default_rng([seed, epoch, 1])
    return [
        row.judged[int(chat) % len(row.judged)]
        for row, chat in zip(rows, random.random(len(rows)) < CHATS, strict=True)
    ]
