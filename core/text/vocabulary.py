"""The order of an imported model's vocabulary: its special tokens first, at the ids that this project gives them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

from core.config import END, PAD, TURN, UNKNOWN
from core.errors import SettingsError

NONE = -1
"""Stands for the id of a token that the peer does not have."""


@dataclass(frozen=True)
class Vocabulary:
    """The two orders of an imported vocabulary: the peer's, and ours with the special tokens at ids 0 to 4.

    Ours is [PAD], [SOS], [EOS], [UNK], [TURN], then the peer's ids in their order except padding, end and unknown.
    [SOS] is a copy of the peer's start token, which also stays in its own place unless it is one of those three.

    Args:
        rows: of the peer's embedding table.
        pad: the peer's id of padding.
        start: the peer's id that a target begins with.
        end: the peer's id that ends a target.
        unknown: the peer's id of an unknown token, or None if it has none.
    """

    rows: int
    pad: int
    start: int
    end: int
    unknown: int | None

    def __post_init__(self) -> None:
        """Validate; raises SettingsError."""
        if type(self.rows) is not int or self.rows < 2:
            raise SettingsError("rows must be an integer of at least 2. Received: rows={rows!r}", rows=self.rows)
        for name, value in (("pad", self.pad), ("start", self.start), ("end", self.end), ("unknown", self.unknown)):
            if name == "unknown" and value is None:
                continue
            if type(value) is not int or not 0 <= value < self.rows:
                raise SettingsError(
                    "{name} must be an id from 0 to {last}. Received: {name}={value!r}",
                    name=name,
                    last=self.rows - 1,
                    value=value,
                )
        if len(set(self._moved)) < len(self._moved):
            raise SettingsError(
                "padding, end and unknown must be three tokens. Received: pad={pad}, end={end}, unknown={unknown}",
                pad=self.pad,
                end=self.end,
                unknown=self.unknown,
            )

    @cached_property
    def peer(self) -> tuple[int, ...]:
        """The peer's id of each of our ids, `NONE` for [TURN] and for an unknown token that the peer does not have."""
        moved = set(self._moved)
        first = (self.pad, self.start, self.end, NONE if self.unknown is None else self.unknown, NONE)
        return (*first, *(token for token in range(self.rows) if token not in moved))

    @cached_property
    def ours(self) -> tuple[int, ...]:
        """Our id of each of the peer's ids; that of the start token is its own place, never [SOS]."""
        ids = [0] * self.rows
        for place, token in list(enumerate(self.peer))[TURN + 1 :]:
            ids[token] = place
        ids[self.pad], ids[self.end] = PAD, END
        if self.unknown is not None:
            ids[self.unknown] = UNKNOWN
        return tuple(ids)

    @property
    def size(self) -> int:
        """Number of our ids."""
        return len(self.peer)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from a mapping; raises SettingsError on an unknown or missing key or an invalid value."""
        try:
            return cls(**values)
        except TypeError as error:
            raise SettingsError("Vocabulary: {error}", error=error) from None

    @property
    def _moved(self) -> tuple[int, ...]:
        return (self.pad, self.end) if self.unknown is None else (self.pad, self.end, self.unknown)
