"""The evidence of hints: a sentence with its values, in English in files, in the language of a page on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from core.files import table
from core.words import say

_TABLE = table(__file__)
SENTENCES: Mapping[str, str] = _TABLE["sentences"]
CHANGES: Mapping[str, str] = _TABLE["changes"]
"""What an alternative of a summary changes."""
MESSAGES = {**SENTENCES, **CHANGES, **_TABLE["parts"]}
"""All that evidence is made of, by names."""
_NAMES = {message: name for name, message in MESSAGES.items()}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A message and what its {names} stand for; `str` gives it in English.

    Args:
        message: one of `MESSAGES`; or, without values, a sentence of a file that holds nothing more.
        values: pairs of name and value: a text, a number, or evidence again.
    """

    message: str
    values: tuple[tuple[str, "str | int | Evidence"], ...] = ()

    @property
    def known(self) -> bool:
        """Return whether it is one of `MESSAGES`."""
        return self.message in _NAMES

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
        """Build from what `to_dict` returned; raises ValueError for a message that is not one of `MESSAGES`."""
        message, fields = values["message"], values["values"]
        read = {name: cls.from_dict(value) if isinstance(value, Mapping) else value for name, value in fields.items()}
        names = {name for _, name, *_ in Formatter().parse(message) if name} if message in _NAMES else None
        if names != read.keys() or not all(isinstance(value, str | int | cls) for value in read.values()):
            raise ValueError(say("there is no such evidence. Received: {message}", message=repr(message)[:60]))
        return Evidence(message, tuple(read.items()))


def of(name: str, /, **values: "str | int | Evidence") -> Evidence:
    """Return a message by its name, with its values."""
    return Evidence(MESSAGES[name], tuple(values.items()))


def more_likely(change: Evidence, **margin: str) -> Evidence:
    """Return the sentence about a change that the model finds more likely by a margin: `nats` and `total`."""
    return of(f"more_{_NAMES[change.message]}", **dict(change.values), **margin)
