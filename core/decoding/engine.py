"""A model as pages and recipes use it: encode, decode, and replay what was decoded."""

import functools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.config import END, KEPT_ATTENTION, START, DecodeSettings
from core.decoding.decoders import Decoder, KerasDecoder
from core.decoding.search import POSSIBLE, BeamResult, Limits, Rules, beam_search, sample
from core.decoding.shapes import (
    BATCH,
    SCORED_BUCKETS,
    SOURCE_BUCKETS,
    TARGET_BUCKETS,
    bucket,
    counted,
    pad_encoded,
    pad_rows,
    room,
    table,
)
from core.model.families import Network, any_rows, open_gates
from core.model.gates import HeadGates
from core.runtime.backend import ANY_LENGTH, any_length, keras, ops
from core.trace import Layers

LARGEST_GRAPH = 2**30
"""Bytes of a network's weights up to which they are copied into graphs; ONNX's format ends at twice as many."""


class Reading(NamedTuple):
    """The result of a teacher-forced pass over a target.

    Args:
        log_probabilities: [T] natural log of each token's probability over the whole vocabulary.
        entropies: [T] of the next-token distributions, in nats.
        attention: [T, S] the copy distribution; without one, the mean over the heads of the last layer's
            cross-attention; None for a model without attention.
    """

    log_probabilities: NDArray[np.float32]
    entropies: NDArray[np.float32]
    attention: NDArray[np.float32] | None


class Engine:
    """Encoding, decoding and replay of one dialogue, or of up to `BATCH` dialogues at once.

    Args:
        model: a model of any family.
        word_parts: for each target id, its position in a word (`Tokenizer.word_parts`).
        training: whether the weights still change; then the network itself decodes, not a copy of it.

    Attributes:
        decoder: encodes and decodes.
        traces: how often Python ran each function that a program is made of, by name.
    """

    def __init__(self, model: Network, word_parts: Sequence[int] = (), training: bool = False) -> None:
        self.model = model
        self._all_on = open_gates(model.config)
        self._parts = np.zeros(model.config.target_vocabulary, dtype=np.int32)
        self._parts[: len(word_parts)] = word_parts
        self._parts[list(model.config.suppressed)] = 0
        self.traces: Counter[str] = Counter()
        self.decoder = _decoder(model, training, self.traces)
        self._replays: dict[tuple[str, ...], Callable[..., Any]] = {}
        self._ids = keras.KerasTensor((None, None), "int32")
        self._read = any_length(
            counted(self.traces, "read", self._read_targets),
            model.variables,
            [any_rows(model.config), self._ids, self._ids],
        )

    def weights_changed(self) -> None:
        """Let the next decoding use the weights that the network has now; programs read them anyway."""
        if not isinstance(self.decoder, KerasDecoder):
            self.decoder = _decoder(self.model, training=False, traces=self.traces)

    @property
    def length(self) -> int:
        """The largest number of tokens of a summary."""
        return int(self.model.config.max_target_length)

    def beginning(self, prefix: Sequence[int] = ()) -> tuple[int, ...]:
        """Return the first ids of a target: the one that the model's settings force, if any, and a prefix."""
        first = self.model.config.forced_first
        return tuple(prefix) if first is None or tuple(prefix[:1]) == (first,) else (first, *prefix)

    def encode(self, source: Sequence[int], gates: HeadGates | None = None) -> Any:
        """Encode source ids. Hidden states and attention are left to `replay`."""
        return self.decoder.encode([source], gates)

    def encode_rows(self, sources: Sequence[Sequence[int]], gates: HeadGates | None = None) -> Any:
        """Encode 1 to `BATCH` sources, padded to the longest or more; see `encode`."""
        if not 0 < len(sources) <= BATCH:
            raise ValueError(f"encode_rows takes 1 to {BATCH} sources. Received: {len(sources)}")
        return self.decoder.encode(sources, gates)

    def beam_rows(
        self,
        encoded: Any,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> list[BeamResult]:
        """Beam search of every encoded source, greedy for one beam; see `search.beam_search`."""
        beams = 1 if settings.strategy == "greedy" else settings.beam_size
        step = self.decoder.begin(encoded, beams, settings.max_tokens, gates)
        limits = self._limits(settings, prefix)
        sources = list(np.asarray(encoded.source))
        return beam_search(step, sources, limits, beams, settings.length_penalty, settings.early_stopping)

    def sample_rows(
        self,
        encoded: Any,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> list[list[int]]:
        """Sample a target for every encoded source; each is drawn with the same noise as it would be alone.

        The same seed gives the same ids.
        """
        step = self.decoder.begin(encoded, 1, settings.max_tokens, gates)
        limits, random = self._limits(settings, prefix), np.random.default_rng(settings.seed)
        cuts = settings.temperature, settings.top_k, settings.top_p
        return sample(step, list(np.asarray(encoded.source)), limits, random, *cuts)

    def read_rows(
        self, encoded: Any, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[Reading]:
        """Run a teacher-forced pass over one target for each source, without the large arrays of `replay`.

        Args:
            encoded: what `encode_rows` gave for `sources`.
            sources: source ids.
            targets: target ids.

        Returns:
            One reading for each target, without padding.
        """
        size = room(max(map(len, targets)), SCORED_BUCKETS, self.length)
        rows = len(targets) if ANY_LENGTH else BATCH
        if not ANY_LENGTH:
            longest = bucket(encoded.source.shape[1], SOURCE_BUCKETS, self.model.config.max_source_length)
            encoded = pad_rows(pad_encoded(encoded, longest), rows)
        inputs = table([[START, *target[:-1]] for target in targets], size, rows)
        result = self._read(encoded, inputs, table(targets, size, rows))
        logs, entropies, *looked = map(np.asarray, (array for array in result if array is not None))
        return [
            Reading(
                logs[row, : len(target)],
                entropies[row, : len(target)],
                looked[0][row, : len(target), : len(source)] if looked else None,
            )
            for row, (source, target) in enumerate(zip(sources, targets, strict=False))
        ]

    def replay(
        self, source: Sequence[int], target: Sequence[int], gates: HeadGates | None = None
    ) -> dict[str, NDArray[np.float32]]:
        """Run a teacher-forced pass over the whole target; see the model's own `replay`.

        Args:
            source: source ids.
            target: target ids; the decoder's input is [SOS] and all but the last of them.
            gates: head gates, or None for all on.

        Returns:
            The arrays of the model's `replay` without batch axis and padding.
        """
        config, s, t = self.model.config, len(source), len(target)
        padded = table([source], room(s, SOURCE_BUCKETS, config.max_source_length), 1)
        inputs = table([[START, *target[:-1]]], room(t, TARGET_BUCKETS, self.length), 1)
        kinds = tuple(kind for kind, shape in self._attention(s, t).items() if 4 * math.prod(shape) <= KEPT_ATTENTION)
        gated = [] if self._all_on is None else [gates or self._all_on]
        result = self._replay(kinds)(padded, inputs, *gated)
        cuts: dict[str, tuple[slice, ...]] = {
            "encoder_self": (slice(None), slice(None), slice(s), slice(s)),
            "decoder_self": (slice(None), slice(None), slice(t), slice(t)),
            "cross": (slice(None), slice(None), slice(t), slice(s)),
            "encoder_hidden": (slice(None), slice(s)),
            "decoder_hidden": (slice(None), slice(t)),
            "logits": (slice(t),),
            "p_gen": (slice(t),),
            "copy": (slice(t), slice(s)),
        }
        return {name: _fixed(np.asarray(values)[0][cuts[name]]) for name, values in result.items()}

    def layers(
        self, replay: Mapping[str, NDArray[np.float32]], target: Sequence[int], gates: HeadGates | None = None
    ) -> dict[str, Layers]:
        """Return the kinds of attention that a replay left out, to be computed layer by layer.

        Args:
            replay: what `replay` returned.
            target: its target ids.
            gates: its head gates.
        """
        if self.model.config.has.blocks is None:
            return {}
        inputs = np.array([START, *target[:-1]], dtype=np.int32)
        hidden = {name: replay[name] for name in ("encoder_hidden", "decoder_hidden")}
        s, t = (states.shape[1] for states in hidden.values())
        shapes = self._attention(s, t)

        def computed(kind: str) -> Callable[[int], NDArray[np.float32]]:
            return lambda layer: np.asarray(self.model.layer_attention(kind, layer, hidden, inputs, gates))

        return {kind: Layers(shape, computed(kind)) for kind, shape in shapes.items() if kind not in replay}

    def banned(self, source: Sequence[int], settings: DecodeSettings, written: Sequence[int]) -> NDArray[np.bool_]:
        """Return the tokens that `settings` and the model's own forbid after `written`, without a forced prefix.

        These are the `Rules` of the search themselves.

        Args:
            source: source ids.
            settings: max_tokens, min_tokens, no_repeat_ngram and whole_words are used.
            written: target ids so far, fewer than T.

        Returns:
            [V].
        """
        free = np.zeros((1, self.model.config.target_vocabulary), dtype=np.float32)
        Rules(self._limits(settings, ()), source).apply(free, np.array([written], dtype=np.int32))
        banned: NDArray[np.bool_] = free[0] < POSSIBLE
        return banned

    def _limits(self, settings: DecodeSettings, prefix: Sequence[int]) -> Limits:
        config = self.model.config
        return Limits(
            max_tokens=min(settings.max_tokens, self.length),
            parts=self._parts,
            min_tokens=settings.min_tokens,
            no_repeat_ngram=settings.no_repeat_ngram,
            prefix=self.beginning(prefix),
            whole_words=settings.whole_words,
            suppressed=config.suppressed,
            certain_first=config.forced_first is not None,
            certain_last=config.forced_last,
            ends=(END, *config.ends),
        )

    def _attention(self, source: int, target: int) -> dict[str, tuple[int, int, int, int]]:
        """Return the shape of each kind of attention for lengths of source and target; none for a recurrent model."""
        blocks = self.model.config.has.blocks
        if blocks is None:
            return {}
        encoder, decoder = ((layers, blocks.num_heads) for layers in (blocks.encoder_layers, blocks.decoder_layers))
        return {
            "encoder_self": (*encoder, source, source),
            "decoder_self": (*decoder, target, target),
            "cross": (*decoder, target, source),
        }

    def _replay(self, kinds: tuple[str, ...]) -> Callable[..., Any]:
        """Return the program that replays, and returns these kinds of attention."""
        if kinds not in self._replays:
            inputs: list[Any] = [self._ids, self._ids]
            if self._all_on is not None:
                inputs.append(keras.tree.map_structure(lambda values: keras.KerasTensor(values.shape), self._all_on))
            run = counted(self.traces, "replay", functools.partial(self.model.replay, kinds=kinds))
            self._replays[kinds] = any_length(run, self.model.variables, inputs, start_without=True)
        return self._replays[kinds]

    def _read_targets(self, encoded: Any, inputs: Any, targets: Any) -> Reading:
        decoded = self.model.decode(inputs, encoded)
        rows = ops.log_softmax(self.model.logits(decoded, encoded), axis=-1)  # [B, T, V]
        chosen = ops.take_along_axis(rows, targets[..., None], axis=-1)[..., 0]
        entropies = -ops.sum(ops.exp(rows) * rows, axis=-1)
        return Reading(chosen, entropies, decoded.source_attention)


def _decoder(model: Network, training: bool, traces: Counter[str]) -> Decoder:
    """Return the fast decoder of a Transformer in float32, where ONNX Runtime is installed, or the network's own."""
    small = 4 * model.count_params() <= LARGEST_GRAPH
    if not training and small and model.config.has.blocks is not None and model.compute_dtype == "float32":
        try:
            from core.decoding.fast import GraphDecoder
        except ImportError:
            pass
        else:
            return GraphDecoder(model)
    return KerasDecoder(model, traces)


def _fixed(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a read-only copy, so that whoever keeps it needs no other one."""
    kept = values.copy()
    kept.setflags(write=False)
    return kept
