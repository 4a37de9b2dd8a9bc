"""Refine a trained checkpoint by minimum risk training: candidates that are its own, or wrong on purpose."""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import END, MOST_BEAMS, DecodeSettings, Preset, TrainConfig
from core.errors import CheckpointError, SettingsError
from core.evaluation.plan import items_of, plan_by_length
from core.files import beside, fault, read_bytes
from core.scoring.rouge import rouge
from core.service import Summarizer
from core.text.corpus import Corpus
from core.training import snapshots
from core.training.loop import TrainingResult
from core.training.recipes import fitting, observing
from core.training.recipes.contrast import WRONG, contrasted
from core.training.recipes.examples import encode_examples
from core.training.risk import Judged
from core.training.snapshots import Snapshot

MOST_BYTES = 4_000_000_000
FILE = "candidates.jsonl"
"""File of the candidates in the folder of the run, so that a killed run can continue."""
_BLOCK = re.compile(r"encoder/block\d+/")
Candidates = Literal["own", "wrong"]
"""What is weighed: what the model itself writes, by its ROUGE; or references, against wrong ones."""
REFINING = TrainConfig(
    epochs=1,
    schedule="cosine",
    learning_rate=1e-4,
    warmup_steps=100,
    average=0.98,
    risk=10.0,
    patience=0,
    precision="mixed_bfloat16",
)
CONTRASTING = REFINING.replace(risk=1.0, batch_tokens=3000)
"""Settings for wrong candidates, whose merits differ more."""


def refine(
    start: str | Path,
    data: Corpus,
    validation: Corpus,
    output: Path,
    plan: fitting.Plan,
    training: TrainConfig,
    kind: Candidates = "own",
    layers: Sequence[int] | None = None,
    wrong: int = WRONG,
) -> TrainingResult:
    """Refine a checkpoint and put the scored one at `output/checkpoint`.

    Its history and its snapshots continue those of `start`. It decodes as its own candidates were written.

    Args:
        start: a trained checkpoint, by its name or its folder.
        data: dialogues with candidates: those it was trained on.
        validation: for the validation loss and the scores.
        output: folder of the run; its own candidates are in `output/candidates.jsonl`.
        plan: further options.
        training: the settings, such as `REFINING` or `CONTRASTING`.
        kind: the candidates.
        layers: the encoder layers of `start` that stay, from 1; None means all.
        wrong: most wrong summaries of a dialogue, if they are the candidates.

    Raises:
        SettingsError: the encoder of `start` has no such layers.
        CorpusError: no usable row.
        CheckpointError: the run to resume is damaged or has other settings.
    """
    begun = checkpoints.read(start)
    if layers:
        begun = with_layers(begun, layers)
    settings = checkpoints.card_decoding(begun.card)
    decoding = _widest(settings) if kind == "own" else settings
    preset = Preset(begun.card.get("about", begun.name), begun.config, training=training, decoding=decoding)
    if kind == "own":
        pairs = candidates(Summarizer(begun), data, output / FILE, plan.progress)
    else:
        pairs = contrasted(data, begun.tokenizer, preset, wrong, training.seed)
    held_out = [Judged(*example.pair) for example in encode_examples(validation, begun.tokenizer, preset)]
    name = begun.card.get("preset", begun.name)
    card = fitting.card_of(name, preset, data, len(pairs), validation, len(held_out), plan)
    card |= {"refined": fitting.stage_of(begun.card)}
    if "pretraining" in begun.card:
        card["pretraining"] = begun.card["pretraining"]
    observer = fitting.observer(preset, begun.tokenizer, validation, output, plan)
    result = fitting.fit(pairs, pairs, held_out, preset, begun.tokenizer, output, card, plan, begun, observer)
    fitting.keep_one(result, validation, data, plan.keep)
    _go_on(checkpoints.locate(start), begun, result.checkpoint)
    return result


def with_layers(start: Checkpoint, layers: Sequence[int]) -> Checkpoint:
    """Leave layers of the encoder out (Sajjad et al. 2023): the upper ones of a BERT do least.

    Args:
        start: a Transformer.
        layers: numbers, from 1, of those that stay, in their order.

    Raises:
        SettingsError: the encoder has no such layers.
    """
    blocks = start.config.has.blocks
    count = blocks.encoder_layers if blocks else 0
    if blocks is None or list(layers) != sorted(set(layers)) or not 1 <= layers[0] <= layers[-1] <= count:
        raise SettingsError(
            f"layers must be numbers from 1 to {count}, each once and in their order. Received: {list(layers)}"
        )
    names = {f"encoder/block{layer}/": f"encoder/block{place}/" for place, layer in enumerate(layers, 1)}
    weights = {}
    for path, value in start.weights.items():
        block = _BLOCK.match(path)
        if block is None:
            weights[path] = value
        elif block.group() in names:
            weights[names[block.group()] + path[block.end() :]] = value
    name = f"{start.name}, layers {', '.join(map(str, layers))}"  # not the same: candidates are kept by its identity
    return replace(start, name=name, config=blocks.replace(encoder_layers=len(layers)), weights=weights)


def candidates(summarizer: Summarizer, data: Corpus, path: Path, progress: bool = True) -> list[Judged]:
    """Write candidates for every dialogue with the widest beam search, each with the mean of its three ROUGE scores.

    Args:
        summarizer: apart from the beam, it decodes as its card says.
        data: the dialogues and their references.
        path: file that they are written to, batch by batch; batches that it already holds are read from it.
        progress: whether to show a bar on standard error.

    Raises:
        CorpusError: the model can read none of the dialogues.
        CheckpointError: the file was made by another checkpoint or from other data.
    """
    from tqdm import tqdm

    settings = _widest(summarizer.settings)
    plan = plan_by_length(data, summarizer.checkpoint, settings.truncation)
    head = {"checkpoint": summarizer.checkpoint.identity, "data": data.name, "rows": plan.rows}
    try:
        batches = _begun(path, head, max(summarizer.config.source_vocabulary, summarizer.config.target_vocabulary))
        with path.open("a", encoding="utf-8") as file:
            rest = plan.batches[len(batches) :]
            for places in tqdm(rest, desc="candidates", unit="batch", file=sys.stderr, disable=not progress):
                batches.append(_judge(summarizer, list(items_of(data, places)), settings))
                file.write(json.dumps([row._asdict() for row in batches[-1]]) + "\n")
                file.flush()
    except OSError as error:
        raise CheckpointError(
            f"the candidates '{path}' cannot be written: {error.strerror or error}. Make room there and go on with "
            "--resume: what is finished is kept"
        ) from None
    return [row for batch in batches for row in batch]


def _widest(settings: DecodeSettings) -> DecodeSettings:
    return settings.replace(strategy="beam", beam_size=MOST_BEAMS)


def _judge(summarizer: Summarizer, items: list[dict[str, Any]], settings: DecodeSettings) -> list[Judged]:
    encoded = [summarizer.encode(item["dialogue"], settings.truncation) for item in items]
    rows = []
    for item, source, written in zip(items, encoded, summarizer.hypotheses_batch(encoded, settings), strict=True):
        reference = item["references"][0]
        target = summarizer.tokenizer.encode_summary(reference, source.speakers)
        ended = [hypothesis for hypothesis in written if hypothesis.ids[-1] == END]
        merits = [sum(rouge(hypothesis.text, [reference]).to_dict().values()) / 300 for hypothesis in ended]
        longest = summarizer.config.max_target_length
        rows.append(Judged(source.ids, target[:longest], [hypothesis.ids for hypothesis in ended], merits))
    return rows


def _begun(path: Path, head: dict[str, Any], ids: int) -> list[list[Judged]]:
    """Read the batches of a file that begins with `head`; a missing file is made, half a line at its end cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        with beside(path) as file:
            file.write(json.dumps(head).encode() + b"\n")
    remedy = "delete it, and --resume writes the candidates again"
    try:
        lines = [line for line in read_bytes(path, MOST_BYTES).splitlines(keepends=True) if line.endswith(b"\n")]
        first, *batches = map(json.loads, lines)
        judged = [[_judged(row, ids) for row in batch] for batch in batches]
    except (OSError, ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        raise CheckpointError(f"{path.name} cannot be read: {fault(path, error, remedy)}") from None
    if first != head:
        raise CheckpointError(
            f"{path.name} is of another run. Received: {str(first)[:200]}; wanted: {head}. Name another folder, or "
            f"{remedy}"
        )
    with path.open("rb+") as file:
        file.truncate(sum(map(len, lines)))
    return judged


def _judged(row: dict[str, Any], size: int) -> Judged:
    """Build from what `candidates` wrote; raises ValueError or TypeError for anything else."""
    judged = Judged(**row)
    numbers = [*judged.source, *judged.target, *(number for ids in judged.candidates for number in ids)]
    if any(type(number) is not int or not 0 <= number < size for number in numbers):
        raise ValueError(f"its ids must be whole numbers from 0 to {size - 1}")
    if len(judged.candidates) != len(judged.merits) or not all(0 <= float(number) <= 1.001 for number in judged.merits):
        raise ValueError("each candidate must have a merit from 0 to 1")
    return judged


def _go_on(start: Path, begun: Checkpoint, folder: Path) -> None:
    """Put the history and the snapshots of the checkpoint in `start` before those of the refined one in `folder`."""
    refined = checkpoints.read(folder)
    first = len(begun.history)
    history = [*begun.history, *({**row, "epoch": first + row["epoch"]} for row in refined.history)]
    card = {**refined.card, "epochs": first + refined.card["epochs"]}
    checkpoints.write(folder, refined.config, refined.tokenizer, refined.weights, history, card)
    earlier = [snapshot for snapshot in snapshots.read(start / snapshots.FILE) if snapshot.epoch <= first]
    if earlier:
        last = Snapshot(len(history), observing.attempts(Summarizer(refined)))
        snapshots.write(folder / snapshots.FILE, [*earlier, last])
