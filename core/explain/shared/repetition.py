"""Measure the repetition of words in a text, ignoring case."""

import re
from collections.abc import Hashable, Sequence

Trigram = tuple[str, str, str]
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


def words_of(text: str) -> list[str]:
    """Return the words of a text, without punctuation marks, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def repeated_trigrams(words: Sequence[str]) -> tuple[Trigram, ...]:
    """Return the trigrams that occur more than once, in the order of their first repeat."""
    repeats = [trigram for trigram, again in _trigrams(words) if again]
    return tuple(dict.fromkeys(repeats))


def repeated_at(items: Sequence[Hashable], size: int) -> tuple[int, ...]:
    """Return the places at which a sequence of so many items ends that occurred before; () for a size of 0."""
    seen: set[tuple[Hashable, ...]] = set()
    places = []
    for end in range(size, len(items) + 1) if size else ():
        part = tuple(items[end - size : end])
        if part in seen:
            places.append(end - 1)
        seen.add(part)
    return tuple(places)


def repetition(text: str) -> float:
    """Return the share of the text's word trigrams that occurred before, 0 to 1; 0 for fewer than three words."""
    again = [again for _, again in _trigrams(words_of(text))]
    return sum(again) / len(again) if again else 0.0


def _trigrams(words: Sequence[str]) -> list[tuple[Trigram, bool]]:
    """Return each trigram, and whether it occurred before."""
    small = [word.casefold() for word in words]
    seen: set[Trigram] = set()
    pairs = []
    for trigram in zip(small, small[1:], small[2:], strict=False):
        pairs.append((trigram, trigram in seen))
        seen.add(trigram)
    return pairs
