"""Stop and go on: what is done is kept, and the output is that of a run that was never stopped."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import CorpusError, SettingsError
from core.evaluation.judge import Measures
from core.evaluation.local import Batch, Task
from core.evaluation.parts import open_parts
from core.evaluation.predictions import with_predictions
from core.evaluation.rows import ScoredSummary, read_rows
from core.evaluation.run import evaluate
from core.evaluation.totals import Totals
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.files import held
from core.scoring.bertscore import BertScore
from core.scoring.rouge import Rouge
from core.text.corpus import Corpus
from tests.refusals import refused


class Stop(Exception):
    """What a stop raises."""


def stop_after_one(done: int, total: int) -> None:
    if done:
        raise Stop


def test_parts_become_the_output_in_the_order_of_the_corpus(row: ScoredSummary, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    parts = open_parts(output, {"data": "x"}, resume=False)
    rows = [replace(row, id=str(number)) for number in range(4)]
    parts.write(Batch(1, (0, 3), (rows[0], rows[3])))
    parts.write(Batch(0, (2, 1), (rows[2], rows[1])))
    assert parts.done() == {0, 1} and list(parts.rows()) == rows
    again = open_parts(output, {"data": "x"}, resume=True)
    assert again.done() == {0, 1} and not output.exists()
    refused(SettingsError, "there is a stopped run in .*--resume", open_parts, output, {"data": "x"}, resume=False)
    with pytest.raises(SettingsError, match='had other data.*Received: data="y"; stopped: "x"'):
        open_parts(output, {"data": "y"}, resume=True)
    again.join()
    assert read_rows(output) == rows and os.listdir(tmp_path) == ["out.jsonl"]
    refused(CorpusError, "cannot hold the finished", open_parts, tmp_path / "no" / "out.jsonl", {}, resume=False)


def test_totals(row: ScoredSummary) -> None:
    other = replace(row, summary=" ", rouge=Rouge(0.0, 0.0, 0.0), bertscore=BertScore(0.0, 0.0, 0.0), truncated=False)
    totals = Totals.of([row, other])
    assert (totals.count, totals.truncated, totals.empty) == (2, 1, 1)
    assert totals.rouge == Rouge(25.0, 0.0, 100 / 6)
    assert totals.bertscore == BertScore(0.25, 0.125, 1 / 6)
    bare = Totals.of([replace(row, rouge=None, bertscore=None)])
    assert bare.rouge is None and bare.bertscore is None and bare.untagged is None
    # Totals of what a reader sees.
    plain = replace(row, references=("#Person1# calls Tom", "Ann rests"), summary="#Person1# calls Ann", faults=())
    again = replace(
        plain, summary="he asks her to go and he asks her", faults=(Fault("novel_name", 0, 2, (), Evidence("x")),)
    )
    totals = Totals.of([plain, again])
    assert (totals.repeated, totals.invented) == (1, 1)
    # One of two words without the tag: 50; nothing in common: 0.
    assert totals.untagged == Rouge(25.0, 0.0, 25.0)
    # Against both references, one word each.
    assert Totals.of([plain], "mean").untagged == Rouge(50.0, 0.0, 50.0)


def test_a_stopped_run_goes_on(corpus: Corpus, tmp_path: Path) -> None:
    whole, output, lines, task = tmp_path / "whole.jsonl", tmp_path / "out.jsonl", tmp_path / "lines", Task(Measures())
    lines.write_text("They talk.\n" * 11, encoding="utf-8")
    given = with_predictions(corpus, lines)
    outcome = evaluate(given, task, whole)
    assert (outcome.made, outcome.totals.count) == (11, 11) and [row.line for row in outcome.skipped] == [3, 6]
    with pytest.raises(Stop):
        evaluate(given, task, output, report=stop_after_one)
    assert not output.exists()
    others = [("--resume", given, task, False), ("had other mode", given, Task(Measures(mode="max")), True)]
    for why, rows, asked, resume in [*others, ("had other data", given.sample(3, 0), task, True)]:
        refused(SettingsError, why, evaluate, rows, asked, output, resume=resume)
    with held(output), pytest.raises(SettingsError, match="another process is writing .*out.jsonl.*another output"):
        evaluate(given, task, output, resume=True)
    again = evaluate(given, task, output, resume=True)
    assert again.made == 3 and again.totals == outcome.totals
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["lines", "out.jsonl", "whole.jsonl"]
    refused(SettingsError, "without an output", evaluate, given, task, resume=True)
    assert evaluate(given, task).totals == outcome.totals


def test_predictions_are_read_by_line_or_by_id(corpus: Corpus, tmp_path: Path) -> None:
    plain, lines = tmp_path / "plain.txt", tmp_path / "lines.jsonl"
    texts = [f"Summary {number}\u2028 of \u201cit\u201d." for number in range(10)] + [""]
    plain.write_text("\r\n".join(texts) + "\n", encoding="utf-8", newline="")
    ids = list(corpus.dataset["id"])
    written = [json.dumps({"id": each, "summary": text}) for each, text in zip(ids, texts, strict=True)]
    lines.write_text("\n".join(reversed(written)), encoding="utf-8")
    for path in (plain, lines):
        found = with_predictions(corpus, path)
        assert list(found.dataset["prediction"]) == texts and found.skipped == corpus.skipped
    outcome = evaluate(found, Task(Measures()), tmp_path / "out.jsonl")
    assert outcome.totals.empty == 1 and [row.summary for row in read_rows(tmp_path / "out.jsonl")] == texts
    plain.write_text("one line", encoding="utf-8")
    refused(CorpusError, "Received: 1 line; rows: 11", with_predictions, corpus, plain)
