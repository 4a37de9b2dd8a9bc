"""The command `evaluate`: a corpus in, scores and a file of scored summaries out."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from core import checkpoints
from core.cli import stdin
from core.cli.data import FILES, ColumnsOption, EncodingOption, StrictOption, load
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    Given,
    JsonOption,
    Metric,
    decode_settings,
    print_json,
    progress,
    tell,
    tell_skipped,
    with_decoding,
)
from core.cli.outputs import OverwriteOption, check_resumable, resumable
from core.cli.scores import EncoderOption, encoder_files, rouge_line, tell_rouge
from core.cli.slices import ByOption, show, tables
from core.scoring.encoders import EMBEDDED
from core.scoring.rouge import ReferenceMode, fingerprint
from core.words import count

if TYPE_CHECKING:
    from core.evaluation.local import Task
    from core.evaluation.run import Outcome
    from core.text.corpus import Corpus


@with_decoding
def evaluate(
    data: Annotated[str, typer.Argument(help=f"{FILES} with dialogues and summaries, or a hub name.")],
    checkpoint: CheckpointOption = DEFAULT,
    limit: Annotated[int | None, typer.Option(help="Only the first rows.")] = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    strict: StrictOption = False,
    sample: Annotated[int | None, typer.Option(help="Only so many rows, drawn with --seed.")] = None,
    metric: Annotated[list[Metric] | None, typer.Option(help="What to measure; may be repeated.")] = None,
    encoder: EncoderOption = EMBEDDED,
    reference_mode: Annotated[ReferenceMode, typer.Option(help="How several references are used.")] = "first",
    output: Annotated[Path | None, typer.Option(help="Write summaries, scores and hints to this JSONL file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a stopped run of this --output.")] = False,
    overwrite: OverwriteOption = False,
    predictions: Annotated[
        Path | None,
        typer.Option(help="Score these summaries instead: lines, or JSONL, JSON or CSV with id and summary."),
    ] = None,
    swaps: Annotated[
        bool, typer.Option("--swaps", help="Also compare the likelihood of swapped names and negations.")
    ] = False,
    engine: Annotated[Literal["local", "ray"], typer.Option(help="Where to run; ray is an optional extra.")] = "local",
    workers: Annotated[
        int, typer.Option(help="Number of workers of --engine ray; each takes one core and loads the model.")
    ] = 2,
    by: ByOption = None,
    decoding: Given = NONE_GIVEN,
    as_json: JsonOption = False,
) -> None:
    """Summarize and score a corpus; --resume continues a stopped run."""
    settings = None if predictions else decode_settings(checkpoint, decoding)
    check_resumable(output, [data, checkpoint, predictions, *encoder_files(encoder)], resume, overwrite)
    from core.evaluation import run
    from core.evaluation.judge import Measures
    from core.evaluation.local import Task
    from core.evaluation.slices import Sliced

    corpus = load(data, columns, limit=limit, summaries=False, strict=strict, encoding=encoding)
    if sample is not None:
        corpus = corpus.sample(sample, decoding["seed"] or 0)
    if predictions:
        corpus = _predicted(corpus, predictions)
    ways = _ways(corpus, by) if by else []
    metrics: tuple[Any, ...] = tuple(dict.fromkeys(each.value for each in metric or [Metric.rouge]))
    measures = Measures(metrics, reference_mode, encoder, swaps)
    task = Task(measures, checkpoint if settings or swaps else None, settings)
    origin = run.origin_of(task, stdin.named(data), stdin.named(predictions) if predictions else "")
    with progress("score" if predictions else "summarize") as moved, resumable(output):
        outcome = run.evaluate(
            corpus, task, output, resume=resume, workers=workers if engine == "ray" else None, report=moved,
            origin=origin, strict=strict, keep=bool(ways),
        )  # fmt: skip
    tell_skipped(outcome.skipped)
    _tell_scores(outcome, task)
    slices = tables(Sliced(dict(enumerate(outcome.rows))), ways)
    if as_json:
        rows = {"taken": len(corpus.sources), "joined": corpus.joined, "notes": list(corpus.notes)}
        print_json(_report(outcome, task) | {"rows": rows} | ({"slices": slices} if by else {}))
    else:
        _show(outcome)
        show(slices)


def _ways(corpus: "Corpus", by: list[str]) -> list[str]:
    """Return the ways to slice a corpus, before anything is computed; raises SettingsError for one that it lacks."""
    from core.evaluation.plan import items_of
    from core.evaluation.rows import given_items
    from core.evaluation.slices import Sliced

    sliced = Sliced(dict(enumerate(given_items(items_of(corpus)))))
    return [sliced.find(way) for way in by]


def _predicted(corpus: "Corpus", predictions: Path) -> "Corpus":
    """Add the summaries of a file, and tell what is to be said of it."""
    from core.evaluation.predictions import heads_table, with_predictions

    extended = with_predictions(corpus, stdin.local(predictions, heads_table))
    for line in extended.notes[len(corpus.notes) :]:
        tell(line)
    return extended


def _tell_scores(outcome: "Outcome", task: "Task") -> None:
    """Say which rows have no scores, and which have others than they seem to."""
    totals, counts = outcome.totals, outcome.counts
    if totals.scored < totals.count:
        tell(f"{totals.count - totals.scored} of {totals.count} dialogues have no reference: they have no scores")
    tell_rouge(totals.tokenizers["letters of all scripts"], totals.equal, totals.lined)
    if counts.cut:
        tell(f"{counts.cut} with a text longer than the encoder of BERTScore reads: the rest of it is not scored")
    if counts.blank:
        tell(f"{counts.blank} with a blank text: BERTScore is 0 there")


def _report(outcome: "Outcome", task: "Task") -> dict[str, Any]:
    totals, measures = outcome.totals, task.measures
    identity = None
    if task.checkpoint:
        card = checkpoints.read_card(task.checkpoint)
        identity = f"{checkpoints.locate(task.checkpoint).name}@{card['sha256']['weights.safetensors'][:12]}"
    bertscore = None
    if totals.bertscore and outcome.encoder:
        named = {"encoder": outcome.encoder["encoder"], "fingerprint": outcome.encoder}
        bertscore = asdict(totals.bertscore) | named | {"cut": outcome.counts.cut, "blank": outcome.counts.blank}
    rouge = totals.rouge.to_dict() if totals.rouge else {}
    return {
        "count": totals.count,
        "scored": totals.scored,
        "skipped": [{"line": row.line, "reason": row.reason} for row in outcome.skipped],
        "truncated": totals.truncated,
        "empty": totals.empty,
        "repeated_trigrams": totals.repeated,
        "invented_names_or_numbers": totals.invented,
        **{name: None for name in ("rouge1", "rouge2", "rougeL")} | rouge,
        "rouge_without_tags": totals.untagged.to_dict() if totals.untagged else None,
        "rouge_fingerprint": fingerprint(totals.tokenizers) if rouge else None,
        "bertscore": bertscore,
        "reference_mode": measures.mode,
        "checkpoint": identity if task.settings else None,
        "settings": task.settings.to_dict() if task.settings else None,
        "seconds": outcome.seconds,
        "dialogues_per_second": outcome.made / outcome.seconds,
    }


def _show(outcome: "Outcome") -> None:
    totals = outcome.totals
    skipped = f"{count(len(outcome.skipped), 'row')} skipped"
    empty = f"{count(totals.empty, 'summary')} empty"
    print(", ".join([count(totals.count, "dialogue"), skipped, f"{totals.truncated} truncated", empty]))
    share = 100 / totals.count
    print(f"three words twice in {totals.repeated * share:.1f} % of the summaries")
    print(f"a name or number that the dialogue lacks in {totals.invented * share:.1f} %")
    for rouge, what in ((totals.rouge, ""), (totals.untagged, "  (without speaker tags)")):
        if rouge:
            print(f"{rouge_line(rouge)}{what}")
    if (score := totals.bertscore) and outcome.encoder:
        named = f"({outcome.encoder['encoder']})"
        print(f"BERTScore P {score.precision:.4f}  R {score.recall:.4f}  F1 {score.f1:.4f}  {named}")
