"""Rows survive the way to disk and back."""

import json
from dataclasses import replace
from pathlib import Path

from core.errors import CorpusError, SettingsError
from core.evaluation.rows import ScoredSummary, read_rows, to_line
from core.text.corpus import load_corpus
from tests.refusals import refused


def test_a_row_comes_back_as_it_was_and_is_a_corpus_with_predictions(row: ScoredSummary, tmp_path: Path) -> None:
    other = ScoredSummary("8", "A: Hi.", (), "", "")
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{to_line(row)}\n{to_line(other)}\n", encoding="utf-8")
    assert read_rows(path) == [row, other]
    assert ScoredSummary.from_dict(json.loads(json.dumps(row.to_dict()))) == row
    # Written rows are a corpus with predictions.
    path.write_text(f"{to_line(row)}\n{to_line(replace(row, id='9', summary=''))}\n", encoding="utf-8")
    items = load_corpus(path).dataset.to_list()
    assert [(item["id"], item["prediction"]) for item in items] == [("7", "A greets B."), ("9", "")]
    assert items[0]["references"] == ["They greet.", "Hello."] and items[0]["dialogue"] == row.dialogue


def test_another_file_is_refused_with_its_line(row: ScoredSummary, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    refused(CorpusError, "cannot be read", read_rows, path)
    good = json.dumps(row.to_dict())
    for line in ("[]", "{", '{"id": "x"}', json.dumps(row.to_dict() | {"references": "one"})):
        path.write_text(f"{good}\n{line}", encoding="utf-8")
        refused(CorpusError, "line 2 of 'rows.jsonl'", read_rows, path)
    refused(SettingsError, "KeyError 'dialogue'", ScoredSummary.from_dict, {"id": "x"})
