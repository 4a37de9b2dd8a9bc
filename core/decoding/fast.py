"""Encoding and decoding with a Transformer's graphs; see `core.decoding.graphs`."""

import math
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, OrtValue

from core.config import PAD, TURN
from core.decoding.graphs import encoder_graph, memory_graph, step_graph
from core.decoding.search import Ids, Scores, Step
from core.decoding.shapes import check_length, table
from core.model.attention import BLOCKED
from core.model.copying import NOT_COPIED
from core.model.gates import HeadGate, HeadGates
from core.model.transformer import Encoded, Transformer

Array = NDArray[Any]
THREADS = min(os.cpu_count() or 1, 4)
"""More do not make matrices of this size faster."""


class GraphDecoder:
    """Runs a Transformer's graphs; sources have any length, and nothing is compiled for it.

    Args:
        model: a Transformer whose weights do not change any more; float32.
    """

    own_gates = True

    def __init__(self, model: Transformer) -> None:
        self.model = model
        self._sessions: dict[tuple[Any, ...], InferenceSession] = {}
        self._lock = threading.Lock()
        self._target = np.asarray(model.target_embedding.table)
        self._factor = np.float32(math.sqrt(model.config.d_model) if model.config.embedding_scale else 1)
        shared = model.config.share_embeddings
        self._source = self._target if shared else np.asarray(model.source_embedding.table)
        self._source_places, self._target_places = (
            _places(positions) for positions in (model.source_positions, model.target_positions)
        )

    def session(self, make: Any, *options: bool) -> InferenceSession:
        """Return the compiled graph that a function makes of the model; it is made once."""
        with self._lock:
            if (make, *options) not in self._sessions:
                self._sessions[make, *options] = make(self.model, *options).session(THREADS)
            return self._sessions[make, *options]

    def encode(self, sources: Sequence[Sequence[int]], gates: HeadGates | None = None) -> Encoded:
        """See `Decoder.encode`."""
        size = check_length(max(map(len, sources)), self.model.config.max_source_length)
        source = table(sources, size, len(sources))
        x = self._source[source] * self._factor
        if (speakers := self.model.source_speakers) is not None:
            x = x + np.asarray(speakers.table)[np.asarray(speakers.numbers(source))]
        if self._source_places is not None:
            x = x + self._source_places[:size]
        mask = source != PAD
        feeds = {"x": x, "mask": _added(mask), **_gates("", gates and gates.encoder_self)}
        if (bias := self.model.encoder.relative_bias) is not None:
            places = np.arange(size)
            feeds["pairs"] = bias.buckets_of(places, places).astype(np.int64)
        states = self.session(encoder_graph, gates is not None).run(["encoded"], feeds)[0]
        return Encoded(source, states, mask[:, None, None])

    def begin(self, encoded: Encoded, beams: int, length: int, gates: HeadGates | None = None) -> Step:
        """See `Decoder.begin`."""
        return _GraphStep(self, encoded, gates)

    def embedded(self, tokens: Ids) -> Array:
        """Return the vectors of target tokens, [N, D]."""
        return self._target[tokens] * self._factor

    def place(self, position: int) -> dict[str, Array]:
        """Return what a step reads of its position."""
        inputs: dict[str, Array] = {}
        if self._target_places is not None:
            inputs["place"] = self._target_places[position : position + 1]
        if (bias := self.model.decoder.relative_bias) is not None:
            inputs["pairs"] = bias.buckets_of(np.array([position]), np.arange(position + 1)).astype(np.int64)
        return inputs


class _GraphStep:
    """`search.Step`; it keeps the keys and values of every row, and those of the sources that still have rows."""

    def __init__(self, decoder: GraphDecoder, encoded: Encoded, gates: HeadGates | None) -> None:
        model, config = decoder.model, decoder.model.config
        self._decoder, self._position = decoder, 0
        self._session = decoder.session(step_graph, gates is not None)
        self._names = [output.name for output in self._session.get_outputs()]
        states, source = np.asarray(encoded.states, dtype=np.float32), np.asarray(encoded.source)
        memory = decoder.session(memory_graph)
        names = [output.name for output in memory.get_outputs()]
        read = dict(zip(names, memory.run(names, {"states": states}), strict=True))
        read["mask"] = _added(np.broadcast_to(np.asarray(encoded.mask), (len(source), 1, 1, source.shape[1]))[:, 0, 0])
        if config.copy:
            read["words"] = (source > TURN).astype(np.float32)[:, None]
        if model.copy_head is not None:
            read["states"] = states
        self._memory = read
        self._gates = {**_gates("", gates and gates.decoder_self), **_gates("cross_", gates and gates.cross)}
        if gates is not None and model.cross_copy is not None:
            copies = np.asarray(gates.cross.copying, dtype=np.float32)[..., None, None]
            self._gates["cross_copies"] = copies[:, None] if copies.ndim == 4 else copies
        self._words = [_Words(row) for row in source] if config.copy else []
        nothing = np.zeros((len(source), config.num_heads, 0, config.key_dim), dtype=np.float32)
        self._past = {
            f"{name}{number}": OrtValue.ortvalue_from_numpy(nothing)
            for number in range(config.decoder_layers)
            for name in ("self_key", "self_value")
        }
        self._dialogues = np.arange(len(source))
        self._beams, self._active = 0, list[int]()
        self._read: dict[str, OrtValue] = {}

    def __call__(self, tokens: Ids, origins: NDArray[np.intp]) -> Scores:
        self._dialogues = self._dialogues[origins]
        active = list(dict.fromkeys(self._dialogues.tolist()))
        beams = len(tokens) // len(active)
        if (active, beams) != (self._active, self._beams):
            self._active, self._beams = active, beams
            whole = len(active) == len(self._memory["mask"])
            read = {name: values if whole else values[active] for name, values in self._memory.items()}
            for name, values in self._gates.items():  # [L, 1 or B, H, …]
                own = active if name.startswith("cross_") else np.repeat(active, beams)
                read[name] = values if values.shape[1] == 1 else values[:, own]
            self._read = {name: OrtValue.ortvalue_from_numpy(values) for name, values in read.items()}
        now = {"embedded": self._decoder.embedded(tokens), "origins": origins.astype(np.int64)}
        now |= self._decoder.place(self._position)
        fed = {name: OrtValue.ortvalue_from_numpy(values) for name, values in now.items()}
        tensors = self._session.run_with_ort_values(self._names, {**fed, **self._read, **self._past})
        results = dict(zip(self._names, tensors, strict=True))
        self._past = {name: results[f"new_{name}"] for name in self._past}
        self._position += 1
        scores: Scores = results["scores"].numpy()
        if self._words:
            copied = results["copied"].numpy()
            for place, number in enumerate(active):
                rows = slice(beams * place, beams * (place + 1))
                self._words[number].mix(scores[rows], copied[rows])
        return scores


class _Words:
    """The tokens of one source that can be copied: each once, with its places."""

    def __init__(self, source: Array) -> None:
        places = np.flatnonzero(source > TURN)
        self._order = places[np.argsort(source[places], kind="stable")]
        self._ids, self._starts = np.unique(source[self._order], return_index=True)

    def mix(self, scores: Scores, copied: Scores) -> None:
        """Add what is copied from each place [W, S] to log-probabilities of generating [W, V] (See et al. 2017, 9)."""
        if len(self._ids):
            sums = np.add.reduceat(copied[:, self._order], self._starts, axis=1)
            scores[:, self._ids] = np.logaddexp(scores[:, self._ids], np.log(np.maximum(sums, NOT_COPIED)))


def _places(layer: Any) -> Array | None:
    """Return the table of a positional encoding [length, D]; None if it adds nothing."""
    if layer.kind == "relative":
        return None
    return np.asarray(layer.table if layer.kind == "learned" else layer.sinusoids)


def _added(mask: Array) -> Array:
    """Return what is added to the scores for a mask [B, S]: float32 [B, 1, 1, S]."""
    return np.where(mask, np.float32(0), np.float32(BLOCKED))[:, None, None]


def _gates(prefix: str, gate: HeadGate | None) -> dict[str, Array]:
    """Return the inputs of a gated graph: factors [L, 1 or B, H, 1, 1] and what is added, [L, 1 or B, H, 1, K]."""
    if gate is None:
        return {}
    share = np.asarray(gate.open, dtype=np.float32)[..., None, None]
    fill = np.asarray(gate.fill, dtype=np.float32)[..., None, :]
    if share.ndim == 4:
        share, fill = share[:, None], fill[:, None]
    return {f"{prefix}open": share, f"{prefix}fill": (1 - share) * fill}
