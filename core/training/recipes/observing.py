"""Observe a model during training: scores after each epoch, and snapshots for the time-lapse."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import Preset
from core.decoding.results import Draft
from core.decoding.shapes import BATCH
from core.evaluation.local import in_order, summarize_corpus
from core.evaluation.totals import Totals
from core.model.families import Network
from core.scoring.rouge import rouge
from core.service import Summarizer
from core.text.corpus import Corpus
from core.text.encoded import AnyTokenizer
from core.text.examples import load_examples
from core.training import snapshots
from core.training.snapshots import Attempt, Snapshot

SAMPLE_SEED = 0
"""Seed of the draw of validation dialogues that are scored after each epoch."""


class Observer:
    """Writes summaries with the current weights and the decoding of the preset.

    Args:
        preset: with the vocabulary sizes of the tokenizer.
        tokenizer: of the run.
        validation: dialogues to score after each epoch, or None.
        path: file of the snapshots.
        count: how many snapshots to keep; 0 keeps none.

    Attributes:
        parts: of the first epoch after which a snapshot is due, rising.
    """

    def __init__(
        self, preset: Preset, tokenizer: AnyTokenizer, validation: Corpus | None, path: Path, count: int
    ) -> None:
        self._preset = preset
        self._tokenizer = tokenizer
        self._validation = validation
        self._path = path
        self._snapshots = snapshots.snapshot_epochs(preset.training.epochs, count)
        self.parts = tuple(epoch for epoch in self._snapshots if 0 < epoch < 1)
        self._summarizer: Summarizer | None = None

    def __call__(self, epoch: float, model: Network) -> Mapping[str, float]:
        """Score the epoch, and keep a snapshot if one is due; returns mean ROUGE by name, 0 to 100."""
        summarizer = self._with_weights(model)
        if epoch in self._snapshots:
            earlier = [snapshot for snapshot in snapshots.read(self._path) if snapshot.epoch < epoch]
            snapshots.write(self._path, [*earlier, Snapshot(epoch, attempts(summarizer))])
        if self._validation is None or epoch < 1:
            return {}
        scores = Totals.of(in_order(list(summarize_corpus(self._validation, summarizer)))).rouge
        return {name: getattr(scores, name) for name in checkpoints.SCORES}

    def _with_weights(self, model: Network) -> Summarizer:
        """Return the summarizer with the weights of `model`; it is compiled once for all epochs."""
        weights = checkpoints.weights_of(model)
        if self._summarizer is None:
            card: dict[str, Any] = {"decoding": self._preset.decoding.to_dict()}
            checkpoint = Checkpoint("training", self._preset.model, self._tokenizer, weights, (), card)
            self._summarizer = Summarizer(checkpoint)
        else:
            self._summarizer.set_weights(weights)
        return self._summarizer


def attempts(summarizer: Summarizer) -> tuple[Attempt, ...]:
    """Summarize the bundled dialogues."""
    examples = load_examples()
    encoded = [summarizer.encode(example.dialogue) for example in examples]
    order = sorted(range(len(examples)), key=lambda number: len(encoded[number].ids))
    by_number: dict[int, Attempt] = {}
    for first in range(0, len(order), BATCH):
        numbers = order[first : first + BATCH]
        drafts = summarizer.write_batch([encoded[number] for number in numbers])
        for number, draft in zip(numbers, drafts, strict=True):
            by_number[number] = _attempt(examples[number].id, examples[number].references, draft)
    return tuple(by_number[number] for number in range(len(examples)))


def _attempt(id: str, references: Sequence[str], draft: Draft) -> Attempt:
    attention = draft.attention.copy
    if attention is None and draft.attention.cross is not None:
        attention = draft.attention.cross[0, 0]
    scores = rouge(draft.text, references)
    return Attempt(
        id,
        draft.text,
        tuple(token.id for token in draft.tokens),
        float(draft.log_probabilities.astype(np.float64).sum()),
        (scores.rouge1, scores.rouge2, scores.rougeL),
        None if attention is None else snapshots.quantised(attention),
    )
