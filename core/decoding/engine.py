"""The model behind compiled functions of a few static lengths."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from keras import ops
from numpy.typing import NDArray

from core.backend import compiled
from core.config import BEAM_SIZES, PAD, START, DecodeSettings
from core.decoding.search import NEVER, BeamResult, Limits, beam_search, constrain, sample
from core.decoding.shapes import BATCH, SOURCE_BUCKETS, TARGET_BUCKETS, bucket, counted, source_table, table
from core.model.families import Network, essentials, moving, open_gates
from core.model.gates import HeadGates
from core.trace import Layers


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

    Attributes:
        traces: number of traces of each compiled function, by name; only a new shape causes one.
    """

    def __init__(self, model: Network, word_parts: Sequence[int] = ()) -> None:
        self.model = model
        self._all_on = open_gates(model.config)
        self._parts = np.zeros(model.config.target_vocabulary, dtype=np.int32)
        self._parts[: len(word_parts)] = word_parts
        self._suppressed = np.zeros(model.config.target_vocabulary, dtype=np.bool_)
        self._suppressed[list(model.config.suppressed)] = True
        self._parts[self._suppressed] = 0
        self.traces: Counter[str] = Counter()
        variables = model.variables
        self._encode = compiled(counted(self.traces, "encode", self._encode_source), variables)
        self._replay = compiled(counted(self.traces, "replay", model.replay), variables)
        self._read = compiled(counted(self.traces, "read", self._read_targets), variables)
        self._sample = compiled(counted(self.traces, "sample", self._sample_loop), variables)
        self._beam = {
            width: compiled(counted(self.traces, f"beam{width}", self._beam_loop(width)), variables)
            for width in BEAM_SIZES
        }

    @property
    def length(self) -> int:
        """The largest number of tokens of a summary."""
        return int(self.model.config.max_target_length)

    def _padded(self, length: int) -> int:
        """Return T, the number of positions that a target of at most `length` tokens is padded to."""
        return bucket(min(length, self.length), TARGET_BUCKETS, self.length)

    def beginning(self, prefix: Sequence[int] = ()) -> tuple[int, ...]:
        """Return the first ids of a target: the one that the model's settings force, if any, and a prefix."""
        first = self.model.config.forced_first
        return tuple(prefix) if first is None or tuple(prefix[:1]) == (first,) else (first, *prefix)

    def encode(self, source: Sequence[int], gates: HeadGates | None = None) -> Any:
        """Encode source ids, padded to a bucket. Hidden states and attention are left to `replay`."""
        return self._encode(source_table(source, self.model.config), gates or self._all_on)

    def encode_rows(self, sources: Sequence[Sequence[int]]) -> Any:
        """Encode 1 to `BATCH` sources, padded to the bucket of the longest; see `encode`."""
        if not 0 < len(sources) <= BATCH:
            raise ValueError(f"encode_rows takes 1 to {BATCH} sources. Received: {len(sources)}")
        size = bucket(max(map(len, sources)), SOURCE_BUCKETS, self.model.config.max_source_length)
        return self._encode(table(sources, size, BATCH), self._all_on)

    def beam(
        self,
        encoded: Any,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> BeamResult:
        """Beam search of one source, greedy for one beam; see `search.beam_search`. Arrays are numpy."""
        return self.beam_rows(encoded, settings, prefix, gates).row(0)

    def beam_rows(
        self,
        encoded: Any,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> BeamResult:
        """Beam search of every row; `BeamResult.row` selects one."""
        beams = 1 if settings.strategy == "greedy" else settings.beam_size
        width = next(size for size in BEAM_SIZES if size >= beams)
        *values, candidates = self._beam[width](
            *self._arguments(encoded, settings, prefix, gates),
            np.int32(beams),
            np.float32(settings.length_penalty),
            np.bool_(settings.early_stopping),
        )
        arrays = dict(zip(BeamResult._fields, map(np.asarray, values), strict=False))
        tokens, parents, kept, scores = map(np.asarray, candidates)
        return BeamResult(**arrays, candidates=(tokens, parents, kept, scores))

    def sample(
        self,
        encoded: Any,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> list[int]:
        """Sample a target for one source; the same seed gives the same ids."""
        return self.sample_rows(encoded, settings, prefix, gates)[0]

    def sample_rows(
        self,
        encoded: Any,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> list[list[int]]:
        """Sample a target for every row; each is drawn with the same noise as it would be alone."""
        random = np.random.default_rng(settings.seed)
        noise = np.zeros((self._padded(settings.max_tokens), self.model.config.target_vocabulary), dtype=np.float32)
        used = noise[: settings.max_tokens]
        used[:] = random.gumbel(size=used.shape)
        tokens, written = self._sample(
            *self._arguments(encoded, settings, prefix, gates),
            np.float32(settings.temperature),
            np.int32(settings.top_k),
            np.float32(settings.top_p),
            noise,
        )
        return [row[:count].tolist() for row, count in zip(np.asarray(tokens), np.asarray(written), strict=True)]

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
        size = self._padded(max(map(len, targets)))
        inputs = table([[START, *target[:-1]] for target in targets], size, BATCH)
        result = self._read(encoded, inputs, table(targets, size, BATCH))
        logs, entropies, *looked = map(np.asarray, (each for each in result if each is not None))
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
        inputs = table([[START, *target[:-1]]], self._padded(len(target)), 1)
        result = self._replay(source_table(source, self.model.config), inputs, gates or self._all_on)
        s, t = len(source), len(target)
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
        blocks = self.model.config.has.blocks
        if blocks is None:
            return {}
        inputs = np.array([START, *target[:-1]], dtype=np.int32)
        hidden = {name: replay[name] for name in ("encoder_hidden", "decoder_hidden")}
        s, t = (states.shape[1] for states in hidden.values())
        heads = blocks.num_heads
        shapes = {
            "encoder_self": (blocks.encoder_layers, heads, s, s),
            "decoder_self": (blocks.decoder_layers, heads, t, t),
            "cross": (blocks.decoder_layers, heads, t, s),
        }

        def computed(kind: str) -> Callable[[int], NDArray[np.float32]]:
            return lambda layer: np.asarray(self.model.layer_attention(kind, layer, hidden, inputs, gates))

        return {kind: Layers(shape, computed(kind)) for kind, shape in shapes.items() if kind not in replay}

    def banned(self, source: Sequence[int], settings: DecodeSettings, written: Sequence[int]) -> NDArray[np.bool_]:
        """Return the tokens that `settings` and the model's own forbid after `written`, without a forced prefix.

        This is `search.constrain` itself, run eagerly.

        Args:
            source: source ids.
            settings: max_tokens, min_tokens, no_repeat_ngram and whole_words are used.
            written: target ids so far, fewer than T.

        Returns:
            [V].
        """
        tokens = np.full((1, self.length), PAD, dtype=np.int32)
        tokens[0, : len(written)] = written
        free = np.zeros((1, self.model.config.target_vocabulary), dtype=np.float32)
        limits = self._limits(source_table(source, self.model.config), settings, (), self.length)
        allowed = constrain(free, tokens, np.int32(len(written)), limits)
        return np.asarray(np.asarray(allowed)[0] < NEVER / 2)

    def _arguments(
        self, encoded: Any, settings: DecodeSettings, prefix: Sequence[int], gates: HeadGates | None
    ) -> tuple[Any, ...]:
        """Return the arguments of both loops: encoder output, limits and gates."""
        limits = self._limits(np.asarray(encoded.source), settings, prefix, self._padded(settings.max_tokens))
        return essentials(encoded), limits, gates or self._all_on

    def _limits(
        self, source: NDArray[np.int32], settings: DecodeSettings, prefix: Sequence[int], length: int
    ) -> Limits:
        """Return the limits for `search`; `source` is padded, and targets will be padded to `length`."""
        config, prefix = self.model.config, self.beginning(prefix)
        forced = np.full(length, PAD, dtype=np.int32)
        forced[: len(prefix)] = prefix
        return Limits(
            np.int32(min(settings.max_tokens, self.length)),
            np.int32(settings.min_tokens),
            np.int32(settings.no_repeat_ngram),
            forced,
            np.int32(len(prefix)),
            np.bool_(settings.whole_words),
            source,
            self._parts,
            self._suppressed,
            np.bool_(config.forced_first is not None),
            np.bool_(config.forced_last),
        )

    def _read_targets(self, encoded: Any, inputs: Any, targets: Any) -> Reading:
        decoded = self.model.decode(inputs, encoded)
        rows = ops.log_softmax(self.model.logits(decoded, encoded), axis=-1)  # [B, T, V]
        chosen = ops.take_along_axis(rows, targets[..., None], axis=-1)[..., 0]
        entropies = -ops.sum(ops.exp(rows) * rows, axis=-1)
        return Reading(chosen, entropies, decoded.source_attention)

    def _encode_source(self, source: Any, gates: HeadGates | None) -> Any:
        return essentials(self.model.encode(source, gates))

    def _beam_loop(self, width: int) -> Callable[..., Any]:
        def run(
            encoded: Any, limits: Limits, gates: HeadGates | None, beams: Any, penalty: Any, early: Any
        ) -> BeamResult:
            step, cache = self._stepper(encoded, gates, width, limits.prefix.shape[0])
            return beam_search(step, cache, limits, beams, penalty, width, early)

        return run

    def _sample_loop(self, encoded: Any, limits: Limits, gates: HeadGates | None, *rest: Any) -> tuple[Any, Any]:
        step, cache = self._stepper(encoded, gates, 1, limits.prefix.shape[0])
        return sample(step, cache, limits, *rest)

    def _stepper(
        self, encoded: Any, gates: HeadGates | None, width: int, length: int
    ) -> tuple[Callable[..., Any], Any]:
        """Return the step function over the model, and its first cache without what is made of the source alone."""
        full = self.model.empty_cache(encoded, length, encoded.source.shape[0] * width)
        names = moving(full)

        def step(tokens: Any, position: Any, moved: Any) -> tuple[Any, Any]:
            cache = full._replace(**dict(zip(names, moved, strict=True)))
            logits, cache = self.model.step(tokens, position, cache, encoded, gates)
            return logits, tuple(getattr(cache, name) for name in names)

        return step, tuple(getattr(full, name) for name in names)


def _fixed(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a read-only copy, so that whoever keeps it needs no other one."""
    kept = values.copy()
    kept.setflags(write=False)
    return kept
