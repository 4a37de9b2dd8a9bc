"""Train a preset on corpora: pre-training, training, and the scored checkpoint that results."""

import platform
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import Preset
from core.evaluation.aggregate import scores_of
from core.evaluation.judge import Measures
from core.evaluation.local import in_order, summarize_corpus
from core.service import Summarizer
from core.text.corpus import Corpus
from core.text.encoded import AnyTokenizer
from core.training import snapshots
from core.training.batches import Batches
from core.training.denoising import LONGER, TASKS, Denoising
from core.training.loop import MakePairs, Rows, TrainingResult, progress_line, train
from core.training.recipes.examples import (
    encode_dialogues,
    encode_examples,
    fitted,
    fresh,
    learn_tokenizer,
    training_pairs,
)
from core.training.recipes.observing import SAMPLE_SEED, Observer

Keep = Literal["better", "last"]


@dataclass(frozen=True)
class Plan:
    """Options of a run besides its training settings.

    Args:
        command: the command line that makes this run, for the card.
        licence: of the weights, for the card.
        resume: continue a killed run.
        progress: whether to show a bar on standard error.
        scored: validation dialogues that are summarized and scored after each epoch; 0 scores none.
        snapshots: number of points at which the bundled dialogues are summarized for the time-lapse; 0 keeps none.
        keep: the epoch that becomes the checkpoint: the better of the best and the last one, or always the last.
    """

    command: str
    licence: str
    resume: bool = False
    progress: bool = True
    scored: int = 0
    snapshots: int = 0
    keep: Keep = "better"


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
        data: training data.
        validation: for the validation loss and the scores.
        output: folder of the run.
        plan: further options.
        start: a pre-trained checkpoint; training starts from its tokenizer and weights.

    Raises:
        CorpusError: no usable row.
        CheckpointError: the run to resume is damaged or has other settings; `start` does not fit the preset.
    """
    tokenizer = start.tokenizer if start else learn_tokenizer(data, preset)
    preset = fitted(preset, tokenizer)
    examples = encode_examples(data, tokenizer, preset)
    held_out = [example.pair for example in encode_examples(validation, tokenizer, preset)]
    pairs = training_pairs(examples, tokenizer, preset)
    card = card_of(preset_name, preset, data, len(examples), validation, len(held_out), plan)
    if start:
        card["pretraining"] = stage_of(start.card)
    first = [example.pair for example in examples]
    watch = observer(preset, tokenizer, validation, output, plan)
    result = fit(pairs, first, held_out, preset, tokenizer, output, card, plan, start, watch)
    keep_one(result, validation, data, plan.keep)
    recorded = output / snapshots.FILE
    if recorded.is_file():
        snapshots.write(result.checkpoint / snapshots.FILE, snapshots.read(recorded))
    return result


def pretrain(
    preset_name: str,
    preset: Preset,
    data: Sequence[Corpus],
    validation: Corpus,
    output: Path,
    plan: Plan,
) -> TrainingResult:
    """Pre-train a preset on dialogues alone and put the checkpoint at `output/checkpoint`.

    Args:
        preset_name: goes into the card.
        preset: model, tokenizer and training; its epochs are passes over the dialogues.
        data: corpora; the tokenizer learns from the first one, its summaries included. Repetitions are left out.
        validation: for the validation loss.
        output: folder of the run.
        plan: further options; nothing is scored.

    Raises:
        CorpusError: no usable row, or a tokenizer without a token between turns.
        CheckpointError: the run to resume is damaged or has other settings.
    """
    tokenizer = learn_tokenizer(data[0], preset)
    preset = fitted(preset, tokenizer)
    longest, room = preset.model.max_target_length, preset.model.max_source_length - LONGER
    dialogues = fresh([ids for corpus in data for ids in encode_dialogues(corpus, tokenizer, room)])
    pairs = Denoising(dialogues, tokenizer, longest, preset.training.seed)
    held_out = Denoising(encode_dialogues(validation, tokenizer, room), tokenizer, longest)(0)
    card = card_of(preset_name, preset, data[0], len(dialogues), validation, len(held_out), plan)
    card["about"] = "Pre-trained on dialogues alone: it fills gaps and writes no summaries."
    card["data"] = {**card["data"], "name": ", ".join(corpus.name for corpus in data)}
    card["tasks"] = TASKS
    return fit(pairs, pairs(1), held_out, preset, tokenizer, output, card, plan, None, None)


def stage_of(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a checkpoint's card that the card of a later stage keeps."""
    names = (
        *("source", "revision", "licence", "data", "validation", "command", "epochs", "validation_loss"),
        *("training_minutes", "training", "machine"),
    )
    return {name: card[name] for name in names if name in card}


def keep_one(result: TrainingResult, validation: Corpus, data: Corpus, keep: Keep) -> None:
    """Score the epochs that may be kept, and keep the one with the highest sum of ROUGE as the checkpoint.

    Its card gets the scores on `validation` and, to show memorisation, on as many dialogues of `data`.
    """
    kept = [checkpoints.read(result.last)] if keep == "last" else _both(result)
    candidates = [(checkpoint, _scores(checkpoint, validation)) for checkpoint in kept]
    best, scores = max(candidates, key=lambda candidate: sum(candidate[1]["rouge"].values()))
    seen = _scores(best, data.sample(len(validation.dataset), SAMPLE_SEED))
    card = {**best.card, "scores": scores, "training_scores": seen}
    checkpoints.write(result.checkpoint, best.config, best.tokenizer, best.weights, best.history, card)


def _both(result: TrainingResult) -> list[Checkpoint]:
    """Return the best and the last epoch, or one checkpoint if they are the same."""
    best, last = checkpoints.read(result.checkpoint), checkpoints.read(result.last)
    return [best] if best.card["epochs"] == last.card["epochs"] else [best, last]


def _scores(checkpoint: Checkpoint, corpus: Corpus) -> dict[str, Any]:
    """Score a checkpoint on a corpus, with the decoding that its card names."""
    measures = Measures(("rouge", "bertscore"))
    rows = in_order(list(summarize_corpus(corpus, Summarizer(checkpoint), measures=measures)))
    return {"data": corpus.name, **scores_of(rows)}


def observer(preset: Preset, tokenizer: AnyTokenizer, validation: Corpus, output: Path, plan: Plan) -> Observer | None:
    """Return the observer that the plan asks for, or None; its snapshots go to `output`."""
    if not plan.scored and not plan.snapshots:
        return None
    sample = validation.sample(plan.scored, SAMPLE_SEED) if plan.scored else None
    return Observer(preset, tokenizer, sample, output / snapshots.FILE, plan.snapshots)


def fit(
    pairs: Rows | MakePairs,
    first: Rows,
    held_out: Rows,
    preset: Preset,
    tokenizer: AnyTokenizer,
    output: Path,
    card: Mapping[str, Any],
    plan: Plan,
    start: Checkpoint | None,
    watch: Observer | None,
) -> TrainingResult:
    """Call `train` with a progress line; `first` are the pairs of the first epoch."""
    tokens = sum(len(ids) for pair in first for ids in pair[:2])
    training = preset.training
    steps = Batches([pair[:2] for pair in first], training.batch_tokens, training.seed).steps(training.epochs)
    note = ""
    if training.warmup_steps >= steps:
        warmup = f"the warm-up of {training.warmup_steps:,} steps"
        note = f"{warmup} is longer than the training, {steps:,} steps: the rate only rises"
    with progress_line(training.epochs, tokens, note) if plan.progress else nullcontext() as line:
        return train(
            pairs, held_out, preset.model, preset.training, tokenizer, output, card,
            initial=start.weights if start else None, resume=plan.resume, report=line, observe=watch,
            parts=watch.parts if watch else (),
        )  # fmt: skip


def card_of(
    preset_name: str, preset: Preset, data: Corpus, rows: int, validation: Corpus, held_out: int, plan: Plan
) -> dict[str, Any]:
    """Return the card of a checkpoint as it is before training."""
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
