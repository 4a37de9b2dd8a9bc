"""The masks of a small batch as values: typed ids, the four masks, and the reason why a cell is blocked.

B texts, S source and T target positions, R rows and C columns of the drawn mask. True = attend.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingsError
from core.limits import limits
from core.trace import Array
from core.words import say

Name = Literal["padding", "look_ahead", "target", "cross"]
"""Padding mask of the encoder, look-ahead mask, target mask of the decoder, cross padding mask."""
Flags = NDArray[np.bool_]
Ids = NDArray[np.int32]

LARGEST = 999_999
"""Largest id that can be typed."""
ROWS = {
    "tutorial": "1 2 3 4 5 0 0\n1 2 0 0 0 0 0\n1 2 3 4 5 6 7",
    "empty": "5 6 7 8\n0 0 0 0\n0 0 5 6",
}
"""The tutorial's worked example; and a batch with a row of padding alone and a row that begins with padding."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Ids of a few texts, padded to one length.

    Args:
        source: [B, S] ids of the encoder.
        target: [B, T] ids of the decoder.
        pads: every id that counts as padding, at least one; rows are padded with the first.
    """

    source: Ids
    target: Ids
    pads: tuple[int, ...]

    @property
    def pad(self) -> int | frozenset[int]:
        """The argument of the masks: an id, or a set of several."""
        return self.pads[0] if len(self.pads) == 1 else frozenset(self.pads)


@dataclass(frozen=True, eq=False)
class Masks:
    """The masks of a batch, from the model's functions.

    Args:
        padding: [B, 1, 1, S] of the source; the cross-attention takes the same tensor.
        target_padding: [B, 1, 1, T] of the target.
        look_ahead: [T, T].
        target: [B, 1, T, T].
    """

    padding: Flags
    target_padding: Flags
    look_ahead: Flags
    target: Flags

    def stored(self, name: Name) -> Flags:
        """Return one of the four masks in its stored shape."""
        return self.padding if name == "cross" else getattr(self, name)

    def cells(self, name: Name, row: int) -> "Cells":
        """Return one of the four masks for the scores of one text: a row for each query, a column for each key.

        Args:
            name: of the mask.
            row: of the text, from 0.
        """
        places, length = self.padding.shape[-1], self.look_ahead.shape[0]
        queries = places if name == "padding" else length
        padding = (self.padding if name in ("padding", "cross") else self.target_padding)[row, 0]  # [1, C]
        keys = np.broadcast_to(padding, (queries, padding.shape[-1]))
        if name == "look_ahead":
            return Cells(np.ones_like(self.look_ahead), self.look_ahead)
        return Cells(keys, self.look_ahead if name == "target" else np.ones_like(keys))


@dataclass(frozen=True, eq=False)
class Cells:
    """A drawn mask, split into its two reasons.

    Args:
        padding: [R, C] False where the key is padding.
        ahead: [R, C] False where the key is later than the query.
    """

    padding: Flags
    ahead: Flags

    @property
    def attend(self) -> Flags:
        """The mask itself, [R, C]: neither reason blocks."""
        return self.padding & self.ahead

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Numbers of cells that attend, that padding blocks, that look-ahead blocks, that both block."""
        return (
            int(self.attend.sum()),
            int((~self.padding & self.ahead).sum()),
            int((self.padding & ~self.ahead).sum()),
            int((~self.padding & ~self.ahead).sum()),
        )

    @property
    def blind(self) -> tuple[int, ...]:
        """Rows without a key to attend to, from 0."""
        return tuple(int(row) for row in np.flatnonzero(~self.attend.any(axis=1)))


@dataclass(frozen=True, eq=False)
class HeadScores:
    """One head of one attention on one text of a batch.

    Args:
        scores: [R, C] q . k / sqrt(K), before the mask.
        weights: [R, C] after mask and softmax, from the model's own run.
    """

    scores: Array
    weights: Array


def read_pads(text: str) -> tuple[int, ...]:
    """Read pad ids, "0" or "0, 7"; raises SettingsError for other or empty text."""
    pads = _ids(text.strip().strip("{}"))
    if not pads:
        raise SettingsError("there must be at least one pad id. Received: nothing; allowed: one id, or several: 0, 7")
    return tuple(dict.fromkeys(pads))


def read_rows(text: str) -> list[list[int]]:
    """Read typed ids, one row per line; empty lines are left out.

    Raises:
        SettingsError: no rows or too many, a row that is too long, or text that is no id.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [_ids(line, number) for number, line in enumerate(lines, 1)]
    check_rows(rows)
    return rows


def check_rows(rows: Sequence[Sequence[int]], texts: bool = False) -> None:
    """Check that a batch can be drawn.

    Args:
        rows: ids.
        texts: whether the message speaks of texts, not of rows.

    Raises:
        SettingsError: no rows, too many rows, or a row that is too long.
    """
    most = limits()
    if not 0 < len(rows) <= most.batch_rows:
        sizes = {"most": most.batch_rows, "size": len(rows)}
        raise SettingsError(
            say("a batch has 1 to {most} texts here. Received: {size}", **sizes)
            if texts
            else say("a batch has 1 to {most} rows here. Received: {size}", **sizes)
        )
    for number, row in enumerate(rows, 1):
        if len(row) > most.batch_tokens:
            sizes = {"most": most.batch_tokens, "size": len(row), "number": number}
            raise SettingsError(
                say("a text has at most {most} tokens here. Received: {size} in text {number}", **sizes)
                if texts
                else say("a row has at most {most} tokens here. Received: {size} in row {number}", **sizes)
            )


def filled(rows: Sequence[Sequence[int]], pad: int) -> Ids:
    """Pad rows to a table [B, N] with `pad`, as wide as the longest."""
    width = max(map(len, rows))
    return np.array([[*row, *[pad] * (width - len(row))] for row in rows], dtype=np.int32)


def _ids(text: str, row: int | None = None) -> list[int]:
    """Read ids of a row, from 1, or those of padding."""
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    for part in parts:
        if not re.fullmatch(r"[0-9]{1,6}", part):
            values = {"largest": LARGEST, "text": part[:20]}
            raise SettingsError(
                say("a pad id must be a whole number from 0 to {largest:,}. Received: {text!r}", **values)
                if row is None
                else say(
                    "an id of row {row} must be a whole number from 0 to {largest:,}. Received: {text!r}",
                    row=row,
                    **values,
                )
            )
    return [int(part) for part in parts]
