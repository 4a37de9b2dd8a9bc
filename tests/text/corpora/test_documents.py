"""JSON of every shape that holds rows, and of those that do not."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import CorpusError
from core.text.corpora.columns import UnknownColumnsError
from core.text.corpus import load_corpus
from tests.refusals import refusals, refused

ROWS = [{"id": f"0{n}", "dialogue": f"A: {n}\u2028B: yes", "summary": f"It is {n}."} for n in range(3)]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
TURNS = [{"speaker": "A", "text": "Hi."}, {"speaker": "B: b", "text": "Ho\nho."}]
SHAPES = {
    "a list": ROWS,
    "under one name": {"version": 1, "data": ROWS},
    "columns": COLUMNS,
    "columns under one name": {"data": COLUMNS},
    "columns by row, of pandas": {name: dict(enumerate(values)) for name, values in COLUMNS.items()},
    "columns apart, of pandas": {
        "columns": list(COLUMNS),
        "index": [0, 1, 2],
        "data": [[*row.values()] for row in ROWS],
    },
    "by id": {row["id"]: {name: row[name] for name in ("dialogue", "summary")} for row in ROWS},
}


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_found_in_every_shape(shape: str, tmp_path: Path) -> None:
    found = load_corpus(write(tmp_path / "a.json", SHAPES[shape])).dataset
    assert found["dialogue"][:] == COLUMNS["dialogue"]
    assert found["references"][:] == [[each] for each in COLUMNS["summary"]]
    assert found["id"][:] == COLUMNS["id"]


def test_the_content_tells_lines_from_a_document(tmp_path: Path) -> None:
    lines = "\n".join(map(json.dumps, ROWS))
    for name, content in (("a.json", lines), ("a.jsonl", json.dumps(ROWS)), ("b.json", json.dumps(ROWS[0], indent=1))):
        assert load_corpus(write(tmp_path / name, content)).dataset["id"][0] == "00"
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps(ROWS).encode("utf-16")))
    assert load_corpus(path).dataset["id"][:] == COLUMNS["id"]


def test_dialogues_may_be_turns(tmp_path: Path) -> None:
    values = [TURNS, [list(each.values()) for each in TURNS], ["A: Hi.", "B b: Ho ho."]]
    values.append({"speaker": ["A", "B: b"], "text": ["Hi.", "Ho\nho."]})
    for value in values:
        row = load_corpus(write(tmp_path / "a.json", [{"dialogue": value, "summary": "x"}])).dataset[0]
        assert row["dialogue"] == "A: Hi.\nB b: Ho ho."


def test_a_chosen_column_that_no_row_has_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", ROWS)
    found = load_corpus(path, columns={"dialogue": "summary", "summary": "Dialogue"}).dataset
    assert found["dialogue"][0] == "It is 0."
    why = "no column 'number'. Received: 'id', 'dia"
    refused(UnknownColumnsError, why, load_corpus, path, columns={"id": "number"})


def test_an_export_of_a_chat_is_no_corpus_and_a_corpus_with_names_is_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", [{"user": "U1", "text": "Hi."}, {"user": "U2", "text": "Ho."}, {"type": "join"}])
    refused(CorpusError, "it is one dialogue, message by message", load_corpus, path, require_summaries=False)
    found = load_corpus(path, require_summaries=False, columns={"dialogue": "text"})
    assert found.dataset["dialogue"][:] == ["Hi.", "Ho."] and [each.line for each in found.skipped] == [3]
    path = write(tmp_path / "b.json", [{"name": f"d{n}", "text": f"A: {n}\nB: Yes."} for n in range(3)])
    assert len(load_corpus(path, require_summaries=False).dataset) == 3


def test_what_pandas_writes_for_missing_values_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"dialogue": "A: hi", "summary": NaN, "topic": null, "id": 7}')
    row = load_corpus(path, require_summaries=False).dataset[0]
    assert (row["references"], row["topic"], row["id"]) == ([], "", "7")


def test_what_holds_no_rows_is_refused(snapshot, tmp_path: Path) -> None:
    cases = {
        "two lists": {"train": ROWS, "test": ROWS}, "a number": 3, "nothing": {}, "numbers": [1, 2],
        "cut off": json.dumps(ROWS)[:-9], "deep": "[" * 100_000, "deep objects": '{"a":' * 100_000,
        "a deep row": '[{"dialogue": ' + "[" * 100_000, "settings": {"epochs": 3, "name": "x"},
    }  # fmt: skip
    call = lambda value: load_corpus(write(tmp_path / "a.json", value))  # noqa: E731
    assert refusals(CorpusError, call, cases, tmp_path) == snapshot


def test_a_bomb_is_refused_before_it_is_in_memory(tmp_path: Path) -> None:
    for name, content in (
        ("a.json.gz", b"[" + b" " * 9_000_000),
        ("a.csv.gz", b"dialogue,summary\n" + b"a" * 9_000_000),
    ):
        (tmp_path / name).write_bytes(gzip.compress(content))
        refused(CorpusError, "more than 1,000,000 bytes", load_corpus, tmp_path / name, most_bytes=1_000_000)


def test_a_source_file_needs_as_many_summaries(tmp_path: Path) -> None:
    path = write(tmp_path / "a.source", "A: hi\nB: ho\n")
    assert "not beside it" in load_corpus(path, require_summaries=False).notes[0]
    write(tmp_path / "a.target", "one\n")
    refused(CorpusError, "Received: 2 lines in 'a.source', 1 in 'a.target'", load_corpus, path)
