"""The evidence of hints in the language of the page: hints keep it in English, as files do."""

import re
from collections.abc import Iterable
from functools import cache

from core.faults import evidence
from core.figures.shared.wording import count
from core.words import ENGLISH, language, say

_PLACE = re.compile(r"\{(\w+)\}")
_LENGTH = re.compile(r"(\d+) words")


def said(sentence: str) -> str:
    """Return the evidence of a hint in the language of the page; what no detector writes stays as it is."""
    return _said(sentence, evidence.SENTENCES)


def said_change(change: str) -> str:
    """Return what an alternative of a summary changes, in the language of the visitor."""
    return _said(change, evidence.CHANGES)


def _said(text: str, messages: Iterable[str]) -> str:
    """Find the message that a text was made of, and say it with the same values."""
    if language() == ENGLISH:
        return text
    for message in messages:
        if found := _pattern(message).fullmatch(text):
            return say(message, **{name: _value(value) for name, value in found.groupdict().items()})
    return text


@cache
def _pattern(message: str) -> re.Pattern[str]:
    """Return what a message matches once values stand in its places."""
    parts = _PLACE.split(message)
    pattern = "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
    return re.compile(pattern, re.DOTALL)


def _value(value: str) -> str:
    """Say a value that holds words of ours: a number of words, or a list of quoted ones with more."""
    if value in (evidence.NO_WORDS, evidence.ONE_WORD):
        return say(value)
    if length := _LENGTH.fullmatch(value):
        return count(int(length[1]), "word")
    if more := _pattern(evidence.AND_MORE).fullmatch(value):
        if more["words"].endswith("”") and more["count"].isdigit():
            return say(evidence.AND_MORE, **more.groupdict())
    return value
