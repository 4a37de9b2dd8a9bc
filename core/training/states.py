"""States that the frozen layers of an encoder return, computed once and kept on disk in half precision."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.config import PAD
from core.errors import CheckpointError, SettingsError
from core.model.families import Network
from core.model.transformer import Transformer
from core.runtime.backend import compiled
from core.training.batches import Batches

STATES = "states"
"""Folder inside that of a run."""


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


def freeze(transformer: Network, layers: int) -> None:
    """Keep the embeddings and the lowest layers of an encoder as they are; raises SettingsError for too many."""
    if not layers:
        return
    blocks = transformer.encoder.blocks if isinstance(transformer, Transformer) else []
    if layers > len(blocks):
        raise SettingsError(f"frozen must be at most {len(blocks)}, the encoder's layers. Received: frozen={layers}")
    first = (transformer.source_positions, transformer.source_speakers, transformer.source_norm)
    read = [*first, *blocks[:layers]]
    if layers == len(blocks):
        read.append(transformer.encoder.final_norm)
    fixed = [variable for layer in read if layer is not None for variable in layer.trainable_variables]
    for variable in (transformer.source_embedding.table, *fixed):
        variable.trainable = False


def encode(pairs: Sequence[Any], transformer: Transformer, layers: int, path: Path, tokens: int) -> list[Encoded]:
    """Compute what the frozen layers return for every source, or open what `path` already has.

    Args:
        pairs: source and target ids of each dialogue.
        transformer: its encoder reads the sources, without dropout.
        layers: number of frozen layers, from the lowest.
        path: .npy file of the states of all sources one after the other, float16 [tokens, D].
        tokens: of a batch, padding included.
    """
    ends = np.cumsum([len(pair[0]) for pair in pairs])
    wanted = (int(ends[-1]), transformer.config.d_model)
    states = _read(path, wanted)
    if states is None:
        _write(pairs, transformer, layers, path, tokens)
        states = np.load(path, mmap_mode="r")
    parts = np.split(states, ends[:-1])
    return [Encoded(pair[0], pair[1], part) for pair, part in zip(pairs, parts, strict=True)]


def _read(path: Path, shape: tuple[int, int]) -> NDArray[np.float16] | None:
    """Open the states of a file; None if it is missing, damaged or of other sources, and they are to be computed."""
    if not path.is_file():
        return None
    try:
        states: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError, OverflowError, SyntaxError, TypeError):
        return None
    right = isinstance(states, np.ndarray) and states.shape == shape and states.dtype == np.float16
    return states if right and np.isfinite(states).all() else None


def _write(pairs: Sequence[Any], transformer: Transformer, layers: int, path: Path, tokens: int) -> None:
    """Encode the sources, similar lengths together."""
    numbered = [(pair[0], [PAD], number) for number, pair in enumerate(pairs)]
    batches = Batches(numbered, tokens, shuffle=False, longest=(transformer.config.max_source_length, 1))
    run = compiled(lambda source: transformer.kept_states(source, layers), transformer.variables)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    starts = np.cumsum([0, *(len(pair[0]) for pair in pairs)])
    shape = (int(starts[-1]), transformer.config.d_model)
    try:
        states = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float16, shape=shape)
        if hasattr(os, "posix_fallocate"):  # else a full disk kills the process at the first page without room
            with partial.open("rb+") as file:
                os.posix_fallocate(file.fileno(), 0, partial.stat().st_size)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise CheckpointError(
            f"the states of the frozen layers cannot be written to '{path.parent}': {error.strerror or error}. Make "
            f"room for {2 * shape[0] * shape[1]:,} bytes, or name another folder"
        ) from None
    for index in range(len(batches)):
        rows = batches.rows(index)
        encoded = np.asarray(run(batches.padded_sources(rows)), dtype=np.float16)
        for (ids, _, number), row in zip(rows, encoded, strict=True):
            states[starts[number] : starts[number] + len(ids)] = row[: len(ids)]
    states.flush()
    partial.rename(path)
