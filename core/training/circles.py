"""Summaries that go round in circles: made on purpose, to train against them, and counted."""

import re
from collections import Counter

import numpy as np

PAIRS = 2
"""A summary that repeats at least so many word pairs goes in a circle."""
_WORD = re.compile(r"#Person\d#(?:['’]s)?|\w+(?:['’]\w+)*")
_LINKS = ("and", "and then", "so", "because", "with", "that", "who is", "and also", ", and", ", but")
_OPEN = frozenset("and or but so because with that who which to of a an the in on at for from is are will".split())


def repeated_pairs(text: str) -> int:
    """Count the pairs of neighbouring words, whatever their case, that a text has twice or more."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return sum(count > 1 for count in Counter(zip(words, words[1:], strict=False)).values())


def circles(summary: str, random: np.random.Generator, most: int) -> list[str]:
    """Make versions of a summary that say again what was said, each another way: a longer one, or one that never ends.

    Args:
        summary: a reference.
        random: of all choices.
        most: of the versions.

    Returns:
        At most `most` texts, each with at least `PAIRS` repeated word pairs more than the summary; none for a summary
        of fewer than six words.
    """
    words = summary.split()
    found: dict[str, None] = {}
    if len(words) < 6:
        return []
    before = repeated_pairs(summary)
    for attempt in range(4 * most):
        text = _again(words, random) if attempt % 2 else _endless(words, random)
        if repeated_pairs(text) >= before + PAIRS:
            found[text] = None
        if len(found) == most:
            break
    return list(found)


def _again(words: list[str], random: np.random.Generator) -> str:
    """Go back to words that were written before and write them again, once or twice, in the middle of the summary."""
    written = list(words)
    for _ in range(int(random.integers(1, 3))):
        length = int(random.integers(3, min(8, len(words) - 1)))
        start = int(random.integers(0, len(words) - length))
        loop = _plain(words[start : start + length])
        place = int(random.integers(min(start + length, len(written) - 1), len(written)))
        link = [] if written[place - 1].casefold() in _OPEN else str(random.choice(_LINKS)).split()
        written[place:place] = [*link, *loop]
    return _text(written)


def _endless(words: list[str], random: np.random.Generator) -> str:
    """Go on after the end with parts of the summary, in place of an end."""
    written = _plain(words)
    for _ in range(int(random.integers(1, 4))):
        length = int(random.integers(3, min(12, len(words))))
        start = int(random.integers(0, len(words) - length + 1))
        written += [*str(random.choice(_LINKS)).split(), *_plain(words[start : start + length])]
    return _text([*written[:-1], written[-1] + "."])


def _plain(words: list[str]) -> list[str]:
    """Return words that can stand inside a sentence: without marks at the end of any of them."""
    return [word.rstrip(".,;!?") or word for word in words]


def _text(words: list[str]) -> str:
    return re.sub(r"\s+,", ",", " ".join(words))
