"""Summarizer: a loaded checkpoint that turns a dialogue into a Summary."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import END, DecodeSettings, NetworkConfig, Truncation
from core.decoding.engine import Engine, Reading
from core.decoding.probes import Probes
from core.decoding.search import NEVER, BeamResult
from core.errors import SettingsError
from core.model import families
from core.model.gates import HeadGates
from core.model.transformer import Encoded
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import EncodedDialogue, Tokenizer
from core.trace import Alternative, Array, AttentionTrace, BeamTrace, DecodingStep, Hypothesis, Summary, Token

ALTERNATIVES = 10
"""Alternatives kept at each step."""
CONCURRENT_CALLS = 2


@dataclass(frozen=True, eq=False)
class Draft:
    """A summary of a batch: what `Summarizer.summarize` gives, without what only a page shows.

    Args:
        text: the summary.
        tokens: what was written, the end token included.
        log_probabilities: [T] of each token over the whole vocabulary, natural logarithms.
        entropies: [T] of the next-token distributions, in nats.
        attention: where the model looked: `copy` of a copying model, else `cross` [1, 1, T, S], the mean over the
            heads of the last layer; neither for a model without attention.
    """

    text: str
    tokens: tuple[Token, ...]
    log_probabilities: Array
    entropies: Array
    attention: AttentionTrace


class Summarizer:
    """A model, its tokenizer and the compiled functions around it; safe to share between threads.

    Args:
        checkpoint: what `core.checkpoints.read` gave.

    Attributes:
        model: the network.
        engine: it decodes and replays.
        probes: they ask what experiments need.
        calls: bounds how many calls of engine and probes run at once; whoever calls them holds it.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.model = families.build(checkpoint.config)
        checkpoints.set_weights(self.model, checkpoint.weights, checkpoint.name)
        self.engine = Engine(self.model, checkpoint.tokenizer.word_parts())
        self.probes = Probes(self.model)
        self.calls = threading.Semaphore(CONCURRENT_CALLS)

    @classmethod
    def load(cls, name_or_path: str | Path) -> "Summarizer":
        """Load an installed checkpoint by name, or one by its folder; raises CheckpointError."""
        return cls(checkpoints.read(name_or_path))

    @classmethod
    def untrained(cls, checkpoint: Checkpoint, seed: int = 0) -> "Summarizer":
        """The same network before training: a checkpoint's shape and tokenizer with fresh random weights."""
        import keras

        keras.utils.set_random_seed(seed)
        weights = checkpoints.weights_of(families.build(checkpoint.config))
        hashes = {**checkpoint.card["sha256"], "weights.safetensors": f"{seed}-untrained"}
        return cls(replace(checkpoint, weights=weights, history=(), card={**checkpoint.card, "sha256": hashes}))

    @property
    def config(self) -> NetworkConfig:
        """The model's shape."""
        return self.checkpoint.config

    @property
    def tokenizer(self) -> Tokenizer:
        """The checkpoint's tokenizer."""
        return self.checkpoint.tokenizer

    @property
    def settings(self) -> DecodeSettings:
        """The decoding that the checkpoint's card names."""
        return checkpoints.card_decoding(self.checkpoint.card)

    def warm_up(self) -> None:
        """Compile what the first summary needs."""
        self.summarize("#Person1#: Hello. How are you?\n#Person2#: I am fine.")

    def encode(self, dialogue: str, truncation: Truncation | None = None) -> EncodedDialogue:
        """A pasted dialogue as the encoder reads it; None means the card's truncation.

        Raises:
            DialogueError: nothing to summarise, or too long while truncation is "error".
        """
        return self.tokenizer.encode_dialogue(
            parse_dialogue(dialogue), self.config.max_source_length, truncation or self.settings.truncation
        )

    def summarize(
        self,
        dialogue: str | EncodedDialogue,
        settings: DecodeSettings | None = None,
        *,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> Summary:
        """Summarise a pasted dialogue.

        Args:
            dialogue: the text, or what `encode` made of it.
            settings: decoding; None means what the checkpoint's card names.
            prefix: target ids that the summary must start with.
            gates: head gates, or None for all heads on.

        Returns:
            The summary with the whole trace of the run.

        Raises:
            DialogueError: nothing to summarise, or too long while truncation is "error".
            SettingsError: more tokens asked for than the model has positions.
        """
        settings = settings or self.settings
        self._check(settings, prefix)
        encoded = self.encode(dialogue, settings.truncation) if isinstance(dialogue, str) else dialogue
        with self.calls:
            started = time.perf_counter()
            memory = self.engine.encode(encoded.ids, gates)
            ids, hypotheses, beam = self._decode(memory, encoded, settings, prefix, gates)
            replay = self.engine.replay(encoded.ids, ids, gates)
            seconds = time.perf_counter() - started
        forced = min(len(prefix), len(ids))
        return self._summary(encoded, settings, ids, forced, hypotheses, beam, replay, seconds)

    def write(
        self,
        encoded: EncodedDialogue,
        settings: DecodeSettings | None = None,
        gates: HeadGates | None = None,
        memory: Encoded | None = None,
    ) -> tuple[str, list[int]]:
        """The summary alone, without its trace.

        Args:
            encoded: the dialogue.
            settings: decoding; None means what the checkpoint's card names.
            gates: head gates, or None for all heads on.
            memory: what the decoder reads instead of the encoder's output.

        Returns:
            Text and ids.

        Raises:
            SettingsError: more tokens asked for than the model has positions.
        """
        settings = settings or self.settings
        self._check(settings, ())
        with self.calls:
            read = memory or self.engine.encode(encoded.ids, gates)
            ids, _, _ = self._decode(read, encoded, settings, (), gates)
        return self.tokenizer.decode(ids, encoded.speakers)[0], ids

    def write_batch(
        self, dialogues: Sequence[EncodedDialogue], settings: DecodeSettings | None = None
    ) -> list[Draft]:
        """Summarise several dialogues at once; each gets what `summarize` gives it alone.

        Args:
            dialogues: 1 to `shapes.BATCH` of them; those of one bucket of lengths cost least.
            settings: decoding; None means what the checkpoint's card names.

        Raises:
            SettingsError: more tokens asked for than the model has positions.
        """
        settings = settings or self.settings
        self._check(settings, ())
        sources = [each.ids for each in dialogues]
        with self.calls:
            memory = self.engine.encode_rows(sources)
            targets = self._decode_batch(memory, dialogues, settings)
            readings = self.engine.read_rows(memory, sources, targets)
        return [self._draft(*each) for each in zip(dialogues, targets, readings, strict=True)]

    def hypotheses_batch(
        self, dialogues: Sequence[EncodedDialogue], settings: DecodeSettings
    ) -> list[tuple[Hypothesis, ...]]:
        """What beam search leaves for each of several dialogues, best first; see `write_batch`."""
        self._check(settings, ())
        with self.calls:
            memory = self.engine.encode_rows([each.ids for each in dialogues])
            return self._search_batch(memory, dialogues, settings)

    def draft(self, dialogue: EncodedDialogue, settings: DecodeSettings | None = None) -> Draft:
        """What `write_batch` gives for one dialogue, by the way of `summarize`; raises as that does."""
        found = self.summarize(dialogue, settings)
        log_probabilities, entropies = (
            np.array([getattr(step, name) for step in found.steps], dtype=np.float32)
            for name in ("log_probability", "entropy")
        )
        return Draft(found.text, found.tokens, log_probabilities, entropies, found.attention)

    def force(
        self,
        dialogue: str | EncodedDialogue,
        target: str,
        settings: DecodeSettings | None = None,
        gates: HeadGates | None = None,
    ) -> Summary:
        """The trace of a given summary, a reference for instance, under teacher forcing.

        Raises:
            DialogueError: as in `summarize`.
            SettingsError: the target is longer than the model's positions.
        """
        settings = settings or self.settings
        encoded = self.encode(dialogue, settings.truncation) if isinstance(dialogue, str) else dialogue
        ids = self.tokenizer.encode_summary(target, encoded.speakers)
        if len(ids) > self.engine.length:
            raise SettingsError(
                f"the summary is too long. Received: {len(ids)} tokens; allowed: {self.engine.length} for this model"
            )
        with self.calls:
            started = time.perf_counter()
            replay = self.engine.replay(encoded.ids, ids, gates)
            seconds = time.perf_counter() - started
        return self._summary(encoded, settings, ids, len(ids), (), None, replay, seconds)

    def banned(self, summary: Summary, step: int) -> NDArray[np.bool_]:
        """Which tokens the rules of its settings forbade at a step of a summary of this checkpoint.

        A forced step is judged by the rules alone, as if nothing was forced.

        Args:
            summary: the summary.
            step: 0 for its first token.

        Returns:
            [V].

        Raises:
            SettingsError: the summary has no such step.
        """
        if not 0 <= step < len(summary.steps):
            raise SettingsError(
                f"step must be from 0 to {len(summary.steps) - 1} for this summary. Received: step={step}"
            )
        written = [token.id for token in summary.tokens[:step]]
        return self.engine.banned([token.id for token in summary.source], summary.settings, written)

    def _check(self, settings: DecodeSettings, prefix: Sequence[int]) -> None:
        longest = self.engine.length
        if settings.max_tokens > longest:
            raise SettingsError(
                f"max_tokens must be at most {longest} for this model. Received: max_tokens={settings.max_tokens}"
            )
        if len(prefix) >= settings.max_tokens:
            raise SettingsError(
                "the forced prefix must be shorter than max_tokens. "
                f"Received: {len(prefix)} tokens, max_tokens={settings.max_tokens}"
            )

    def _decode(
        self,
        memory: Encoded,
        encoded: EncodedDialogue,
        settings: DecodeSettings,
        prefix: Sequence[int],
        gates: HeadGates | None,
    ) -> tuple[list[int], tuple[Hypothesis, ...], BeamTrace | None]:
        if settings.strategy == "sample":
            ids = self.engine.sample(memory, settings, prefix, gates)
            return ids, (), None
        result = self.engine.beam(memory, settings, prefix, gates)
        hypotheses = self._hypotheses(result, settings, encoded.speakers)
        beam = _beam_trace(result) if settings.strategy == "beam" else None
        return list(hypotheses[0].ids), hypotheses, beam

    def _decode_batch(
        self, memory: Encoded, dialogues: Sequence[EncodedDialogue], settings: DecodeSettings
    ) -> list[list[int]]:
        if settings.strategy == "sample":
            return self.engine.sample_rows(memory, settings)[: len(dialogues)]
        return [list(found[0].ids) for found in self._search_batch(memory, dialogues, settings)]

    def _search_batch(
        self, memory: Encoded, dialogues: Sequence[EncodedDialogue], settings: DecodeSettings
    ) -> list[tuple[Hypothesis, ...]]:
        result = self.engine.beam_rows(memory, settings)
        return [
            self._hypotheses(result.row(number), settings, each.speakers) for number, each in enumerate(dialogues)
        ]

    def _draft(self, encoded: EncodedDialogue, ids: list[int], reading: Reading) -> Draft:
        text, tokens = self.tokenizer.decode(ids, encoded.speakers)
        found = reading.attention
        where = {"copy": found} if self.config.copy else {} if found is None else {"cross": found[None, None]}
        attention = AttentionTrace(encoded.tokens, tokens, **where)
        return Draft(text, tokens, reading.log_probabilities, reading.entropies, attention)

    def _hypotheses(
        self, result: BeamResult, settings: DecodeSettings, speakers: Mapping[int, str]
    ) -> tuple[Hypothesis, ...]:
        """Finished hypotheses by score; where none finished, the live ones as they were cut."""
        rows = [
            (result.tokens[row, :length], result.log_probabilities[row], result.scores[row])
            for row, length in enumerate(result.lengths)
            if length
        ]
        if not rows:
            steps = int(result.steps)
            rows = [
                (result.live_tokens[row, :steps], value, value / steps**settings.length_penalty)
                for row, value in enumerate(result.live_log_probabilities)
                if value > NEVER / 2
            ]
        found = [
            Hypothesis(self.tokenizer.decode(ids, speakers)[0], tuple(map(int, ids)), float(log), float(score))
            for ids, log, score in rows
        ]
        return tuple(sorted(found, key=lambda hypothesis: -hypothesis.score))

    def _summary(
        self,
        encoded: EncodedDialogue,
        settings: DecodeSettings,
        ids: list[int],
        forced: int,
        hypotheses: tuple[Hypothesis, ...],
        beam: BeamTrace | None,
        replay: Mapping[str, Array],
        seconds: float,
    ) -> Summary:
        text, tokens = self.tokenizer.decode(ids, encoded.speakers)
        attention = AttentionTrace(
            encoded.tokens,
            tokens,
            **{name: replay.get(name) for name in ("encoder_self", "decoder_self", "cross", "p_gen", "copy")},
        )
        log_probabilities = log_softmax(replay["logits"])
        copied = _copied_share(attention, log_probabilities, encoded.ids, ids)
        parents = _parents(beam, ids)
        steps = tuple(
            DecodingStep(
                token,
                float(row[token.id]),
                float(-np.sum(np.exp(row) * row)),
                int(np.sum(row > row[token.id])) + 1,
                self._alternatives(row, encoded.speakers),
                parents[index],
                None if copied is None else float(copied[index]),
            )
            for index, (token, row) in enumerate(zip(tokens, log_probabilities, strict=True))
        )
        return Summary(
            text=text,
            dialogue=encoded.dialogue.text,
            steps=steps,
            attention=attention,
            logits=replay["logits"],
            encoder_hidden=replay["encoder_hidden"],
            decoder_hidden=replay["decoder_hidden"],
            omitted=encoded.omitted,
            shortened=encoded.shortened,
            hypotheses=hypotheses,
            beam=beam,
            finished=ids[-1] == END,
            settings=settings,
            checkpoint=self.checkpoint.identity,
            seconds=seconds,
            forced=forced,
        )

    def _alternatives(self, row: Array, speakers: Mapping[int, str]) -> tuple[Alternative, ...]:
        best = np.argpartition(-row, ALTERNATIVES)[:ALTERNATIVES] if len(row) > ALTERNATIVES else np.arange(len(row))
        best = best[np.argsort(-row[best], kind="stable")]
        return tuple(
            Alternative(int(token), self.tokenizer.id_text(int(token), speakers), float(np.exp(row[token])))
            for token in best
        )


def log_softmax(logits: Array) -> Array:
    """Log-probabilities over the last axis, float32 of the same shape."""
    wide = logits.astype(np.float64)
    wide -= wide.max(axis=-1, keepdims=True)
    normal: Array = (wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True))).astype(np.float32)
    return normal


def _copied_share(
    attention: AttentionTrace, log_probabilities: Array, source: Sequence[int], target: Sequence[int]
) -> Array | None:
    """Share of each written token's probability that came from copying, [T], or None without a copy head."""
    if attention.copy is None or attention.p_gen is None:
        return None
    same = np.asarray(target)[:, None] == np.asarray(source)[None, :]  # [T, S]
    copied = (1 - attention.p_gen) * (attention.copy * same).sum(axis=1)
    chosen = np.exp(log_probabilities[np.arange(len(target)), target])
    return np.minimum(copied / np.maximum(chosen, 1e-12), 1.0).astype(np.float32)  # type: ignore[no-any-return]


def _beam_trace(result: BeamResult) -> BeamTrace:
    tokens, parents, kept, scores = (values[: int(result.steps)] for values in result.candidates)
    return BeamTrace(tokens, parents, scores, kept)


def _parents(beam: BeamTrace | None, ids: Sequence[int]) -> list[int]:
    """The beam slot that each token of a hypothesis continues; zeros without beams."""
    if beam is None:
        return [0] * len(ids)
    paths: dict[int, tuple[list[int], list[int]]] = {0: ([], [])}
    for step in range(len(beam.tokens)):
        following = {}
        for token, parent, kept in zip(beam.tokens[step], beam.parents[step], beam.kept[step], strict=True):
            if kept == -1 or int(parent) not in paths:
                continue
            words, slots = paths[int(parent)]
            path = ([*words, int(token)], [*slots, int(parent)])
            if path[0] == list(ids):
                return path[1]
            if kept >= 0:
                following[int(kept)] = path
        paths = following
    return [0] * len(ids)
