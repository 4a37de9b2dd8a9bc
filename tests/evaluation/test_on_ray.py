"""The same rows through Ray on two workers, which go on with what a killed run left."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.config import DecodeSettings
from core.errors import SettingsError
from core.evaluation import on_ray
from core.evaluation.judge import Measures
from core.evaluation.local import Task, in_order, summarize_corpus
from core.evaluation.rows import read_rows
from core.evaluation.run import evaluate
from core.evaluation.totals import Totals
from core.service import Summarizer
from core.text.corpus import Corpus, load_corpus
from tests.evaluation.test_run import Stop, stop_after_one
from tests.layering import ROOT
from tests.refusals import refused


@pytest.mark.slow
def test_ray_gives_the_rows_of_the_local_engine_and_goes_on_with_its_run(
    data: Path, tiny: Summarizer, tiny_checkpoint: Path, tiny_stays: None, tmp_path: Path
) -> None:
    corpus, output = load_corpus(data, require_summaries=False), tmp_path / "out.jsonl"
    task = Task(Measures(), str(tiny_checkpoint), tiny.settings.replace(strategy="greedy", max_tokens=16))
    with pytest.raises(Stop):
        evaluate(corpus, task, output, report=stop_after_one)
    assert not output.exists() and len(list((tmp_path / "out.jsonl.parts").glob("*.jsonl"))) == 1
    words = f"-m core evaluate {data} --checkpoint {tiny_checkpoint} --output {output} --json --strategy greedy"
    ray = [sys.executable, *f"{words} --max-tokens 16 --resume --engine ray --workers 2".split()]
    result = subprocess.run(ray, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = in_order(list(summarize_corpus(corpus, tiny, task.settings)))
    found = read_rows(output)
    assert [replace(row, origin=None) for row in found] == rows
    assert {row.origin.checkpoint for row in found if row.origin} == {tiny_checkpoint.name}  # of those that Ray made
    report = json.loads(result.stdout)  # nothing else is on standard output
    assert (report["count"], report["scored"]) == (12, 11) and report["rouge1"] == Totals.of(rows).rouge.rouge1
    assert not (tmp_path / "out.jsonl.parts").exists()


def test_ray_that_is_missing_is_named_with_its_cure(
    corpus: Corpus, tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    task = Task(Measures(), str(tiny_checkpoint), DecodeSettings(max_tokens=12))
    with pytest.raises(SettingsError, match="not installed. Install it: pip install -r requirements-ray.txt"):
        evaluate(corpus, task, workers=2)
    refused(SettingsError, "at least 1 worker. Received: 0", evaluate, corpus, task, workers=0)


def test_the_reason_of_a_failed_worker_is_its_last_line() -> None:
    assert on_ray._reason(ValueError("Traceback\n  File x\ncore.errors.ScoringError: no encoder\n")) == (
        "core.errors.ScoringError: no encoder"
    )
