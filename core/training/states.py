"""States of a frozen encoder, computed once and kept on disk in half precision."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.backend import compiled
from core.model.transformer import Transformer
from core.training.batches import Batches, Pair

_FILE = "{name}.npy"


class Encoded(NamedTuple):
    """A pair with the states of its source.

    Args:
        source: ids [S].
        target: ids [T].
        states: float16 [S, D].
    """

    source: Sequence[int]
    target: Sequence[int]
    states: NDArray[np.float16]


class EncodedBatches(Batches):
    """Batches of `Encoded`; each item is `((source [B, S], target [B, T], states float16 [B, S, D]), target)`."""

    inputs: ClassVar[tuple[tuple[int, str], ...]] = (*Batches.inputs, (3, "float16"))

    def __getitem__(self, index: int) -> Any:
        """Return one padded batch."""
        (source, target), wanted = super().__getitem__(index)
        rows = self.rows(index)
        states = np.zeros((*source.shape, rows[0].states.shape[1]), dtype=np.float16)
        for number, row in enumerate(rows):
            states[number, : len(row.source)] = row.states
        return (source, target, states), wanted


def encode(pairs: Sequence[Pair], transformer: Transformer, path: Path, tokens: int) -> list[Encoded]:
    """Compute the encoder's states of every source, or open those that `path` already has.

    Args:
        pairs: source and target ids.
        transformer: its encoder reads the sources.
        path: .npy file of the states of all sources one after the other, float16 [tokens, D].
        tokens: of a batch, padding included.
    """
    starts = np.cumsum([0, *(len(pair[0]) for pair in pairs)])
    if not path.is_file():
        _write(pairs, transformer, path, tokens, starts)
    states = np.load(path, mmap_mode="r")
    return [
        Encoded(pair[0], pair[1], states[first:last])
        for pair, first, last in zip(pairs, starts[:-1], starts[1:], strict=True)
    ]


def _write(
    pairs: Sequence[Pair], transformer: Transformer, path: Path, tokens: int, starts: NDArray[np.int64]
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial.npy")
    shape = (int(starts[-1]), transformer.config.d_model)
    states = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float16, shape=shape)
    numbered = [(pair[0], (), number) for number, pair in enumerate(pairs)]
    longest = (transformer.config.max_source_length, 1)
    batches = Batches([(ids, (0,), number) for ids, _, number in numbered], tokens, shuffle=False, longest=longest)
    run = compiled(lambda source: transformer.encode(source).states, transformer.variables)
    for index in range(len(batches)):
        rows = batches.rows(index)
        found = np.asarray(run(batches.padded_sources(rows)), dtype=np.float16)
        for row, number in zip(found, (each[2] for each in rows), strict=True):
            states[starts[number] : starts[number + 1]] = row[: starts[number + 1] - starts[number]]
    states.flush()
    partial.rename(path)
