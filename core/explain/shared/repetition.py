"""Measure the repetition of words in a text, ignoring case."""

import re
from collections.abc import Sequence

Trigram = tuple[str, str, str]
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


def words_of(text: str) -> list[str]:
    """Return the words of a text, without punctuation marks, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def repeated_trigrams(words: Sequence[str]) -> tuple[Trigram, ...]:
    """Return the trigrams that occur more than once, in the order of their first repeat."""
    repeats = [trigram for trigram, again in _trigrams(words) if again]
    return tuple(dict.fromkeys(repeats))


def repetition(text: str) -> float:
    """Return the share of the text's word trigrams that occurred before, 0 to 1; 0 for fewer than three words."""
    again = [again for _, again in _trigrams(words_of(text))]
    return sum(again) / len(again) if again else 0.0


def _trigrams(words: Sequence[str]) -> list[tuple[Trigram, bool]]:
    """Return each trigram, and whether it occurred before."""
    small = [word.casefold() for word in words]
    seen: set[Trigram] = set()
    found = []
    for trigram in zip(small, small[1:], small[2:], strict=False):
        found.append((trigram, trigram in seen))
        seen.add(trigram)
    return found
