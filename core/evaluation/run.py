"""Run an evaluation: the plan, its finished batches, an engine for the others, and the totals."""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core import checkpoints
from core.decoding.shapes import BATCH
from core.errors import CorpusError, SettingsError
from core.evaluation.judge import Judge, measured_by
from core.evaluation.local import Batch, Task, run_plan
from core.evaluation.on_ray import run_on_ray
from core.evaluation.parts import Parts, open_parts
from core.evaluation.plan import Plan, items_of, plan_by_length, plan_in_order
from core.evaluation.rows import RowOrigin, ScoredSummary
from core.evaluation.totals import Totals
from core.files import held
from core.scoring.bertscore import Counts
from core.text.corpus import Corpus, SkippedRow

FORMAT = 2
"""Rises when the rows of a stopped run would be scored otherwise now."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an evaluation.

    Args:
        totals: of all rows, those of earlier runs included.
        skipped: rows of the data that could not be used.
        encoder: fingerprint of BERTScore's encoder, or None.
        made: rows that this run made.
        seconds: wall time of this run.
        counts: rows that BERTScore could not score as they are.
        rows: all of them, if somebody asked for them.
    """

    totals: Totals
    skipped: tuple[SkippedRow, ...]
    encoder: dict[str, Any] | None
    made: int
    seconds: float
    counts: Counts = Counts(0, 0)
    rows: tuple[ScoredSummary, ...] = ()


def evaluate(
    corpus: Corpus,
    task: Task,
    output: Path | None = None,
    *,
    resume: bool = False,
    workers: int | None = None,
    report: Callable[[int, int], None] | None = None,
    origin: RowOrigin | None = None,
    strict: bool = False,
    keep: bool = False,
) -> Outcome:
    """Summarize and judge a corpus, or judge its predictions.

    Args:
        corpus: the rows.
        task: the work on each row.
        output: JSONL file for the rows; during the run, finished batches are in a folder of its name and `.parts`.
        resume: continue a stopped run of that output.
        workers: Ray workers; None: this process does the work.
        report: called with finished rows and all rows, first when the work begins.
        origin: what each row says of where it comes from, with its own line; None: nothing.
        strict: a row that the model cannot read is an error.
        keep: whether the outcome holds the rows.

    Raises:
        CorpusError: no row can be used, one is left out under `strict`, or the output cannot be written.
        SettingsError: there is nothing to resume, the stopped run has other data or settings, or another process writes
            that output.
        ScoringError, CheckpointError: the encoder or the model is missing.
    """
    started = time.perf_counter()
    if output is None and resume:
        raise SettingsError("without an output nothing was kept that could be continued: name the output")
    plan = _plan(corpus, task)
    if strict and plan.skipped:
        first = plan.skipped[0]
        raise CorpusError(f"the model cannot read {len(plan.skipped)} rows. {first.place}: {first.reason}")
    judge = Judge(replace(task.measures, swaps=False))
    encoder, counts = judge.fingerprint, Counts(0, 0)
    origin = origin and replace(origin, measured=measured_by(task.measures, encoder))
    with _parts(output, _fingerprint(corpus, task, encoder), resume) as parts:
        done = parts.sound(plan.batches)
        before = sum(len(plan.batches[number]) for number in done)
        rows = before
        report = report or (lambda done, total: None)
        batches = _batches(corpus, plan, task, done, workers) if len(done) < len(plan.batches) else iter(())
        report(rows, plan.rows)
        for batch in batches:
            parts.write(_with_origin(batch, corpus, origin) if origin else batch)
            rows += len(batch.rows)
            report(rows, plan.rows)
        totals = Totals.of(parts.rows(), task.measures.mode)
        if encoder:
            counts = sum(map(judge.counts, parts.rows()), counts)
        kept = tuple(parts.rows()) if keep else ()
        if output:
            parts.join()
    skipped = tuple(sorted((*corpus.skipped, *plan.skipped), key=lambda row: row.line))
    return Outcome(totals, skipped, encoder, rows - before, time.perf_counter() - started, counts, kept)


def origin_of(task: Task, source: str, predictions: str = "") -> RowOrigin:
    """Return where the rows of a task come from: model, settings, data, day and version.

    Args:
        task: of the evaluation.
        source: name of the file or data set.
        predictions: name of the file with another system's summaries.
    """
    if not task.settings or not task.checkpoint:
        return RowOrigin.today(source, predictions=predictions)
    weights = checkpoints.read_card(task.checkpoint)["sha256"]["weights.safetensors"]
    name = checkpoints.locate(task.checkpoint).name
    return RowOrigin.today(source, task.settings, checkpoint=name, weights=weights, predictions=predictions)


def _with_origin(batch: Batch, corpus: Corpus, origin: RowOrigin) -> Batch:
    lines = [item["line"] for item in items_of(corpus, batch.places)]
    rows = (replace(row, origin=replace(origin, row=line)) for row, line in zip(batch.rows, lines, strict=True))
    return replace(batch, rows=tuple(rows))


def _plan(corpus: Corpus, task: Task) -> Plan:
    if task.settings is None or task.checkpoint is None:
        return plan_in_order(corpus)
    return plan_by_length(corpus, checkpoints.read(task.checkpoint), task.settings.truncation)


def _batches(corpus: Corpus, plan: Plan, task: Task, done: set[int], workers: int | None) -> Iterator[Batch]:
    if workers is None:
        return run_plan(corpus, plan, task.maker(), done)
    return run_on_ray(corpus, plan, task, done, workers)


def _fingerprint(corpus: Corpus, task: Task, encoder: dict[str, Any] | None) -> dict[str, Any]:
    """Return everything that determines the rows; the engine does not."""
    data = hashlib.sha256()
    for item in items_of(corpus):
        data.update(json.dumps(item, sort_keys=True).encode() + b"\n")
    card = checkpoints.read_card(task.checkpoint) if task.checkpoint else None
    return {
        "format": FORMAT,
        "data": data.hexdigest(),
        "checkpoint": card["sha256"] if card else None,
        "settings": task.settings.to_dict() if task.settings else None,
        **{name: list(value) if name == "metrics" else value for name, value in asdict(task.measures).items()},
        "encoder": encoder,
        "batch": BATCH,
        "backend": os.environ.get("KERAS_BACKEND", "tensorflow") if task.checkpoint else None,
    }


@contextmanager
def _parts(output: Path | None, fingerprint: dict[str, Any], resume: bool) -> Iterator[Parts]:
    """Open the parts beside the output, or in a temporary folder without an output."""
    if output:
        with held(output):
            yield open_parts(output, fingerprint, resume)
        return
    with tempfile.TemporaryDirectory(prefix="dialoscope-") as folder:
        yield Parts(Path(folder), Path(folder))
