"""The evidence of hints: a sentence with its values, in English in files, in the language of a page on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from core.words import later, say

TWICE = later("The words “{words}” appear twice.")
IN_A_ROW = later("The word “{word}” appears twice in a row.")
NEARBY = later("The same word appears twice in “{words}”.")
SHORTEST = later("The summary has {words}; the shortest reference has {least}.")
LONGEST = later("The summary has {words}; the longest reference has {most}.")
FEW_SAID = later("The summary has {words}; the dialogue has {said}.")
RARELY_FEWER = later("The summary has {words}; for the {said} of the dialogue, fewer than {bound} are rare.")
RARELY_MORE = later("The summary has {words}; for the {said} of the dialogue, more than {bound} are rare.")
UNSURE = later("The model gave “{words}” a probability of only {percent} %.")
NO_SPEAKER = later("“{tag}” is no speaker of this dialogue.")
DAMAGED_TAG = later("“{tag}” is a damaged tag of a speaker.")
SPECIAL = later("“{token}” is a special token of the tokenizer, not a word.")
DAMAGED = later("A damaged character stands here: {codes}.")
SAID_BY = later("{words}: said by {speaker} (turn {turn}), not by {other}.")
BOTH_SIDES = later("“{person}” stands on both sides of “{verb}”.")
OMITTED = later("The reference takes {words} from turn {turn}; the summary has none of it.")
UNREAD = later(
    "The reference is about turn {turn}, which got {share} % of the attention and has {fair} % of the words."
)
NEW_WORD = later("The word “{word}” stands nowhere in the dialogue, in no form.")
NEW_NAME = later("The name “{name}” stands nowhere in the dialogue.")
NEW_NUMBER = later("The number or date “{number}” stands nowhere in the dialogue.")
OTHER_NUMBER = later("The summary has “{number}”, turn {turn} has “{other}”.")
NEGATED_HERE = later("“{word}” is negated here and nowhere in the dialogue.")
NEGATED_THERE = later("“{word}” is negated wherever the dialogue has it, and not here.")
MORE_WITH = later(
    "The model finds the summary with “{new}” for “{old}”: more likely by {nats} nats per token, {total} in total."
)
MORE_WITHOUT = later(
    "The model finds the summary without “{old}”: more likely by {nats} nats per token, {total} in total."
)
MORE_EXCHANGED = later(
    "The model finds the summary with {first} and {second} exchanged throughout: more likely by {nats} nats per "
    "token, {total} in total."
)
SENTENCES = (
    TWICE, IN_A_ROW, NEARBY, SHORTEST, LONGEST, FEW_SAID, RARELY_FEWER, RARELY_MORE, UNSURE, NO_SPEAKER, DAMAGED_TAG,
    SPECIAL, DAMAGED, SAID_BY, BOTH_SIDES, OMITTED, UNREAD, NEW_WORD, NEW_NAME, NEW_NUMBER, OTHER_NUMBER, NEGATED_HERE,
    NEGATED_THERE, MORE_WITH, MORE_WITHOUT, MORE_EXCHANGED,
)  # fmt: skip
"""All of them."""
WITH = later("with “{new}” for “{old}”")
WITHOUT = later("without “{old}”")
EXCHANGED = later("with {first} and {second} exchanged throughout")
CHANGES = (WITH, WITHOUT, EXCHANGED)
"""What an alternative of a summary changes."""
MORE = {WITH: MORE_WITH, WITHOUT: MORE_WITHOUT, EXCHANGED: MORE_EXCHANGED}
"""The sentence about each change that the model finds more likely."""
NO_WORDS, ONE_WORD, WORDS = later("no words"), later("one word"), later("{count} words")
"""What stands for {words} in the sentences on lengths."""
AND_MORE = later("{words} and {count} more")
"""Quoted words, of which there are more."""
_KNOWN = frozenset({*SENTENCES, *CHANGES, NO_WORDS, ONE_WORD, WORDS, AND_MORE})


@dataclass(frozen=True, slots=True)
class Evidence:
    """A message and what its {names} stand for; `str` gives it in English.

    Args:
        message: one of this module; or, without values, a sentence of a file that holds nothing more.
        values: pairs of name and value: a text, a number, or evidence again.
    """

    message: str
    values: tuple[tuple[str, "str | int | Evidence"], ...] = ()

    @property
    def known(self) -> bool:
        """Return whether this module has the message."""
        return self.message in _KNOWN

    def __repr__(self) -> str:
        """Return it as the sentence: hashes of rows, which saved sessions hold, are made of this."""
        return repr(str(self))

    def __str__(self) -> str:
        return self.message.format(**dict(self.values)) if self.values else self.message

    def said(self) -> str:
        """Return it in the language of here and now; a sentence of an older file stays as it is."""
        if not self.known:
            return self.message
        values = {name: value.said() if isinstance(value, Evidence) else value for name, value in self.values}
        return say(self.message, **values)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        values = {name: value.to_dict() if isinstance(value, Evidence) else value for name, value in self.values}
        return {"message": self.message, "values": values}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Evidence":
        """Build from what `to_dict` returned; raises ValueError for a message that this module does not have."""
        message, found = values["message"], values["values"]
        read = {name: cls.from_dict(value) if isinstance(value, Mapping) else value for name, value in found.items()}
        names = {name for _, name, *_ in Formatter().parse(message) if name} if message in _KNOWN else None
        if names != read.keys() or not all(isinstance(value, str | int | cls) for value in read.values()):
            raise ValueError(say("there is no such evidence. Received: {message}", message=repr(message)[:60]))
        return of(message, **read)


def of(message: str, **values: "str | int | Evidence") -> Evidence:
    """Return a message with its values."""
    return Evidence(message, tuple(values.items()))
