"""From corpora and a preset to a trained, scored checkpoint."""

import platform
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import Preset
from core.errors import CorpusError, DialogueError
from core.evaluation.local import in_order, summarise_corpus
from core.evaluation.totals import Totals
from core.service import Summarizer
from core.text.corpus import Corpus
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.training.batches import Pair
from core.training.loop import ProgressLine, TrainingResult, train


def learn_tokenizer(corpus: Corpus, preset: Preset) -> Tokenizer:
    """Learn the preset's tokenizer from the dialogues and first references of a corpus."""
    texts = (text for row in _rows(corpus) for text in (row["dialogue"], row["references"][0]))
    if preset.tokenizer == "bpe":
        return Tokenizer.train_bpe(texts, preset.model.source_vocabulary)
    return Tokenizer.train_words(texts, preset.min_frequency, preset.model.source_vocabulary)


def encode_pairs(corpus: Corpus, tokenizer: Tokenizer, preset: Preset) -> list[Pair]:
    """Token ids of every dialogue and its first reference; dialogues without a word are left out.

    Raises CorpusError if none is left.
    """
    pairs: list[Pair] = []
    for row in _rows(corpus):
        try:
            encoded = tokenizer.encode_dialogue(parse_dialogue(row["dialogue"]), preset.model.max_source_length)
        except DialogueError:
            continue
        target = tokenizer.encode_summary(row["references"][0], encoded.speakers)
        pairs.append((encoded.ids, target[: preset.model.max_target_length]))
    if not pairs:
        raise CorpusError(f"{corpus.name} has no dialogue to train on")
    return pairs


def run(
    preset_name: str,
    preset: Preset,
    data: Corpus,
    validation: Corpus,
    output: Path,
    *,
    command: str,
    licence: str,
    resume: bool = False,
    progress: bool = True,
) -> TrainingResult:
    """Train a preset and put the scored checkpoint at `output/checkpoint`.

    The lowest validation loss and the last epoch are both scored with ROUGE on the whole of `validation`; the
    better one is kept.

    Args:
        preset_name: goes into the card.
        preset: model, tokenizer, training and decoding.
        data: what to train on.
        validation: for the validation loss and the scores.
        output: folder of the run.
        command: the command line that makes this run, for the card.
        licence: of the weights, for the card.
        resume: go on after a kill.
        progress: whether to show a bar on standard error.

    Raises:
        CorpusError: no usable row.
        CheckpointError: nothing to resume, or with other settings.
    """
    tokenizer = learn_tokenizer(data, preset)
    preset = _fitted(preset, tokenizer)
    pairs, held_out = encode_pairs(data, tokenizer, preset), encode_pairs(validation, tokenizer, preset)
    card = {
        "about": preset.about,
        "preset": preset_name,
        "data": {"name": data.name, "rows": len(pairs), "skipped": len(data.skipped)},
        "validation": {"name": validation.name, "rows": len(held_out)},
        "licence": licence,
        "command": command,
        "machine": f"{platform.machine()}, {platform.system()}",
        "seed": preset.training.seed,
        "decoding": preset.decoding.to_dict(),
    }
    line = _progress(preset.training.epochs, pairs) if progress else None
    try:
        result = train(
            pairs, held_out, preset.model, preset.training, tokenizer, output, card, resume=resume, report=line
        )
    finally:
        if line:
            line.close()
    keep_better(result, validation)
    return result


def keep_better(result: TrainingResult, validation: Corpus) -> None:
    """Score both kept epochs; the one with the higher sum of ROUGE becomes the checkpoint, with its scores."""
    scored = [with_scores(checkpoints.read(folder), validation) for folder in (result.checkpoint, result.last)]
    best = max(scored, key=lambda each: sum(each.card["scores"]["rouge"].values()))
    checkpoints.write(result.checkpoint, best.config, best.tokenizer, best.weights, best.history, best.card)


def with_scores(checkpoint: Checkpoint, validation: Corpus) -> Checkpoint:
    """The checkpoint with its ROUGE on `validation`, under the decoding its card names, in its card."""
    totals = Totals.of(in_order(list(summarise_corpus(validation, Summarizer(checkpoint)))))
    rouge = {name: round(getattr(totals.rouge, name), 2) for name in ("rouge1", "rouge2", "rougeL")}
    facts = {"data": validation.name, "count": totals.count, "rouge": rouge}
    return replace(checkpoint, card={**checkpoint.card, "scores": facts})


def _fitted(preset: Preset, tokenizer: Tokenizer) -> Preset:
    """The preset with the vocabulary sizes of the trained tokenizer."""
    model = preset.model.replace(source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size)
    return replace(preset, model=model)


def _progress(epochs: int, pairs: list[Pair]) -> ProgressLine:
    return ProgressLine(epochs, sum(len(source) + len(target) for source, target in pairs))


def _rows(corpus: Corpus) -> Iterable[dict[str, Any]]:
    return corpus.dataset  # type: ignore[no-any-return]
