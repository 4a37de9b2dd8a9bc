"""Self-supervised pre-training: the source is a dialogue with gaps, the target is what is missing.

Four tasks over the token ids of dialogues alone, after DialogLM (Zhong et al. 2022) and T5 (Raffel et al. 2020,
section 3.1.4): whole turns, spans of words, speakers, and a list of the names and numbers. [UNK], which a byte-level
tokenizer never writes, marks the gaps; the form of the gaps tells the tasks apart, so that none needs its own token.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from core.config import END, FIRST_TAG, TURN, UNKNOWN
from core.errors import CorpusError
from core.text.encoded import SPECIALS
from core.text.tokenizer import TAGS, Tokenizer
from core.training.batches import Pair
from core.training.turns import Turns, join, split

TASKS = {"turns": 0.5, "spans": 0.3, "speakers": 0.1, "names": 0.1}
"""Probability of each task."""
FREQUENT_IDS = 150
"""Number of the most frequent ids; these say nothing about the topic of a turn."""
LONGER = 2
"""Ids by which a source may be longer than its dialogue: those that ask for the names."""
_SPAN = 3.0
_HIDDEN = (0.15, 0.3)
_FEWEST_TURNS = 4
_SENTENCE_ENDS = (".", "?", "!", '"', ":")


class Denoising:
    """Pairs for pre-training that differ in every epoch.

    Args:
        dialogues: source ids of each dialogue, as `Tokenizer.encode_dialogue` gives them.
        tokenizer: a byte-level tokenizer.
        longest: longest target, in ids.
        seed: of all random choices.

    Raises:
        CorpusError: the tokenizer has no token between turns, or there is no dialogue.
    """

    def __init__(self, dialogues: Sequence[Sequence[int]], tokenizer: Tokenizer, longest: int, seed: int = 0) -> None:
        if tokenizer.kind == "word":
            raise CorpusError(f"pre-training needs a byte-level tokenizer. Received: a {tokenizer.kind} tokenizer")
        if not dialogues:
            raise CorpusError("pre-training needs at least one dialogue. Received: none")
        self._longest = longest
        self._seed = seed
        self._starts = [part != 1 for part in tokenizer.word_parts()]
        self._pieces = [tokenizer.id_text(number) for number in range(tokenizer.size)]
        self._tag = [FIRST_TAG <= number < FIRST_TAG + len(TAGS) for number in range(tokenizer.size)]
        counts = Counter(token for ids in dialogues for token in ids)
        frequent = {token for token, _ in counts.most_common(FREQUENT_IDS)}
        self._dialogues = [split(ids) for ids in dialogues]
        self._weights = [_weights(turns, frequent) for turns in self._dialogues]

    def __call__(self, epoch: int) -> list[Pair]:
        """Return one pair for each dialogue; the choices depend on seed and epoch alone."""
        random = np.random.default_rng([self._seed, epoch])
        names, shares = list(TASKS), list(TASKS.values())
        chosen = random.choice(len(names), size=len(self._dialogues), p=shares)
        pairs: list[Pair] = []
        for task, turns, weights in zip(chosen, self._dialogues, self._weights, strict=True):
            source, target = getattr(self, f"_{names[task]}")(turns, weights, random)
            pairs.append(([*source, END], [*target[: self._longest - 1], END]))
        return pairs

    def _turns(self, turns: Turns, weights: Sequence[float], random: np.random.Generator) -> Pair:
        """Leave out the one or two turns that share most with the others (gap sentences, Zhang et al. 2020)."""
        if len(turns) < _FEWEST_TURNS:
            return self._spans(turns, weights, random)
        count = 1 if len(turns) < 2 * _FEWEST_TURNS else int(random.integers(1, 3))
        missing = sorted(random.choice(len(turns), size=count, replace=False, p=np.asarray(weights)).tolist())
        source = join([[UNKNOWN] if number in missing else turn for number, turn in enumerate(turns)])
        return source, join([turns[number] for number in missing])

    def _spans(self, turns: Turns, _: Sequence[float], random: np.random.Generator) -> Pair:
        """Leave out spans of whole words, three words on average; the target names each gap and fills it."""
        source = join(turns)
        words = self._words(source)
        hidden: set[int] = set()
        goal = max(1, round(random.uniform(*_HIDDEN) * len(words)))
        room = self._longest - 1
        for first in random.permutation(len(words)):
            span = range(first, min(first + int(random.geometric(1 / _SPAN)), len(words)))
            fresh = [number for number in span if number not in hidden]
            cost = 1 + sum(len(words[number]) for number in fresh)
            if not fresh or cost > room:
                continue
            room -= cost
            hidden.update(fresh)
            if len(hidden) >= goal:
                break
        gone = {place for number in hidden for place in words[number]}
        left: list[int] = []
        target: list[int] = []
        for place, token in enumerate(source):
            if place not in gone:
                left.append(token)
                continue
            if place - 1 not in gone:
                left.append(UNKNOWN)
                target.append(UNKNOWN)
            target.append(token)
        return left, target

    def _speakers(self, turns: Turns, weights: Sequence[float], random: np.random.Generator) -> Pair:
        """Leave out the speakers of the turns, except of the first one and of a third of the others."""
        tagged = [number for number, turn in enumerate(turns) if number and self._tag[turn[0]]]
        missing = [number for number in tagged if random.random() < 2 / 3]
        if not missing:
            return self._spans(turns, weights, random)
        source = [[UNKNOWN, *turn[1:]] if number in missing else turn for number, turn in enumerate(turns)]
        return join(source), [turns[number][0] for number in missing]

    def _names(self, turns: Turns, weights: Sequence[float], random: np.random.Generator) -> Pair:
        """Ask for every name and number, each once, in the order of the dialogue."""
        source = join(turns)
        words: dict[tuple[int, ...], None] = {}
        for word in self._words(source):
            text = "".join(self._pieces[source[place]] for place in word).strip()
            before = source[word[0] - 1] if word[0] else TURN
            begins = before == TURN or self._tag[before] or self._pieces[before].endswith(_SENTENCE_ENDS)
            if text[:1].isdigit() or (text[:1].isupper() and len(text) > 1 and not begins):
                words[tuple(source[place] for place in word)] = None
        if not words:
            return self._spans(turns, weights, random)
        return [UNKNOWN, TURN, *source], [token for word in words for token in word]

    def _words(self, ids: Sequence[int]) -> list[list[int]]:
        """Return the positions of each word's ids; special tokens and tags are no words."""
        words: list[list[int]] = []
        open_word = False
        for place, token in enumerate(ids):
            if token < len(SPECIALS) or self._tag[token]:
                open_word = False
            elif open_word and not self._starts[token]:
                words[-1].append(place)
            else:
                words.append([place])
                open_word = True
        return words


def _weights(turns: Turns, frequent: set[int]) -> list[float]:
    """Return the probability of each turn to be left out: its squared unigram F1 against the others, sum 1."""
    bags = [Counter(token for token in turn if token not in frequent) for turn in turns]
    whole = sum(bags, Counter())
    scores = []
    for bag in bags:
        size = bag.total()
        rest = whole.total() - size
        shared = sum(min(count, whole[token] - count) for token, count in bag.items())
        scores.append((2 * shared / (size + rest) if size + rest else 0.0) ** 2 + 1e-3)
    return [score / sum(scores) for score in scores]
