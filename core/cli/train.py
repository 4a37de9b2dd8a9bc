"""The commands that train: `pretrain`, `train` and `refine`."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from core import checkpoints
from core.cli.data import FILES, ColumnsOption, EncodingOption, StrictOption, load
from core.cli.options import DEFAULT, JsonOption, command_line, layer_numbers, print_result, tell, tell_skipped
from core.config import PRESETS, Preset, TrainConfig
from core.errors import SettingsError
from core.files import held, leftovers
from core.runtime.memory import keep_freed_memory

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.text.corpus import Corpus
    from core.training.loop import TrainingResult

OutputOption = Annotated[Path, typer.Option(help="Folder of the run; the checkpoint is in its checkpoint/.")]
PresetOption = Annotated[str, typer.Option(help=f"One of {', '.join(PRESETS)}.")]
EpochsOption = Annotated[int | None, typer.Option(help="Passes over the data.")]
SeedOption = Annotated[int | None, typer.Option(help="Seed of weights, dropout and order.")]
PrecisionOption = Annotated[str | None, typer.Option(help="float32 or mixed_bfloat16.")]
LimitOption = Annotated[int | None, typer.Option(help="Only the first rows.")]
FrozenOption = Annotated[int | None, typer.Option(help="Encoder layers, from the lowest, that keep their weights.")]
RateOption = Annotated[float | None, typer.Option(help="Factor of the encoder's learning rate.")]
LearningOption = Annotated[float | None, typer.Option(help="Peak of the learning rate.")]
BatchOption = Annotated[int | None, typer.Option(help="Tokens of a batch, padding included: fewer, more updates.")]
WarmupOption = Annotated[int | None, typer.Option(help="Updates until the learning rate is at its peak.")]
ScoredOption = Annotated[int, typer.Option(min=0, help="Validation dialogues scored after each epoch.")]
LicenceOption = Annotated[str, typer.Option(help="Licence of the weights, for the card.")]
ResumeOption = Annotated[bool, typer.Option(help="Continue a killed run.")]

OF_A_RUN = ("state", "states", "checkpoint", "last", "moments.npz", "candidates.jsonl")
"""Names of what a training writes into its folder: a folder with none of them holds no stopped run."""


def pretrain(
    context: typer.Context,
    data: Annotated[list[str], typer.Argument(help=f"{FILES} with dialogues; the tokenizer learns from the first.")],
    validation: Annotated[str, typer.Option(help="The same, for the validation loss.")],
    output: OutputOption,
    preset: PresetOption = DEFAULT,
    epochs: EpochsOption = None,
    seed: SeedOption = None,
    precision: PrecisionOption = None,
    limit: LimitOption = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    strict: StrictOption = False,
    licence: LicenceOption = "that of the training data",
    resume: ResumeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Pre-train a model on dialogues alone, for `train --start`; --resume continues a killed run."""
    chosen = _preset(preset)
    training = _changed(chosen.pretraining, epochs=epochs, seed=seed, precision=precision)
    context.with_resource(_writing(output, resume))
    corpora = _load([*data, validation], limit, columns, strict, encoding, summaries=False)
    from core.training.recipes import fitting

    _prepare(training)
    plan = fitting.Plan(command_line(), licence, resume)
    result = fitting.pretrain(preset, replace(chosen, training=training), corpora[:-1], corpora[-1], output, plan)
    _report(result, {}, as_json)


def train(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help=f"{FILES} with dialogues and summaries, or a hub name.")],
    validation: Annotated[str, typer.Option(help="The same, for validation loss and scores.")],
    output: OutputOption,
    preset: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(PRESETS)}; without --start {DEFAULT} unless given.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="A pre-trained or imported checkpoint to start from; it brings its own shape.")
    ] = None,
    epochs: EpochsOption = None,
    seed: SeedOption = None,
    precision: PrecisionOption = None,
    augment: Annotated[bool | None, typer.Option(help="Change names, numbers and openings in every epoch.")] = None,
    frozen: FrozenOption = None,
    encoder_rate: RateOption = None,
    learning_rate: LearningOption = None,
    warmup: WarmupOption = None,
    batch_tokens: BatchOption = None,
    scored: ScoredOption = 0,
    moments: Annotated[int, typer.Option(min=0, help="Number of snapshots kept for the time-lapse.")] = 0,
    keep: Annotated[
        Literal["better", "last"],
        typer.Option(help="Epoch that becomes the checkpoint: the better of best and last, or the last."),
    ] = "better",
    limit: LimitOption = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    strict: StrictOption = False,
    licence: LicenceOption = "that of the training data",
    resume: ResumeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train a model; --resume continues a killed run."""
    chosen = _preset(preset or DEFAULT)
    begun = checkpoints.read(start) if start else None
    if begun and preset is None and begun.tokenizer.kind == "imported":
        chosen = fine_tuning(begun)
    name = preset or (begun.name if begun and chosen.model == begun.config else DEFAULT)
    if begun:
        chosen = replace(chosen, model=begun.config)
    training = _changed(
        chosen.training,
        epochs=epochs,
        seed=seed,
        precision=precision,
        augment=augment,
        frozen=frozen,
        encoder_rate=encoder_rate,
        learning_rate=learning_rate,
        warmup_steps=warmup,
        batch_tokens=batch_tokens,
    )
    context.with_resource(_writing(output, resume))
    corpora = _load([data, validation], limit, columns, strict, encoding)
    from core.training.recipes import fitting

    _prepare(training)
    plan = fitting.Plan(command_line(), licence, resume, scored=scored, snapshots=moments, keep=keep)
    result = fitting.run(name, replace(chosen, training=training), corpora[0], corpora[1], output, plan, begun)
    _report(result, {"scores": checkpoints.read_card(result.checkpoint)["scores"]}, as_json)


def refine(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help=f"The data it was trained on: {FILES}, or a hub name.")],
    validation: Annotated[str, typer.Option(help="The same, for validation loss and scores.")],
    output: OutputOption,
    start: Annotated[str, typer.Option(help="The trained checkpoint: its name or its folder.")],
    epochs: EpochsOption = None,
    seed: SeedOption = None,
    precision: PrecisionOption = None,
    candidates: Annotated[
        Literal["own", "wrong"],
        typer.Option(help="Weighed: summaries of its own, by ROUGE; or references, against wrong ones."),
    ] = "own",
    wrong: Annotated[
        int | None, typer.Option(min=1, max=8, help="Most wrong summaries of a dialogue, with --candidates wrong.")
    ] = None,
    layers: Annotated[
        str | None, typer.Option(help="Encoder layers, from 1, that stay: 1,2,3. Without it all do.")
    ] = None,
    risk: Annotated[float | None, typer.Option(min=0.001, help="Weight of the expected merit.")] = None,
    learning_rate: LearningOption = None,
    batch_tokens: BatchOption = None,
    scored: ScoredOption = 0,
    limit: LimitOption = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    strict: StrictOption = False,
    licence: LicenceOption = "that of the training data",
    resume: ResumeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Refine a checkpoint by minimum risk: by the ROUGE of what it writes, or by contrast with wrong summaries."""
    checkpoints.locate(start)
    if wrong and candidates == "own":
        raise SettingsError("--wrong is for --candidates wrong only")
    numbers = layer_numbers(layers) if layers else None
    context.with_resource(_writing(output, resume))
    corpora = _load([data, validation], limit, columns, strict, encoding)
    from core.training.recipes import contrast, fitting, refining

    training = _changed(
        refining.REFINING if candidates == "own" else refining.CONTRASTING,
        epochs=epochs,
        seed=seed,
        precision=precision,
        risk=risk,
        learning_rate=learning_rate,
        batch_tokens=batch_tokens,
    )
    _prepare(training)
    plan = fitting.Plan(command_line(), licence, resume, scored=scored, keep="last")
    result = refining.refine(
        start, corpora[0], corpora[1], output, plan, training, candidates, numbers, wrong or contrast.WRONG
    )
    _report(result, {"scores": checkpoints.read_card(result.checkpoint)["scores"]}, as_json)


def fine_tuning(start: "Checkpoint") -> Preset:
    """Return the preset that goes on with an imported checkpoint: its shape and decoding, and small steps."""
    training = TrainConfig(
        epochs=3, schedule="cosine", learning_rate=3e-5, warmup_steps=50, weight_decay=0.01, beta_2=0.999,
        epsilon=1e-8, average=0.0, patience=0,
    )  # fmt: skip
    about = f"Fine-tuned from {start.name}."
    return Preset(about, start.config, training=training, decoding=checkpoints.card_decoding(start.card))


def _preset(name: str) -> Preset:
    if name not in PRESETS:
        raise SettingsError(f"no such preset. Received: {name!r}; allowed: {', '.join(PRESETS)}")
    return PRESETS[name]


def _changed(training: TrainConfig, **changes: Any) -> TrainConfig:
    return training.replace(**{name: value for name, value in changes.items() if value is not None})


def _prepare(training: TrainConfig) -> None:
    """Set up this process for a training, before its first computation."""
    from core.runtime.backend import imitates_bfloat16

    keep_freed_memory()
    if training.precision == "mixed_bfloat16" and imitates_bfloat16():
        tell("this processor has no bfloat16 arithmetic: --precision float32 will be faster here")


@contextmanager
def _writing(output: Path, resume: bool) -> Iterator[None]:
    """Hold the folder of a run until the command ends; raises SettingsError if it cannot be used."""
    try:
        begun = output.exists() and any(output.iterdir())
        if begun and not resume:
            raise SettingsError(
                f"the output folder is not empty: {output}. Name another one, or continue with --resume"
            )
        if resume and not any((output / name).exists() or leftovers(output / name) for name in OF_A_RUN):
            raise SettingsError(
                f"there is nothing to resume in {output}. Start without --resume, with a folder that is new or empty"
            )
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        raise SettingsError(
            f"the output folder cannot be written: {output} ({error.strerror}). Name another one"
        ) from None
    with held(output, "another folder"):
        yield


def _load(
    sources: list[str], limit: int | None, columns: list[str] | None, strict: bool, encoding: str, *,
    summaries: bool = True,
) -> list["Corpus"]:  # fmt: skip
    """Read corpora; each reference of a dialogue that stands in several rows stays a pair of its own."""
    corpora = [
        load(source, columns, limit=limit, summaries=summaries, strict=strict, encoding=encoding) for source in sources
    ]
    for corpus in corpora:
        tell_skipped(corpus.skipped, corpus.name)
    return [corpus.apart() for corpus in corpora]


def _report(result: "TrainingResult", scores: dict[str, Any], as_json: bool) -> None:
    last = result.history[-1]
    report = {
        "epochs": len(result.history),
        "best_epoch": result.best_epoch,
        "train_loss": last["train_loss"],
        "validation_loss": last["validation_loss"],
        "checkpoint": str(result.checkpoint),
        **scores,
    }
    lines = ["epoch  train loss  validation loss  minutes"]
    for row in result.history:
        best = "  best" if row["epoch"] == result.best_epoch else ""
        losses = f"{row['train_loss']:>12.4f}{row['validation_loss']:>17.4f}"
        lines.append(f"{row['epoch']:>5}{losses}{row['seconds'] / 60:>9.1f}{best}")
    for name, value in (scores.get("scores") or {}).items():
        if isinstance(value, dict):
            lines.append(f"{name}: {'  '.join(f'{key} {number}' for key, number in value.items())}")
        elif not isinstance(value, list):
            lines.append(f"{name}: {value}")
    lines.append(f"checkpoint: {result.checkpoint}")
    print_result(as_json, report, "\n".join(lines))
