"""Pairs of token ids, grouped by length into batches of about equal numbers of tokens."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.decoding.shapes import table
from core.runtime.backend import keras

Pair = tuple[Sequence[int], Sequence[int]]
Item = tuple[tuple[NDArray[np.int32], NDArray[np.int32]], NDArray[Any]]
"""Input of `fit`: source and target ids, and the labels of the loss."""
SOURCE_STEP, TARGET_STEP = 32, 16
"""Batches are padded to multiples of these lengths, so that few shapes occur."""


class Batches(keras.utils.PyDataset):
    """Bucketed batches of one epoch; the order depends on seed and epoch alone, so that training can resume.

    Args:
        pairs: source ids and target ids of each dialogue, a `Pair`; a subclass may take more.
        tokens: source and target tokens of a batch, padding included.
        seed: of the order.
        epoch: the epoch whose order this is.
        shuffle: whether batches come in random order and similar lengths are mixed.
        longest: source and target positions of the model, which padding must not exceed.

    Each item is `((source [B, S], target [B, T]), target [B, T])`, int32, 0 = padding.
    """

    wanted: ClassVar[str] = "int32"
    """Dtype of the labels of the loss."""
    inputs: ClassVar[tuple[tuple[int, str], ...]] = ((2, "int32"), (2, "int32"))
    """Rank and dtype of each input."""

    def __init__(
        self,
        pairs: Sequence[Any],
        tokens: int,
        seed: int = 0,
        epoch: int = 0,
        shuffle: bool = True,
        longest: tuple[int, int] | None = None,
    ) -> None:
        super().__init__()
        self.pairs = pairs
        self.tokens = tokens
        self.seed = seed
        self.epoch = epoch
        self.shuffle = shuffle
        self.longest = longest or (2**31, 2**31)
        self._lengths = np.array([self.lengths(pair) for pair in pairs], dtype=np.int64)
        self._groups = self._group()

    def __len__(self) -> int:
        """Return the number of batches of the epoch."""
        return len(self._groups)

    def __getitem__(self, index: int) -> Item:
        """Return one padded batch."""
        rows = self.rows(index)
        target = self.padded_targets([row[1] for row in rows])
        return (self.padded_sources(rows), target), target

    def lengths(self, pair: Any) -> tuple[int, int]:
        """Return the numbers of source and target tokens of a row."""
        return len(pair[0]), len(pair[1])

    def rows(self, index: int) -> list[Any]:
        """Return the pairs of one batch."""
        return [self.pairs[row] for row in self._groups[index]]

    def padded_sources(self, rows: Sequence[Any]) -> NDArray[np.int32]:
        """Pad the sources of some rows: [B, S]."""
        return _pad([row[0] for row in rows], SOURCE_STEP, self.longest[0])

    def padded_targets(self, targets: Sequence[Sequence[int]]) -> NDArray[np.int32]:
        """Pad some targets: [N, T]."""
        return _pad(targets, TARGET_STEP, self.longest[1])

    def steps(self, epochs: int) -> int:
        """Estimate the number of batches of `epochs` epochs; it differs a little between epochs."""
        return len(self) * epochs

    def all_tokens(self) -> int:
        """Number of source and target tokens of an epoch without padding."""
        return int(self._lengths.sum())

    def _group(self) -> list[NDArray[np.int64]]:
        """Sort by length (with a little noise), cut at the token budget, shuffle the batches."""
        random = np.random.default_rng([self.seed, self.epoch])
        noise = random.uniform(0, 8, len(self.pairs)) if self.shuffle else 0.0
        order = np.argsort(self._lengths[:, 0] + self._lengths[:, 1] / 8 + noise, kind="stable")
        groups: list[Any] = []
        start, widest = 0, np.zeros(2, dtype=np.int64)
        for position, row in enumerate(order):
            wider = np.maximum(widest, self._lengths[row])
            if position > start and _rounded(wider) * (position + 1 - start) > self.tokens:
                groups.append(order[start:position])
                start, wider = position, self._lengths[row]
            widest = wider
        groups.append(order[start:])
        if self.shuffle:
            random.shuffle(groups)
        return groups


def _rounded(lengths: NDArray[np.int64]) -> int:
    """Return the number of tokens of one padded row."""
    steps = np.array([SOURCE_STEP, TARGET_STEP])
    return int((-(-lengths // steps) * steps).sum())


def _pad(rows: Sequence[Sequence[int]], step: int, most: int) -> NDArray[np.int32]:
    """Pad to a common multiple of `step`, or to `most` if that is less."""
    return table(rows, min(-(-max(map(len, rows)) // step) * step, most), len(rows))
