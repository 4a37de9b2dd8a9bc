"""A dialogue prepared for comparison with summaries: its words and their positions."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from math import log1p
from types import MappingProxyType

from core.faults.words import Word, read_words
from core.text.dialogue import Dialogue
from core.text.encoded import AnyTokenizer, speaker_numbers
from core.text.imported import ImportedTokenizer
from core.text.written import tag


class Source:
    """A dialogue prepared for comparison: the words of each turn and their positions.

    Args:
        dialogue: the dialogue.
        tags: speakers by the tags that stand for them in texts about the dialogue.

    Attributes:
        turns: the words of each turn.
        stems: the content stems of each turn.
        names: its proper names, as written.
    """

    def __init__(self, dialogue: Dialogue, tags: Mapping[str, str] = MappingProxyType({})) -> None:
        self.dialogue, self.tags = dialogue, tags
        speakers = dialogue.speakers
        first = [read_words(turn.text, speakers) for turn in dialogue.turns]
        self.names = frozenset(word.text for words in first for word in words if word.kind == "name")
        self.turns = tuple(
            read_words(turn.text, speakers, self.names) if self.names else words
            for turn, words in zip(dialogue.turns, first, strict=True)
        )
        self.stems = tuple(frozenset(word.stem for word in words if word.content) for words in self.turns)

    @cached_property
    def where(self) -> dict[str, tuple[int, ...]]:
        """The turns of each stem, function words and names included."""
        index: dict[str, dict[int, None]] = defaultdict(dict)
        for turn, words in enumerate(self.turns):
            for word in words:
                index[word.stem][turn] = None
        return {stem: tuple(turns) for stem, turns in index.items()}

    @cached_property
    def surfaces(self) -> frozenset[str]:
        """Every word as written and in lower case, with the labels of the turns."""
        forms = {word.text.casefold() for words in self.turns for word in words}
        return frozenset(forms | {part for name in self.dialogue.speakers for part in name.casefold().split()})

    @cached_property
    def pairs(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """Positions of every pair of neighbouring words: turn and index of the first."""
        positions: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for turn, words in enumerate(self.small):
            for place, pair in enumerate(zip(words, words[1:], strict=False)):
                positions[pair].append((turn, place))
        return positions

    @cached_property
    def small(self) -> tuple[tuple[str, ...], ...]:
        """The words of each turn in lower case; quantities by their value."""
        return tuple(tuple(written(word) for word in words) for words in self.turns)

    def read(self, text: str) -> tuple[Word, ...]:
        """Read the words of a text about this dialogue."""
        return read_words(text, self.dialogue.speakers, self.names, self.tags)

    def has(self, word: Word) -> bool:
        """Return whether a word is in the dialogue in any form, or in a speaker's name."""
        return word.stem in self.where or word.text.casefold() in self.surfaces

    def weight(self, stem: str) -> float:
        """Return the weight of a stem, ln(1 + turns / turns with it): large if few turns have it."""
        return log1p(len(self.turns) / max(1, len(self.where.get(stem, ()))))


def written(word: Word) -> str:
    """Normalise a word for the comparison of phrases: lower case, a quantity by its value."""
    return word.stem if word.kind == "number" else word.text.casefold()


def written_tags(tokenizer: AnyTokenizer, dialogue: Dialogue) -> dict[str, str]:
    """Return the speaker for each tag that the model writes; none of a model that writes names."""
    if not isinstance(tokenizer, ImportedTokenizer) or tokenizer.conventions.dialogue != "tags":
        return {}
    return {tag(number): name for name, number in speaker_numbers(dialogue.speakers).items()}
