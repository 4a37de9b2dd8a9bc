"""The model behind compiled functions of a few static lengths."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from keras import ops
from numpy.typing import NDArray

from core.backend import compiled
from core.config import BEAM_SIZES, PAD, START, DecodeSettings
from core.decoding.search import NEVER, BeamResult, Limits, beam_search, constrain, sample
from core.decoding.shapes import BATCH, SOURCE_BUCKETS, bucket, counted, source_table, table
from core.model.gates import HeadGates, all_heads
from core.model.masks import padding_mask
from core.model.transformer import Encoded, Transformer


class Reading(NamedTuple):
    """What a teacher-forced pass tells about a target.

    Args:
        log_probabilities: [T] natural log of each token's probability over the whole vocabulary.
        entropies: [T] of the next-token distributions, in nats.
        attention: [T, S] of the copy head; without one, the mean over the heads of the last layer's cross-attention.
    """

    log_probabilities: NDArray[np.float32]
    entropies: NDArray[np.float32]
    attention: NDArray[np.float32]


class Engine:
    """Encoding, decoding and replay of one dialogue, or of up to `BATCH` dialogues at once.

    Args:
        model: the Transformer.
        word_parts: for each target id, how it stands in a word (`Tokenizer.word_parts`).

    Attributes:
        traces: how often each compiled function was traced, by name; shapes alone cause a new trace.
    """

    def __init__(self, model: Transformer, word_parts: Sequence[int] = ()) -> None:
        self.model = model
        self._parts = np.zeros(model.config.target_vocabulary, dtype=np.int32)
        self._parts[: len(word_parts)] = word_parts
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
        """T, the most tokens of a summary."""
        return self.model.config.max_target_length

    def encode(self, source: Sequence[int], gates: HeadGates | None = None) -> Encoded:
        """Encode source ids, padded to a bucket. Hidden states and attention are left to `replay`."""
        return self._encoded(source_table(source, self.model.config), gates)

    def encode_rows(self, sources: Sequence[Sequence[int]]) -> Encoded:
        """Encode 1 to `BATCH` sources, padded to the bucket of the longest; see `encode`."""
        if not 0 < len(sources) <= BATCH:
            raise ValueError(f"encode_rows takes 1 to {BATCH} sources. Received: {len(sources)}")
        size = bucket(max(map(len, sources)), SOURCE_BUCKETS, self.model.config.max_source_length)
        return self._encoded(table(sources, size, BATCH), None)

    def beam(
        self,
        encoded: Encoded,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> BeamResult:
        """Beam search of one source, greedy for one beam; see `search.beam_search`. Arrays are numpy."""
        return self.beam_rows(encoded, settings, prefix, gates).row(0)

    def beam_rows(
        self,
        encoded: Encoded,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> BeamResult:
        """Beam search of every row; `BeamResult.row` takes one out."""
        beams = 1 if settings.strategy == "greedy" else settings.beam_size
        width = next(size for size in BEAM_SIZES if size >= beams)
        *values, candidates = self._beam[width](
            *self._arguments(encoded, settings, prefix, gates),
            np.int32(beams),
            np.float32(settings.length_penalty),
        )
        arrays = dict(zip(BeamResult._fields, map(np.asarray, values), strict=False))
        tokens, parents, kept, scores = map(np.asarray, candidates)
        return BeamResult(**arrays, candidates=(tokens, parents, kept, scores))

    def sample(
        self,
        encoded: Encoded,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> list[int]:
        """Sampled ids of one source; the same seed gives the same ids."""
        return self.sample_rows(encoded, settings, prefix, gates)[0]

    def sample_rows(
        self,
        encoded: Encoded,
        settings: DecodeSettings,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> list[list[int]]:
        """Sampled ids of every row; each is drawn with the noise of the seed, as it would be alone."""
        random = np.random.default_rng(settings.seed)
        noise = random.gumbel(size=(self.length, self.model.config.target_vocabulary)).astype(np.float32)
        tokens, written = self._sample(
            *self._arguments(encoded, settings, prefix, gates),
            np.float32(settings.temperature),
            np.int32(settings.top_k),
            np.float32(settings.top_p),
            noise,
        )
        return [row[:count].tolist() for row, count in zip(np.asarray(tokens), np.asarray(written), strict=True)]

    def read_rows(
        self, encoded: Encoded, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[Reading]:
        """Teacher-forced pass over one target for each source, without the arrays of `replay` that only a page shows.

        Args:
            encoded: what `encode_rows` gave for `sources`.
            sources: source ids.
            targets: target ids.

        Returns:
            One reading a target, without padding.
        """
        inputs = table([[START, *target[:-1]] for target in targets], self.length, BATCH)
        result = self._read(encoded.source, encoded.states, encoded.mask, inputs, table(targets, self.length, BATCH))
        arrays = zip(*map(np.asarray, result), strict=True)
        return [
            Reading(logs[: len(target)], entropies[: len(target)], attention[: len(target), : len(source)])
            for source, target, (logs, entropies, attention) in zip(sources, targets, arrays, strict=False)
        ]

    def replay(
        self, source: Sequence[int], target: Sequence[int], gates: HeadGates | None = None
    ) -> dict[str, NDArray[np.float32]]:
        """Teacher-forced pass over the whole target; see `Transformer.replay`.

        Args:
            source: source ids.
            target: target ids; the decoder's input is [SOS] and all but the last of them.
            gates: head gates, or None for all on.

        Returns:
            The arrays of `Transformer.replay` without batch axis and padding.
        """
        inputs = table([[START, *target[:-1]]], self.length, 1)
        result = self._replay(source_table(source, self.model.config), inputs, gates or all_heads(self.model.config))
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
        return {name: np.asarray(values)[0][cuts[name]] for name, values in result.items()}

    def banned(
        self, source: Sequence[int], settings: DecodeSettings, written: Sequence[int]
    ) -> NDArray[np.bool_]:
        """Which tokens the rules of `settings` forbid after `written`, as if nothing was forced.

        This is `search.constrain` itself, run eagerly.

        Args:
            source: source ids.
            settings: min_tokens, no_repeat_ngram and whole_words count.
            written: target ids so far, fewer than T.

        Returns:
            [V].
        """
        tokens = np.full((1, self.length), PAD, dtype=np.int32)
        tokens[0, : len(written)] = written
        free = np.zeros((1, self.model.config.target_vocabulary), dtype=np.float32)
        limits = self._limits(source_table(source, self.model.config), settings, ())
        allowed = constrain(free, tokens, np.int32(len(written)), limits)
        return np.asarray(np.asarray(allowed)[0] < NEVER / 2)

    def _arguments(
        self, encoded: Encoded, settings: DecodeSettings, prefix: Sequence[int], gates: HeadGates | None
    ) -> tuple[Any, ...]:
        """What both loops take: encoder output, limits and gates."""
        limits = self._limits(np.asarray(encoded.source), settings, prefix)
        return (encoded.source, encoded.states, encoded.mask, limits, gates or all_heads(self.model.config))

    def _limits(self, source: NDArray[np.int32], settings: DecodeSettings, prefix: Sequence[int]) -> Limits:
        """What `search` has to obey; `source` is padded."""
        forced = np.full(self.length, PAD, dtype=np.int32)
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
        )

    def _encoded(self, ids: NDArray[np.int32], gates: HeadGates | None) -> Encoded:
        states = self._encode(ids, gates or all_heads(self.model.config))
        return Encoded(ids, states, padding_mask(ids))

    def _read_targets(self, source: Any, states: Any, mask: Any, inputs: Any, targets: Any) -> Reading:
        encoded = Encoded(source, states, mask)
        decoded = self.model.decode(inputs, encoded)
        rows = ops.log_softmax(self.model.logits(decoded, encoded), axis=-1)  # [B, T, V]
        chosen = ops.take_along_axis(rows, targets[..., None], axis=-1)[..., 0]
        entropies = -ops.sum(ops.exp(rows) * rows, axis=-1)
        if decoded.pointer is not None:
            return Reading(chosen, entropies, decoded.pointer.weights)
        return Reading(chosen, entropies, ops.mean(decoded.stack.cross_attention[-1], axis=1))

    def _encode_source(self, source: Any, gates: HeadGates) -> Any:
        return self.model.encode(source, gates).states

    def _beam_loop(self, width: int) -> Callable[..., Any]:
        def run(
            source: Any, states: Any, mask: Any, limits: Limits, gates: HeadGates, beams: Any, penalty: Any
        ) -> BeamResult:
            step, cache = self._stepper(Encoded(source, states, mask), gates, width)
            return beam_search(step, cache, limits, beams, penalty, width)

        return run

    def _sample_loop(
        self, source: Any, states: Any, mask: Any, limits: Limits, gates: HeadGates, *rest: Any
    ) -> tuple[Any, Any]:
        step, cache = self._stepper(Encoded(source, states, mask), gates, 1)
        return sample(step, cache, limits, *rest)

    def _stepper(self, encoded: Encoded, gates: HeadGates, width: int) -> tuple[Callable[..., Any], Any]:
        """The step function over the model, and its first cache; only the self-attention part moves with the beams."""
        full = self.model.empty_cache(encoded, self.length, encoded.source.shape[0] * width)

        def step(tokens: Any, position: Any, moving: Any) -> tuple[Any, Any]:
            cache = full._replace(self_keys=moving[0], self_values=moving[1])
            logits, cache = self.model.step(tokens, position, cache, encoded, gates)
            return logits, (cache.self_keys, cache.self_values)

        return step, (full.self_keys, full.self_values)
