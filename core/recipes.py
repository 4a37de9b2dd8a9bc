"""From corpora and a preset to a trained, scored checkpoint."""

import platform
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import Preset
from core.errors import CorpusError, DialogueError
from core.evaluation.judge import Measures
from core.evaluation.local import in_order, summarise_corpus
from core.evaluation.summing_up import scores_of
from core.observing import SAMPLE_SEED, Observer
from core.service import Summarizer
from core.text.corpus import Corpus
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.training import moments
from core.training.augmentation import Augmentation, Example
from core.training.batches import Pair
from core.training.denoising import LONGER, TASKS, Denoising
from core.training.loop import MakePairs, ProgressLine, Rows, TrainingResult, train

Keep = Literal["better", "last"]
WHOLE = 0.5
"""Share of a dialogue's runs of words that have been seen before from which on it is a repetition."""
_RUN = 8


@dataclass(frozen=True)
class Plan:
    """What to do besides training.

    Args:
        command: the command line that makes this run, for the card.
        licence: of the weights, for the card.
        resume: go on after a kill.
        progress: whether to show a bar on standard error.
        scored: validation dialogues that are summarised and scored after each epoch; 0 scores none.
        moments: moments at which the bundled dialogues are summarised for the time-lapse; 0 keeps none.
        keep: which epoch becomes the checkpoint: the better one of the best and the last, or the last whatever it is.
    """

    command: str
    licence: str
    resume: bool = False
    progress: bool = True
    scored: int = 0
    moments: int = 0
    keep: Keep = "better"


def learn_tokenizer(corpus: Corpus, preset: Preset) -> Tokenizer:
    """Learn the preset's tokenizer from the dialogues and first references of a corpus."""
    texts = (text for row in _rows(corpus) for text in (row["dialogue"], *row["references"][:1]))
    if preset.tokenizer == "bpe":
        return Tokenizer.train_bpe(texts, preset.model.source_vocabulary)
    return Tokenizer.train_words(texts, preset.min_frequency, preset.model.source_vocabulary)


def encode_pair(dialogue: str, summary: str, tokenizer: Tokenizer, preset: Preset) -> Pair | None:
    """Token ids of a dialogue and its summary; None for a dialogue without a word."""
    try:
        encoded = tokenizer.encode_dialogue(parse_dialogue(dialogue), preset.model.max_source_length)
    except DialogueError:
        return None
    target = tokenizer.encode_summary(summary, encoded.speakers)
    return encoded.ids, target[: preset.model.max_target_length]


def encode_examples(corpus: Corpus, tokenizer: Tokenizer, preset: Preset) -> list[Example]:
    """Every dialogue with its first reference and the ids of both; dialogues without a word are left out.

    Raises CorpusError if none is left.
    """
    examples = []
    for row in _rows(corpus):
        dialogue, summary = row["dialogue"], row["references"][0]
        pair = encode_pair(dialogue, summary, tokenizer, preset)
        if pair:
            examples.append(Example(dialogue, summary, pair))
    if not examples:
        raise CorpusError(f"{corpus.name} has no dialogue to train on")
    return examples


def fitted(preset: Preset, tokenizer: Tokenizer) -> Preset:
    """The preset with the vocabulary sizes of the trained tokenizer."""
    model = preset.model.replace(source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size)
    return replace(preset, model=model)


def training_pairs(examples: Sequence[Example], tokenizer: Tokenizer, preset: Preset) -> Sequence[Pair] | MakePairs:
    """What `train` takes: the same pairs in every epoch, or changed ones where the preset augments."""
    if not preset.training.augment:
        return [each.pair for each in examples]
    return Augmentation(
        examples,
        lambda dialogue, summary: encode_pair(dialogue, summary, tokenizer, preset),
        preset.training.epochs,
        preset.training.seed,
    )


def run(
    preset_name: str,
    preset: Preset,
    data: Corpus,
    validation: Corpus,
    output: Path,
    plan: Plan,
    start: Checkpoint | None = None,
) -> TrainingResult:
    """Train a preset and put the scored checkpoint at `output/checkpoint`.

    The best epoch and the last one are both scored with ROUGE on the whole of `validation`, and the better is kept,
    unless the plan keeps the last.

    Args:
        preset_name: goes into the card.
        preset: model, tokenizer, training and decoding.
        data: what to train on.
        validation: for the validation loss and the scores.
        output: folder of the run.
        plan: what to do besides.
        start: a pre-trained checkpoint whose tokenizer and weights to begin with.

    Raises:
        CorpusError: no usable row.
        CheckpointError: the run to resume is damaged or has other settings; `start` does not fit the preset.
    """
    tokenizer = start.tokenizer if start else learn_tokenizer(data, preset)
    preset = fitted(preset, tokenizer)
    examples = encode_examples(data, tokenizer, preset)
    held_out = [each.pair for each in encode_examples(validation, tokenizer, preset)]
    pairs = training_pairs(examples, tokenizer, preset)
    card = card_of(preset_name, preset, data, len(examples), validation, len(held_out), plan)
    if start:
        card["pretraining"] = stage_of(start.card)
    first = [each.pair for each in examples]
    watch = observer(preset, tokenizer, validation, output, plan)
    result = fit(pairs, first, held_out, preset, tokenizer, output, card, plan, start, watch)
    keep_one(result, validation, data, plan.keep)
    recorded = output / moments.FILE
    if recorded.is_file():
        shutil.copy(recorded, result.checkpoint / moments.FILE)
    return result


def pretrain(
    preset_name: str,
    preset: Preset,
    data: Sequence[Corpus],
    validation: Corpus,
    output: Path,
    plan: Plan,
) -> TrainingResult:
    """Pre-train a preset on dialogues alone and put the checkpoint at `output/checkpoint`; summaries teach the words.

    Args:
        preset_name: goes into the card.
        preset: model, tokenizer and the training; its number of epochs is that of the passes.
        data: the tokenizer learns from the first; dialogues that mostly repeat earlier ones are left out.
        validation: for the validation loss.
        output: folder of the run.
        plan: what to do besides; nothing is scored.

    Raises:
        CorpusError: no usable row, or a tokenizer that marks no turns.
        CheckpointError: the run to resume is damaged or has other settings.
    """
    tokenizer = learn_tokenizer(data[0], preset)
    preset = fitted(preset, tokenizer)
    longest, room = preset.model.max_target_length, preset.model.max_source_length - LONGER
    dialogues = fresh([ids for corpus in data for ids in _dialogues(corpus, tokenizer, room)])
    pairs = Denoising(dialogues, tokenizer, longest, preset.training.seed)
    held_out = Denoising(_dialogues(validation, tokenizer, room), tokenizer, longest)(0)
    card = card_of(preset_name, preset, data[0], len(dialogues), validation, len(held_out), plan)
    card["about"] = "Pre-trained on dialogues alone: it fills gaps and writes no summaries."
    card["data"] = {**card["data"], "name": ", ".join(corpus.name for corpus in data)}
    card["tasks"] = TASKS
    return fit(pairs, pairs(1), held_out, preset, tokenizer, output, card, plan, None, None)


def stage_of(card: Mapping[str, Any]) -> dict[str, Any]:
    """What the card of a later checkpoint keeps of an earlier one's."""
    names = ("data", "validation", "command", "epochs", "validation_loss", "training_minutes", "training", "machine")
    return {name: card[name] for name in names if name in card}


def fresh(dialogues: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The dialogues of which less than half of the runs of eight ids stand in an earlier one."""
    seen: set[tuple[int, ...]] = set()
    kept: list[Sequence[int]] = []
    for ids in dialogues:
        runs = {tuple(ids[place : place + _RUN]) for place in range(max(len(ids) - _RUN + 1, 1))}
        if len(runs & seen) < WHOLE * len(runs):
            kept.append(ids)
        seen |= runs
    return kept


def keep_one(result: TrainingResult, validation: Corpus, data: Corpus, keep: Keep) -> None:
    """Score the last epoch and, to keep the better, the best; the one with the higher sum of ROUGE is the checkpoint.

    Its card gets the scores on `validation` and, to show what it memorised, on as many dialogues of `data`.
    """
    kept = [checkpoints.read(result.last)] if keep == "last" else _both(result)
    found = [(checkpoint, _scores(checkpoint, validation)) for checkpoint in kept]
    best, scores = max(found, key=lambda each: sum(each[1]["rouge"].values()))
    seen = _scores(best, data.sample(len(validation.dataset), SAMPLE_SEED))
    card = {**best.card, "scores": scores, "training_scores": seen}
    checkpoints.write(result.checkpoint, best.config, best.tokenizer, best.weights, best.history, card)


def _both(result: TrainingResult) -> list[Checkpoint]:
    """The best epoch and the last one, once if they are one."""
    best, last = checkpoints.read(result.checkpoint), checkpoints.read(result.last)
    return [best] if best.card["epochs"] == last.card["epochs"] else [best, last]


def _scores(checkpoint: Checkpoint, corpus: Corpus) -> dict[str, Any]:
    """Its scores on a corpus, under the decoding its card names."""
    measures = Measures(("rouge", "bertscore"))
    rows = in_order(list(summarise_corpus(corpus, Summarizer(checkpoint), measures=measures)))
    return {"data": corpus.name, **scores_of(rows)}


def observer(
    preset: Preset, tokenizer: Tokenizer, validation: Corpus, output: Path, plan: Plan
) -> Observer | None:
    """What looks at the model after each epoch as the plan wants it, or None; moments go to `output`."""
    if not plan.scored and not plan.moments:
        return None
    sample = validation.sample(plan.scored, SAMPLE_SEED) if plan.scored else None
    return Observer(preset, tokenizer, sample, output / moments.FILE, plan.moments)


def fit(
    pairs: Rows | MakePairs,
    first: Rows,
    held_out: Rows,
    preset: Preset,
    tokenizer: Tokenizer,
    output: Path,
    card: Mapping[str, Any],
    plan: Plan,
    start: Checkpoint | None,
    watch: Observer | None,
) -> TrainingResult:
    """`train` with a progress line; `first` are the pairs of the first epoch."""
    tokens = sum(len(ids) for pair in first for ids in pair[:2])
    line = ProgressLine(preset.training.epochs, tokens) if plan.progress else None
    try:
        return train(
            pairs,
            held_out,
            preset.model,
            preset.training,
            tokenizer,
            output,
            card,
            initial=start.weights if start else None,
            resume=plan.resume,
            report=line,
            observe=watch,
        )
    finally:
        if line:
            line.close()


def card_of(
    preset_name: str, preset: Preset, data: Corpus, rows: int, validation: Corpus, held_out: int, plan: Plan
) -> dict[str, Any]:
    """What a checkpoint's card says before it is trained."""
    return {
        "about": preset.about,
        "preset": preset_name,
        "data": {"name": data.name, "rows": rows, "skipped": len(data.skipped)},
        "validation": {"name": validation.name, "rows": held_out},
        "licence": plan.licence,
        "command": plan.command,
        "machine": f"{platform.machine()}, {platform.system()}",
        "seed": preset.training.seed,
        "decoding": preset.decoding.to_dict(),
    }


def _dialogues(corpus: Corpus, tokenizer: Tokenizer, longest: int) -> list[list[int]]:
    """Source ids of every dialogue with a word."""
    found = []
    for row in _rows(corpus):
        with suppress(DialogueError):
            found.append(tokenizer.encode_dialogue(parse_dialogue(row["dialogue"]), longest).ids)
    return found


def _rows(corpus: Corpus) -> Iterable[dict[str, Any]]:
    return corpus.dataset  # type: ignore[no-any-return]
