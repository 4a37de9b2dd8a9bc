"""Corpora: local files line by line, hub data sets through a stand-in."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import datasets
import pytest

from core.errors import CorpusError
from core.limits import FULL
from core.text.corpora.columns import UnknownColumnsError
from core.text.corpus import Corpus, load_corpus
from tests.figures.drawing import drawn
from tests.refusals import refusals, refused

GOOD = {"dialogue": "A: hi", "summary": "A greets."}
OTHER = {"dialogue": "B: ho", "summary": "B greets."}
THIRD = {"dialogue": "C: hey", "summary": "C greets."}


def jsonl(path: Path, *rows: Any) -> Path:
    """Write rows; bytes go in as they are."""
    path.write_bytes(b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows))
    return path


def reasons(corpus: Corpus) -> dict[int, str]:
    return {row.line: row.reason for row in corpus.skipped}


def told(corpus: Corpus) -> str:
    """Return the rows of a corpus, and what was skipped."""
    rows = {name: corpus.dataset[name][:] for name in ("line", "id", "dialogue", "references", "topic", "prediction")}
    return drawn(corpus.name, rows, {"line": list(reasons(corpus)), "reason": list(reasons(corpus).values())})


def test_a_row_keeps_its_text(tmp_path: Path) -> None:
    row = {"id": "002", "dialogue": " #Person1#: NA\r\n", "summary": "NA", "topic": "007"}
    row |= {"extra": 3, "true": True, "nested": [1], "long": "x" * 101, "blank": " ", "none": None, "text": " a\n<b> "}
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", row))
    expected = {"id": "002", "dialogue": " #Person1#: NA\r\n", "references": ["NA"], "topic": "007"}
    assert corpus.dataset[0] == expected | {
        "prediction": None, "line": 1, "columns": '{"extra": "3", "true": "True", "text": "a <b>"}',
    }  # fmt: skip
    assert (corpus.name, corpus.skipped) == ("a.jsonl", ())
    text, number = datasets.Value("string"), datasets.Value("int64")
    features = dict.fromkeys(("id", "dialogue", "topic", "prediction", "columns"), text)
    assert dict(corpus.dataset.features) == features | {"references": datasets.List(text), "line": number}


def test_references_and_predictions(snapshot, tmp_path: Path) -> None:
    rows = [{"summary": "a"}, {"summary": "a", "prediction": "p"}, {"summary": "a", "prediction": None}]
    rows += [{"summary": "a", "prediction": " "}, {"summary1": "a", "summary2": " ", "summary3": "c"}]
    rows += [{"summary1": "a", "summary": "p"}, {"references": ["a", "b", ""]}, {"references": "a"}]
    rows += [{"references": [], "summary": "a"}, {"references": [""], "summary": "a"}]
    rows += [{"references": ["a"], "summary1": "b", "summary": "c"}, {"references": ["a"], "summary": ""}]
    rows += [{"references": ["a"], "summary": "s", "prediction": "p"}]
    found = load_corpus(
        jsonl(tmp_path / "a.jsonl", *({"dialogue": f"A: {n}", **row} for n, row in enumerate(rows)))
    ).dataset
    assert drawn({"row": rows} | {name: found[name][:] for name in ("references", "prediction")}) == snapshot


def test_lines_ids_and_blank_lines(snapshot, tmp_path: Path) -> None:
    """Missing ids are line numbers, and blank lines are no rows."""
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", GOOD, b"", b"{", OTHER, {**GOOD, "prediction": 3}, THIRD))
    assert set(corpus.sample(2, 0).dataset["line"][:]) < {1, 4, 6}
    first = b"\xef\xbb\xbf" + json.dumps(GOOD).encode()
    other = load_corpus(jsonl(tmp_path / "b.jsonl", first, b"", {**OTHER, "id": 7}, THIRD))
    assert (told(corpus), told(other)) == (snapshot, snapshot)
    # Limit counts usable rows.
    path = jsonl(tmp_path / "a.jsonl", b"{", GOOD, OTHER, THIRD, b"{", GOOD)
    corpus = load_corpus(path, limit=2)
    assert (len(corpus.dataset), list(reasons(corpus))) == (2, [1])
    most = FULL.summary_characters
    longest = {"dialogue": "x" * FULL.dialogue_characters, "references": ["x" * most], "prediction": "x" * (most + 1)}
    assert len(load_corpus(jsonl(tmp_path / "a.jsonl", longest)).dataset) == 1


def test_unusable_rows_are_reported(snapshot, tmp_path: Path) -> None:
    hi, long = {"dialogue": "A: hi"}, "x" * (FULL.dialogue_characters + 1)
    rows = [b"{", b"[" * 200_000, b'{"dialogue": ' + b"9" * 5000 + b"}", b"[1]", b"null"]
    rows += ['{"dialogue": "été"}'.encode()[:-4] + b'\xe9", "summary": "x"}', {"summary": "x"}, hi]
    rows += [hi | {"summary": " "}, *({"dialogue": dialogue, "summary": "x"} for dialogue in (None, " \n", [3], 3))]
    rows += [hi | {"summary": 3}, hi | {"references": ["x", 3]}, hi | {"references": {"a": "x"}}, GOOD | {"id": 1.5}]
    rows += [GOOD | {"id": True}, GOOD | {"topic": {}}, GOOD | {"dialogue": long}]
    rows += [GOOD | {"summary": long[: FULL.summary_characters + 1]}, GOOD | {"summary": "\ud800"}]
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", GOOD, *rows, OTHER))
    assert corpus.dataset["id"][:] == ["1", str(len(rows) + 2)] and len(corpus.skipped) == len(rows)
    assert not any("\n" in row.reason for row in corpus.skipped)
    assert drawn({"row": [str(row)[:50] for row in rows], "reason": [row.reason for row in corpus.skipped]}) == snapshot


def test_without_summaries(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", {"dialogue": "A: hi"}, {"dialogue": "", "summary": "x"}, OTHER)
    corpus = load_corpus(path, require_summaries=False)
    assert corpus.dataset["references"][:] == [[], ["B greets."]]
    assert list(reasons(corpus)) == [2]
    path = tmp_path / "a.csv"
    path.write_text("dialogue\nA: hi\n", encoding="utf-8")
    assert load_corpus(path, require_summaries=False).dataset[0]["references"] == []


def test_what_is_refused(snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = jsonl(tmp_path / "a.jsonl", GOOD)
    assert refusals(CorpusError, lambda limit: load_corpus(good, limit=limit), [0, -1, True, 1.5], tmp_path) == snapshot
    empty = [jsonl(tmp_path / f"{n}.jsonl", *rows) for n, rows in enumerate([(), (b"{", b"{}"), (b"\n\n",)])]
    assert refusals(CorpusError, load_corpus, empty, tmp_path) == snapshot
    (tmp_path / "a.doc").write_text("x", encoding="utf-8")
    cases = [tmp_path / "none.jsonl", "none/none.csv", "none.txt", tmp_path, tmp_path / "a.doc", "x" * 5000]
    assert refusals(CorpusError, load_corpus, cases, tmp_path) == snapshot
    refused(CorpusError, "split='test' is only for hub data sets", load_corpus, good, split="test")
    # A local file comes before the hub.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "set").write_text("x", encoding="utf-8")
    refused(CorpusError, "has the ending ''", load_corpus, "some/set")


def test_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode() + b"\n{\n"))
    corpus = load_corpus(str(path))
    assert (len(corpus.dataset), list(reasons(corpus))) == (1, [2])
    whole = gzip.compress(b"".join(json.dumps({**GOOD, "dialogue": f"A: {n}"}).encode() + b"\n" for n in range(2000)))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for data in (whole[:-20], bytes(flipped), json.dumps(GOOD).encode()):
        path.write_bytes(data)
        refused(CorpusError, "damaged or not gzip", load_corpus, path)


def test_csv(snapshot, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [["id", "dialogue", "summary", "topic"], ["002", "A: hi,\nB: “yo”", "NA", "x"], ["", "", "s", "x"]]
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows([*rows, ["z", "y" * 150_000, "s", ""]])
    assert told(load_corpus(path)) == snapshot
    wrong = b"dialogue,summary\nA: hi,good\n\ncaf\xe9,bad\nA: hi,too,many\nA: few\n"
    wrong += b'"A" x,quote\nA: hi,again\n"A: hi,never closed\nB: ho,not swallowed\n'
    for content in (wrong, b'dialogue,references\nA: hi,"[""a"", ""b""]"\nA: ho,plain\nA: hi,[broken\n'):
        path.write_bytes(content)
        assert told(load_corpus(path)) == snapshot

    def read(header):
        path.write_bytes(header.encode("latin-1") + b"\nA: hi,x\n")
        load_corpus(path)

    headers = ["", "dialogue,text", "summary", "\xff\xfe"]
    assert refusals(CorpusError, read, headers, tmp_path) == snapshot


def test_hub(snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load_dataset(name: str, *, split: str) -> datasets.Dataset:
        asked.append((name, split))
        return datasets.Dataset.from_list([{**GOOD, "id": "x"}, {"dialogue": "", "summary": "s", "id": "y"}])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    corpus = load_corpus("knkarthick/dialogsum")
    row = {"id": "x", "dialogue": "A: hi", "references": ["A greets."], "topic": ""}
    assert corpus.dataset.to_list() == [row | {"prediction": None, "columns": "{}", "line": 1}]
    assert reasons(corpus) == {2: "dialogue is empty"}
    assert load_corpus("knkarthick/dialogsum", split="test", limit=1).name == "knkarthick/dialogsum:test"
    assert asked == [("knkarthick/dialogsum", "validation"), ("knkarthick/dialogsum", "test")]
    other = datasets.Dataset.from_list([{"text": "x", "label": 1}])
    monkeypatch.setattr(datasets, "load_dataset", lambda name, split: other)
    refused(CorpusError, "no usable row .1 skipped; row 1: summary is empty.", load_corpus, "some/set")
    monkeypatch.setattr(datasets, "load_dataset", lambda name, split: other.rename_column("text", "x"))
    refused(UnknownColumnsError, "lacks columns. Received: 'x', 'label'", load_corpus, "some/set")

    def fail(error):
        monkeypatch.setattr(datasets, "load_dataset", Mock(side_effect=error))
        load_corpus("some/set", split="dev")

    cases = [ConnectionError("no\nroute"), FileNotFoundError(), ValueError("Unknown split")]
    assert refusals(CorpusError, fail, cases) == snapshot


def test_a_file_has_an_end_however_well_it_is_packed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    good = json.dumps(GOOD).encode() + b"\n"
    for name, data in (("rows", good * 11), ("broken", b"{\n" * 11), ("blank", good + b"\n" * 10)):
        path.write_bytes(gzip.compress(data))
        refused(CorpusError, "more than 10 lines", load_corpus, path, most_lines=10)
        load_corpus(path, most_lines=11) if name != "broken" else None
    path.write_bytes(gzip.compress(good + b"x" * 5000))
    refused(CorpusError, "more than 5,000 bytes of text", load_corpus, path, most_bytes=5000)


def test_a_sample_has_at_least_one_row(tmp_path: Path) -> None:
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", GOOD, OTHER))
    assert len(corpus.sample(1, 0).dataset) == 1
    refused(CorpusError, "at least 1 row. Received: 0", corpus.sample, 0, 0)
