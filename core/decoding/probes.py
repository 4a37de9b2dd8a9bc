"""Functions for experiments: scores of given summaries, gradients, lenses."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import START
from core.decoding.shapes import (
    SCORED_BUCKETS,
    SOURCE_BUCKETS,
    TARGET_BUCKETS,
    counted,
    room,
    table,
)
from core.model.copying import NOT_COPIED
from core.model.families import Network, any_rows, open_gates
from core.model.gates import HeadGate, HeadGates
from core.model.layers import Blend
from core.model.masks import padding_mask
from core.model.transformer import Encoded
from core.runtime.backend import ANY_LENGTH, any_length, keras, ops, row_gradients

SCORE_ROWS = 8
"""Summaries that are scored at once; with JAX fewer are padded to this number."""
FEWEST_ROWS = 2
"""With TensorFlow one row is padded to this number, so that its score is the same alone and beside another."""


class Probes:
    """Scores, gradients and lenses of a model; each function is made at its first call.

    Args:
        model: a model of any family; positions and layers need a Transformer.

    Attributes:
        traces: number of traces of each function, by name.
    """

    def __init__(self, model: Network) -> None:
        self.model = model
        self.traces: Counter[str] = Counter()
        ids, places = keras.KerasTensor((None, None), "int32"), keras.KerasTensor((None,), "int32")
        gates = open_gates(model.config)
        own = gates and keras.tree.map_structure(
            lambda gate: keras.KerasTensor((gate.shape[0], None, *gate.shape[1:])), gates
        )
        states = any_rows(model.config).states
        self._score = self._program("score", self._score_rows, ids, ids, ids, *([own] if own else []))
        self._score_states = self._program("score_states", self._score_from, states, ids, ids, ids)
        self._layers = self._program(
            "layers", lambda ids: tuple(map(model.encoder.normalised, model.encode(ids).hidden)), ids
        )
        self._placed = self._program("placed", lambda ids, at: model.encode(ids, places=at).states, ids, places)
        self._lens = self._program("lens", self._lens_logits, ids, ids)
        self._gradients = row_gradients(counted(self.traces, "gradients", self._selected), model.variables)

    def score(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], gates: HeadGates | None = None
    ) -> list[NDArray[np.float32]]:
        """Return the log-probability of every token of given targets under teacher forcing.

        Args:
            sources: 1 to `SCORE_ROWS` source ids.
            targets: as many target ids.
            gates: head gates, with own ones for each row if `open` is [L, rows, H] or `fill` [L, rows, H, K];
                None for all on.

        Returns:
            [T] for each row, natural logarithms.

        Raises:
            ValueError: too many rows, or not one target for each source.
        """
        if not 0 < len(sources) == len(targets) <= SCORE_ROWS:
            raise ValueError(
                f"score takes 1 to {SCORE_ROWS} sources and as many targets. "
                f"Received: {len(sources)} and {len(targets)}"
            )
        rows = max(len(sources), FEWEST_ROWS) if ANY_LENGTH else SCORE_ROWS
        gates = gates or open_gates(self.model.config)
        own = gates and HeadGates(*(_gate(gate, rows) for gate in gates))
        inputs = self._sources(sources, rows), *self._forced(targets, rows), *([own] if own else [])
        return [row[: len(target)] for row, target in zip(np.asarray(self._score(*inputs)), targets, strict=False)]

    def score_states(self, states: Sequence[Encoded], target: Sequence[int]) -> list[NDArray[np.float32]]:
        """Return the log-probability of every token of one target, for each of several encoder outputs."""
        found: list[NDArray[np.float32]] = []
        for first in range(0, len(states), SCORE_ROWS):
            batch = states[first : first + SCORE_ROWS]
            filled = batch if ANY_LENGTH else [*batch, *[batch[0]] * (SCORE_ROWS - len(batch))]
            stacked = np.concatenate([np.asarray(encoded.states) for encoded in filled])
            source = np.concatenate([np.asarray(encoded.source) for encoded in filled])
            result = np.asarray(self._score_states(stacked, source, *self._forced([target], 1)))
            found += [row[: len(target)] for row in result[: len(batch)]]
        return found

    def encode_layers(self, source: Sequence[int]) -> list[Encoded]:
        """Return the encoder output after 0, 1, … all encoder layers; the last equals that of `Engine.encode`."""
        ids = self._sources([source])
        mask = padding_mask(ids)
        return [Encoded(ids, states, mask) for states in self._layers(ids)]

    def encode_placed(self, source: Sequence[int], places: Sequence[int]) -> Encoded:
        """Encode a source with other positions of its tokens; 0, 1, 2, … gives the output of `Engine.encode`.

        Args:
            source: source ids.
            places: position of each token, -1 for none.

        Raises:
            ValueError: not one position for each token, or one that the model does not have.
        """
        longest = self.model.config.max_source_length
        if len(places) != len(source) or any(not -1 <= place < longest for place in places):
            raise ValueError(
                f"places must be one for each source token, from -1 to {longest - 1}. "
                f"Received: {len(places)} for {len(source)}, {min(places, default=0)} to {max(places, default=0)}"
            )
        ids = self._sources([source])
        padded = np.full(ids.shape[1], -1, dtype=np.int32)
        padded[: len(places)] = places
        return Encoded(ids, self._placed(ids, padded), padding_mask(ids))

    def lens(self, source: Sequence[int], target: Sequence[int]) -> NDArray[np.float32]:
        """Return logits as if the decoder ended after each layer (logit lens): [N+1, T, V], the last as in `replay`.

        Args:
            source: source ids.
            target: target ids.
        """
        inputs, _ = self._forced([target], 1, TARGET_BUCKETS)
        return np.asarray(self._lens(self._sources([source]), inputs))[:, : len(target)]

    def gradients(
        self,
        source: Sequence[int],
        target: Sequence[int],
        select: NDArray[np.float32],
        foils: Sequence[int] | None = None,
        factors: NDArray[np.float32] | None = None,
        blend: bool = False,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return F_b = sum over t of select[b, t] (log p(y_t) - log p(foil_t)), and its derivatives by the embeddings.

        Args:
            source: source ids.
            target: target ids.
            select: [B, T], up to `SCORE_ROWS` rows.
            foils: ids that stand against the target's, the same one where nothing stands against it; None: nothing.
            factors: [B, S + T] of the embeddings at which F is taken, or [B, 1] of all of a row; None means 1.
            blend: whether a factor blends the mean embedding of the vocabulary (0) with the token's own (1); otherwise
                it multiplies.

        Returns:
            F [B], and its derivatives by the factors, [B, S] and [B, T] (of the decoder's input, [SOS] first). At
            factors of 1 these are gradient times input (Shrikumar et al. 2016, section 2).
        """
        rows, s, t = len(select), len(source), len(target)
        sources = self._sources([source] * rows, rows)
        inputs, wanted = self._forced([target] * rows, rows, TARGET_BUCKETS)
        against = None if foils is None else self._forced([foils] * rows, rows, TARGET_BUCKETS)[1]
        scales = tuple(np.ones(ids.shape, dtype=np.float32) for ids in (sources, inputs))
        if factors is not None:
            places = np.broadcast_to(factors, (rows, s + t))
            scales[0][:, :s], scales[1][:, :t] = places[:, :s], places[:, s:]
        tables = (self.model.source_embedding, self.model.target_embedding)
        common = tuple(table.mean() for table in tables) if blend else None
        chosen = np.zeros(inputs.shape, dtype=np.float32)
        chosen[:, :t] = select
        values, (by_source, by_target) = self._gradients(scales, sources, inputs, wanted, against, chosen, common)
        return np.asarray(values), np.asarray(by_source)[:, :s], np.asarray(by_target)[:, :t]

    def _program(self, name: str, function: Callable[..., Any], *inputs: Any) -> Callable[..., Any]:
        run: Callable[..., Any] = any_length(counted(self.traces, name, function), self.model.variables, inputs)
        return run

    def _sources(self, sources: Sequence[Sequence[int]], rows: int = 1) -> NDArray[np.int32]:
        """Return source ids, [rows, S]."""
        return table(sources, room(max(map(len, sources)), SOURCE_BUCKETS, self.model.config.max_source_length), rows)

    def _forced(
        self,
        targets: Sequence[Sequence[int]],
        rows: int,
        buckets: Sequence[int] = SCORED_BUCKETS,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return decoder input and target of teacher forcing, both [rows, T]."""
        size = room(max(map(len, targets)), buckets, self.model.config.max_target_length)
        inputs = [[START, *target[:-1]] for target in targets]
        return table(inputs, size, rows), table(targets, size, rows)

    def _score_rows(self, source: Any, inputs: Any, target: Any, gates: HeadGates | None = None) -> Any:
        encoded = self.model.encode(source, gates)
        decoded = self.model.decode(inputs, encoded, gates)
        return self.model.target_scores(decoded, source, target, NOT_COPIED)["target"]

    def _score_from(self, states: Any, source: Any, inputs: Any, target: Any) -> Any:
        encoded = Encoded(source, states, padding_mask(source))
        rows = ops.shape(source)[0], ops.shape(inputs)[1]
        decoded = self.model.decode(ops.broadcast_to(inputs, rows), encoded)
        return self.model.target_scores(decoded, source, ops.broadcast_to(target, rows), NOT_COPIED)["target"]

    def _lens_logits(self, source: Any, inputs: Any) -> Any:
        encoded = self.model.encode(source)
        decoded = self.model.decode(inputs, encoded)
        return self.model.lens(decoded, encoded)

    def _selected(
        self, scales: tuple[Any, Any], source: Any, inputs: Any, target: Any, against: Any, select: Any, common: Any
    ) -> Any:
        by_source, by_target = scales if common is None else map(Blend, scales, common)
        encoded = self.model.encode(source, scale=by_source)
        decoded = self.model.decode(inputs, encoded, scale=by_target)
        scores = self.model.target_scores(decoded, source, target, NOT_COPIED)["target"]
        if against is not None:
            scores = scores - self.model.target_scores(decoded, source, against, NOT_COPIED)["target"]
        return ops.sum(scores * select, axis=-1)


def _gate(gate: HeadGate, rows: int) -> HeadGate:
    """Return a gate with own values for each row."""
    return HeadGate(_rows(gate.open, 2, rows), _rows(gate.fill, 3, rows), _rows(gate.copying, 2, rows))


def _rows(values: NDArray[np.float32], shared: int, rows: int) -> NDArray[np.float32]:
    """Return a part of a gate, [L, ...] of `shared` axes or [L, some rows, ...], as [L, rows, ...]."""
    given = values[:, None] if values.ndim == shared else values
    return np.concatenate([given, np.repeat(given[:, :1], rows - given.shape[1], axis=1)], axis=1)
