"""Measure the role of the encoder's positions: remove or change them, and run the model again.

S source tokens, T summary tokens, D width. Only the encoder's positions change; the decoder keeps its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from core.errors import SettingsError
from core.experiments.effects import Effect, Untouched, written
from core.experiments.lenses import words
from core.explain.positions import Biases, Side
from core.explain.shared.recomputing import check_writer
from core.runtime.queue import CALLS
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer

Change = Literal["removed", "shuffled", "shifted", "reversed"]
NOWHERE = -1
"""Stands for a token without a position."""


@dataclass(frozen=True, eq=False)
class FirstInput:
    """The input of the first encoder layer: embeddings and positions.

    Args:
        embedded: [S, D] row of the embedding table, times √D in a model that scales it, plus the vector of the speaker
            if the model has one.
        positions: [S, D] vectors that are added.
        computed: [S, D] their sum, after the norm of the embeddings if there is one.
        read: [S, D] the input in the model's own run.
    """

    embedded: Array
    positions: Array
    computed: Array
    read: Array

    @property
    def difference(self) -> float:
        """Largest absolute difference of the computed input from the model's own."""
        return float(np.abs(self.computed - self.read).max())

    @property
    def norms(self) -> tuple[Array, Array]:
        """Norms of the embeddings and of the positions, [S] each."""
        return np.linalg.norm(self.embedded, axis=1), np.linalg.norm(self.positions, axis=1)


@dataclass(frozen=True, slots=True)
class Kept:
    """Word counts of a new summary.

    Args:
        words: number of words of the new summary.
        said: how many of them occur in the dialogue.
        before: how many of them occur in the old summary.
    """

    words: int
    said: int
    before: int


def places(change: Change, size: int, longest: int, seed: int = 0, offset: int = 1) -> tuple[int, ...]:
    """Return the changed positions of the tokens.

    Args:
        change: `removed`: no positions; `shuffled`: random order; `shifted`: moved by `offset`; `reversed`: last one
            first.
        size: number of tokens.
        longest: number of positions of the model.
        seed: of the order.
        offset: of the shift.

    Raises:
        SettingsError: a shifted position is outside the table.
    """
    if change == "shifted":
        if not 0 <= offset <= longest - size:
            raise SettingsError(
                "the positions end: there are {places:,}, and {tokens:,} tokens can move by 0 to {most:,}. "
                "Received: {offset}",
                places=longest,
                tokens=size,
                most=longest - size,
                offset=offset,
            )
        return tuple(range(offset, offset + size))
    if change == "removed":
        return (NOWHERE,) * size
    if change == "reversed":
        return tuple(reversed(range(size)))
    return tuple(int(place) for place in np.random.default_rng(seed).permutation(size))


def replaced(
    summarizer: "Summarizer", base: Untouched, changes: Sequence[Sequence[int]], rewrite: bool = True
) -> list[Effect]:
    """Score the original summary with changed positions of the source, and let the model write.

    Args:
        summarizer: the model.
        base: the original run, with all heads on.
        changes: positions of the tokens, see `places`; 0, 1, 2, … is no change.
        rewrite: whether the model also writes a summary with each.
    """
    encoded = base.condition.encoded
    with CALLS.turn():
        memories = [summarizer.probes.encode_placed(encoded.ids, each) for each in changes]
        scores = summarizer.probes.score_states(memories, base.ids)
    if not rewrite:
        return [Effect(base.log_probabilities, each) for each in scores]
    return written(base, scores, summarizer.write_rows([encoded] * len(memories), base.settings, memories=memories))


def kept(new: str, old: str, dialogue: str) -> Kept:
    """Count the words of a new summary that occur in the dialogue and in the old summary, ignoring case."""
    written, before, spoken = (words(text.casefold()) for text in (new, old, dialogue))
    return Kept(len(written), sum(word in spoken for word in written), sum(word in before for word in written))


def position_table(summarizer: "Summarizer", side: Side = "encoder") -> Array:
    """Return the table of positions of the encoder or the decoder, [L, D], sinusoidal or learned.

    Raises:
        SettingsError: the model has no vectors for positions.
    """
    model = summarizer.model
    layer = model.source_positions if side == "encoder" else model.target_positions
    if layer.kind == "relative":
        raise SettingsError(
            "the model must have vectors for positions. Received: {checkpoint}, which adds a bias by distance to "
            "its scores",
            checkpoint=summarizer.checkpoint.identity,
        )
    return np.asarray(layer.table if layer.kind == "learned" else layer.sinusoids, dtype=np.float32)


def distance_biases(summarizer: "Summarizer", side: Side) -> Biases:
    """Return the learned biases of a model with relative positions, as far as its buckets reach and a little beyond.

    The decoder's distances end at 0: later keys are masked.
    """
    from core.model.positional import relative_buckets

    layer = _stack(summarizer, side).relative_bias
    reach = min(layer.longest + layer.longest // 8 + 1, layer.length - 1)
    distances = np.arange(-reach, (reach if layer.both_ways else 0) + 1)
    buckets = relative_buckets(distances, layer.buckets, layer.longest, layer.both_ways)
    values = np.asarray(layer.table, dtype=np.float32)[buckets].T
    return Biases(side, distances, buckets, np.ascontiguousarray(values), layer.buckets)


def bias_matrix(summarizer: "Summarizer", side: Side, head: int, size: int) -> Array:
    """Return what is added to the scores of a head, [N, N]: a row for each query, a column for each key.

    Args:
        summarizer: a model with relative positions.
        side: whose self-attention.
        head: 0-based.
        size: N, tokens.
    """
    with CALLS.turn():
        found = _stack(summarizer, side).relative_bias(queries=size, keys=size)
    matrix: Array = np.asarray(found, dtype=np.float32)[0, head]
    return matrix


def _stack(summarizer: "Summarizer", side: Side) -> Any:
    return summarizer.model.encoder if side == "encoder" else summarizer.model.decoder


def first_input(summarizer: "Summarizer", summary: Summary) -> FirstInput:
    """Recompute the input of the first encoder layer.

    Raises:
        SettingsError: the summary is of another checkpoint, or the model has no vectors for positions.
    """
    check_writer(summarizer, summary)
    model = summarizer.model
    layer, norm = model.source_embedding, model.source_norm
    ids = [token.id for token in summary.source]
    embedded = np.asarray(layer.table, dtype=np.float32)[ids] * np.float32(np.sqrt(layer.width) if layer.scale else 1)
    if model.source_speakers is not None:
        embedded = np.asarray(model.source_speakers(embedded[None], np.array([ids]))[0], dtype=np.float32)
    positions = position_table(summarizer)[: len(ids)]
    total = embedded + positions
    computed = total if norm is None else np.asarray(norm(total), dtype=np.float32)
    return FirstInput(embedded, positions, computed, summary.encoder_hidden[0])
