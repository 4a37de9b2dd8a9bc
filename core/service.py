"""Summarizer: a loaded checkpoint that turns a dialogue into a Summary."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import END, DecodeSettings, NetworkConfig, Truncation
from core.decoding import results
from core.decoding.engine import Engine
from core.decoding.probes import Probes
from core.decoding.results import Draft, Written
from core.decoding.shapes import BATCH
from core.errors import SettingsError
from core.model import families
from core.model.gates import HeadGates, stacked
from core.model.transformer import Encoded
from core.runtime.queue import CALLS
from core.text.dialogue import Dialogue
from core.text.encoded import AnyTokenizer, EncodedDialogue
from core.text.size import check_size, parse_checked
from core.trace import Array, Hypothesis, Summary


class Summarizer:
    """A model, its tokenizer and the compiled functions around it; safe to share between threads.

    Args:
        checkpoint: as `core.checkpoints.read` returns it.

    Attributes:
        checkpoint: the same without its weights.
        model: the network.
        engine: decodes and replays.
        probes: scores, gradients and lenses for experiments.

    Hold a turn of `core.runtime.queue.CALLS` while calling engine or probes.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = replace(checkpoint, weights={})  # the model has them
        self.model = families.build(checkpoint.config)
        checkpoints.set_weights(self.model, checkpoint.weights, checkpoint.name)
        self.engine = Engine(self.model, checkpoint.tokenizer.word_parts())
        self.probes = Probes(self.model)

    @classmethod
    def load(cls, name_or_path: str | Path) -> "Summarizer":
        """Load an installed checkpoint by name, or one by its folder; raises CheckpointError."""
        return cls(checkpoints.read(name_or_path))

    @classmethod
    def untrained(cls, checkpoint: Checkpoint, seed: int = 0) -> "Summarizer":
        """Build a checkpoint's network before training: its shape and tokenizer with new random weights."""
        from core.runtime.backend import keras

        keras.utils.set_random_seed(seed)
        weights = checkpoints.weights_of(families.build(checkpoint.config))
        hashes = {**checkpoint.card["sha256"], "weights.safetensors": f"{seed}-untrained"}
        return cls(replace(checkpoint, weights=weights, history=(), card={**checkpoint.card, "sha256": hashes}))

    def set_weights(self, weights: Mapping[str, Array]) -> None:
        """Replace the weights, by the names of a checkpoint; raises CheckpointError if they do not fit."""
        checkpoints.set_weights(self.model, weights)
        self.engine.weights_changed()

    @property
    def config(self) -> NetworkConfig:
        """The model's shape."""
        return self.checkpoint.config

    @property
    def tokenizer(self) -> AnyTokenizer:
        """The checkpoint's tokenizer."""
        return self.checkpoint.tokenizer

    @property
    def settings(self) -> DecodeSettings:
        """The decoding that the checkpoint's card names."""
        return checkpoints.card_decoding(self.checkpoint.card)

    def encode(self, dialogue: str | Dialogue, truncation: Truncation | None = None) -> EncodedDialogue:
        """Encode a pasted or parsed dialogue for the model; None means the card's truncation.

        Raises:
            DialogueError: nothing to summarize, more than `core.limits` allows, or too long while truncation is
                "error".
        """
        parsed = parse_checked(dialogue) if isinstance(dialogue, str) else check_size(dialogue)
        length = self.config.max_source_length
        return self.tokenizer.encode_dialogue(parsed, length, truncation or self.settings.truncation)

    def summarize(
        self,
        dialogue: str | Dialogue | EncodedDialogue,
        settings: DecodeSettings | None = None,
        *,
        prefix: Sequence[int] = (),
        gates: HeadGates | None = None,
    ) -> Summary:
        """Summarize a pasted dialogue.

        Args:
            dialogue: the text, the parsed dialogue, or what `encode` made of it.
            settings: decoding; None means what the checkpoint's card names.
            prefix: target ids that the summary must start with.
            gates: head gates, or None for all heads on.

        Returns:
            The summary with the whole trace of the run.

        Raises:
            DialogueError: nothing to summarize, or too long while truncation is "error".
            SettingsError: `max_tokens` is more than the model has positions.
        """
        settings = settings or self.settings
        self._check(settings, prefix)
        encoded = dialogue if isinstance(dialogue, EncodedDialogue) else self.encode(dialogue, settings.truncation)
        with CALLS.turn():
            started = time.perf_counter()
            memory = self.engine.encode(encoded.ids, gates)
            written = self._decode(memory, encoded, settings, prefix, gates)
            replay = self.engine.replay(encoded.ids, written.ids, gates)
            seconds = time.perf_counter() - started
        return self._summary(encoded, settings, written, replay, gates, seconds)

    def write(
        self,
        encoded: EncodedDialogue,
        settings: DecodeSettings | None = None,
        gates: HeadGates | None = None,
        memory: Encoded | None = None,
    ) -> tuple[str, list[int]]:
        """Write the summary alone, without its trace.

        Args:
            encoded: the dialogue.
            settings: decoding; None means what the checkpoint's card names.
            gates: head gates, or None for all heads on.
            memory: what the decoder reads instead of the encoder's output.

        Returns:
            Text and ids.

        Raises:
            SettingsError: `max_tokens` is more than the model has positions.
        """
        settings = settings or self.settings
        self._check(settings, ())
        with CALLS.turn():
            read = memory or self.engine.encode(encoded.ids, gates)
            ids = self._decode(read, encoded, settings, (), gates).ids
        return self.tokenizer.decode(ids, encoded.speakers)[0], ids

    def write_rows(
        self,
        dialogues: Sequence[EncodedDialogue],
        settings: DecodeSettings,
        gates: Sequence[HeadGates | None] = (),
        memories: Sequence[Encoded] = (),
    ) -> list[str]:
        """Write several summaries alone, `shapes.BATCH` at once; each equals that of `write`.

        Args:
            dialogues: one for each summary.
            settings: decoding.
            gates: head gates of each, or none at all.
            memories: what the decoder reads instead of each encoder's output, all of one length; none: that output.

        Raises:
            SettingsError: `max_tokens` is more than the model has positions.
        """
        gated = any(each is not None for each in gates)
        if gated and not self.engine.decoder.own_gates:
            return [self.write(each, settings, gate)[0] for each, gate in zip(dialogues, gates, strict=True)]
        self._check(settings, ())
        summaries: list[str] = []
        for first in range(0, len(dialogues), BATCH):
            rows = slice(first, first + BATCH)
            given = [gate for each in gates[rows] if (gate := each or families.open_gates(self.config))]
            own = stacked(given) if gated else None
            with CALLS.turn():
                if memories:
                    kind: Any = memories[0]
                    memory = kind._make(map(np.concatenate, zip(*memories[rows], strict=True)))
                else:
                    memory = self._encode_rows([each.ids for each in dialogues[rows]], own)
                targets = self._decode_batch(memory, dialogues[rows], settings, own)
            written = zip(targets, dialogues[rows], strict=True)
            summaries += [self.tokenizer.decode(ids, each.speakers)[0] for ids, each in written]
        return summaries

    def write_batch(self, dialogues: Sequence[EncodedDialogue], settings: DecodeSettings | None = None) -> list[Draft]:
        """Summarize several dialogues at once; each result equals that of `summarize`.

        Args:
            dialogues: 1 to `shapes.BATCH` of them; dialogues of one bucket of lengths are fastest.
            settings: decoding; None means what the checkpoint's card names.

        Raises:
            SettingsError: `max_tokens` is more than the model has positions.
        """
        settings = settings or self.settings
        self._check(settings, ())
        sources = [each.ids for each in dialogues]
        with CALLS.turn():
            memory = self.engine.encode_rows(sources)
            targets = self._decode_batch(memory, dialogues, settings)
            readings = self.engine.read_rows(memory, sources, targets)
        return [
            results.draft(*each, self.tokenizer, bool(self.config.copy))
            for each in zip(dialogues, targets, readings, strict=True)
        ]

    def hypotheses_batch(
        self, dialogues: Sequence[EncodedDialogue], settings: DecodeSettings
    ) -> list[tuple[Hypothesis, ...]]:
        """Return the hypotheses of beam search for each of several dialogues, best first; see `write_batch`."""
        self._check(settings, ())
        with CALLS.turn():
            memory = self.engine.encode_rows([dialogue.ids for dialogue in dialogues])
            return self._search_batch(memory, dialogues, settings)

    def draft(self, dialogue: EncodedDialogue, settings: DecodeSettings | None = None) -> Draft:
        """Summarize one dialogue with `summarize` and return what `write_batch` would; raises the same errors."""
        summary = self.summarize(dialogue, settings)
        log_probabilities, entropies = (
            np.array([getattr(step, name) for step in summary.steps], dtype=np.float32)
            for name in ("log_probability", "entropy")
        )
        return Draft(summary.text, summary.tokens, log_probabilities, entropies, summary.attention)

    def force(
        self,
        dialogue: str | Dialogue | EncodedDialogue,
        target: str,
        settings: DecodeSettings | None = None,
        gates: HeadGates | None = None,
    ) -> Summary:
        """Return the trace of a given summary, such as a reference, under teacher forcing.

        Raises:
            DialogueError: as in `summarize`.
            SettingsError: the target is longer than the model's positions.
        """
        settings = settings or self.settings
        encoded = dialogue if isinstance(dialogue, EncodedDialogue) else self.encode(dialogue, settings.truncation)
        ids = self.tokenizer.encode_summary(target, encoded.speakers)
        if len(ids) > self.engine.length:
            raise SettingsError(
                "the summary is too long. Received: {tokens} tokens; allowed: {most} for this model",
                tokens=len(ids),
                most=self.engine.length,
            )
        with CALLS.turn():
            started = time.perf_counter()
            replay = self.engine.replay(encoded.ids, ids, gates)
            seconds = time.perf_counter() - started
        return self._summary(encoded, settings, Written(ids, forced=len(ids)), replay, gates, seconds)

    def banned(self, summary: Summary, step: int) -> NDArray[np.bool_]:
        """Return the tokens that the decoding settings forbade at a step of a summary of this checkpoint.

        At a forced step too, the settings alone count.

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
                "step must be from 0 to {last} for this summary. Received: step={step}",
                last=len(summary.steps) - 1,
                step=step,
            )
        written = [token.id for token in summary.tokens[:step]]
        return self.engine.banned([token.id for token in summary.source], summary.settings, written)

    def _check(self, settings: DecodeSettings, prefix: Sequence[int]) -> None:
        longest = self.engine.length
        if settings.max_tokens > longest:
            raise SettingsError(
                "max_tokens must be at most {longest} for this model. Received: max_tokens={tokens}",
                longest=longest,
                tokens=settings.max_tokens,
            )
        given = len(self.engine.beginning(prefix))
        if given >= settings.max_tokens:
            raise SettingsError(
                "the forced prefix must be shorter than max_tokens. Received: {given} tokens, max_tokens={tokens}",
                given=given,
                tokens=settings.max_tokens,
            )

    def _decode(
        self,
        memory: Encoded,
        encoded: EncodedDialogue,
        settings: DecodeSettings,
        prefix: Sequence[int],
        gates: HeadGates | None,
    ) -> Written:
        hypotheses: tuple[Hypothesis, ...] = ()
        beam = None
        if settings.strategy == "sample":
            ids = self.engine.sample_rows(memory, settings, prefix, gates)[0]
        else:
            result = self.engine.beam_rows(memory, settings, prefix, gates)[0]
            hypotheses = results.hypotheses(result, self.tokenizer, encoded.speakers)
            beam = results.beam_trace(result) if settings.strategy == "beam" else None
            ids = list(hypotheses[0].ids)
        given = min(len(self.engine.beginning(prefix)), len(ids))
        forced = self.config.forced_last and len(ids) == settings.max_tokens
        return Written(ids, hypotheses, beam, given, forced, (END, *self.config.ends))

    def _summary(
        self,
        encoded: EncodedDialogue,
        settings: DecodeSettings,
        written: Written,
        replay: Mapping[str, Array],
        gates: HeadGates | None,
        seconds: float,
    ) -> Summary:
        identity = self.checkpoint.identity
        whole = {**self.engine.layers(replay, written.ids, gates), **replay}
        return results.summary(encoded, settings, written, whole, self.tokenizer, identity, seconds)

    def _encode_rows(self, sources: Sequence[Sequence[int]], gates: HeadGates | None) -> Any:
        """Encode several sources; one that is the same in all rows, with no head of the encoder off, once."""
        if gates is None or any(source != sources[0] for source in sources) or (gates.encoder_self.open != 1).any():
            return self.engine.encode_rows(sources, gates)
        once = self.engine.encode(sources[0])
        return once._make(np.repeat(np.asarray(part), len(sources), axis=0) for part in once)

    def _decode_batch(
        self,
        memory: Encoded,
        dialogues: Sequence[EncodedDialogue],
        settings: DecodeSettings,
        gates: HeadGates | None = None,
    ) -> list[list[int]]:
        if settings.strategy == "sample":
            return self.engine.sample_rows(memory, settings, (), gates)
        return [list(hypotheses[0].ids) for hypotheses in self._search_batch(memory, dialogues, settings, gates)]

    def _search_batch(
        self,
        memory: Encoded,
        dialogues: Sequence[EncodedDialogue],
        settings: DecodeSettings,
        gates: HeadGates | None = None,
    ) -> list[tuple[Hypothesis, ...]]:
        return [
            results.hypotheses(result, self.tokenizer, dialogue.speakers)
            for result, dialogue in zip(self.engine.beam_rows(memory, settings, (), gates), dialogues, strict=True)
        ]
