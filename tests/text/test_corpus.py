"""Corpora: local files line by line, hub data sets through a stand-in."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import datasets
import pytest

from core.errors import CorpusError
from core.limits import FULL
from core.text.corpus import Corpus, load_corpus

GOOD = {"dialogue": "A: hi", "summary": "A greets."}


def jsonl(path: Path, *rows: Any) -> Path:
    """Write rows; bytes go in as they are."""
    path.write_bytes(b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows))
    return path


def reasons(corpus: Corpus) -> dict[int, str]:
    return {row.line: row.reason for row in corpus.skipped}


def test_a_row_keeps_its_text(tmp_path: Path) -> None:
    row = {"id": "002", "dialogue": " #Person1#: NA\r\n", "summary": "NA", "topic": "007", "extra": 3}
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", row))
    expected = {"id": "002", "dialogue": " #Person1#: NA\r\n", "references": ["NA"], "topic": "007"}
    assert corpus.dataset[0] == expected | {"prediction": None, "line": 1}
    assert (corpus.name, corpus.skipped) == ("a.jsonl", ())
    text, number = datasets.Value("string"), datasets.Value("int64")
    features = dict.fromkeys(("id", "dialogue", "topic", "prediction"), text)
    assert dict(corpus.dataset.features) == features | {"references": datasets.List(text), "line": number}


def test_references_and_predictions(tmp_path: Path) -> None:
    for fields, references, prediction in [
        ({"summary": "a"}, ["a"], None),
        ({"summary": "a", "prediction": "p"}, ["a"], "p"),
        ({"summary": "a", "prediction": None}, ["a"], None),
        ({"summary": "a", "prediction": " "}, ["a"], ""),
        ({"summary1": "a", "summary2": " ", "summary3": "c"}, ["a", "c"], None),
        ({"summary1": "a", "summary": "p"}, ["a"], "p"),
        ({"references": ["a", "b", ""]}, ["a", "b"], None),
        ({"references": "a"}, ["a"], None),
        ({"references": [], "summary": "a"}, ["a"], None),
        ({"references": [""], "summary": "a"}, ["a"], None),
        ({"references": ["a"], "summary1": "b", "summary": "c"}, ["a"], "c"),
        ({"references": ["a"], "summary": ""}, ["a"], ""),
        ({"references": ["a"], "summary": "s", "prediction": "p"}, ["a"], "p"),
    ]:
        (row,) = load_corpus(jsonl(tmp_path / "a.jsonl", {"dialogue": "A: hi", **fields})).dataset
        assert (row["references"], row["prediction"]) == (references, prediction), fields


def test_lines_ids_and_blank_lines(tmp_path: Path) -> None:
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", GOOD, b"", b"{", GOOD, {**GOOD, "prediction": 3}, GOOD))
    assert corpus.dataset["line"][:] == [1, 4, 6]
    assert reasons(corpus)[5] == "prediction must be text, not int"
    assert set(corpus.sample(2, 0).dataset["line"][:]) < {1, 4, 6}
    # Missing ids are line numbers and blank lines are no rows.
    first = b"\xef\xbb\xbf" + json.dumps(GOOD).encode()
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", first, b"", {**GOOD, "id": 7}, GOOD))
    assert corpus.dataset["id"][:] == ["1", "7", "4"]
    assert corpus.skipped == ()
    # Limit counts usable rows.
    path = jsonl(tmp_path / "a.jsonl", b"{", GOOD, GOOD, b"{", GOOD)
    corpus = load_corpus(path, limit=2)
    assert (len(corpus.dataset), list(reasons(corpus))) == (2, [1])
    assert (
        len(load_corpus(jsonl(tmp_path / "a.jsonl", {**GOOD, "dialogue": "x" * FULL.dialogue_characters})).dataset) == 1
    )


def test_unusable_rows_are_reported(tmp_path: Path) -> None:
    for row, reason in [
        (b"{", "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
        (b'{"dialogue": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"[1]", "not a JSON object but list"),
        (b"null", "not a JSON object but NoneType"),
        (b'{"dialogue": "caf\xe9", "summary": "x"}', "not UTF-8"),
        ({"summary": "x"}, "dialogue is missing"),
        ({"dialogue": None, "summary": "x"}, "dialogue is missing"),
        ({"dialogue": " \n", "summary": "x"}, "dialogue is empty"),
        ({"dialogue": ["A: hi"], "summary": "x"}, "dialogue must be text, not list"),
        ({"dialogue": 3, "summary": "x"}, "dialogue must be text, not int"),
        ({"dialogue": "A: hi"}, "summary is missing"),
        ({"dialogue": "A: hi", "summary": " "}, "summary is empty"),
        ({"dialogue": "A: hi", "summary": 3}, "summary must be text, not int"),
        ({"dialogue": "A: hi", "references": ["x", 3]}, "references must be text, not int"),
        ({"dialogue": "A: hi", "references": {"a": "x"}}, "references must be text, not dict"),
        ({**GOOD, "id": 1.5}, "id must be text, not float"),
        ({**GOOD, "id": True}, "id must be text, not bool"),
        ({**GOOD, "topic": ["x"]}, "topic must be text, not list"),
        ({**GOOD, "dialogue": "x" * (FULL.dialogue_characters + 1)}, "dialogue has 200,001 characters"),
        ({**GOOD, "summary": "x" * (FULL.dialogue_characters + 1)}, "summary has 200,001 characters"),
        ({**GOOD, "summary": "\ud800"}, "lone surrogate"),
    ]:
        corpus = load_corpus(jsonl(tmp_path / "a.jsonl", GOOD, row, GOOD))
        assert corpus.dataset["id"][:] == ["1", "3"], reason
        assert list(reasons(corpus)) == [2], reason
        assert reason in reasons(corpus)[2] and "\n" not in reasons(corpus)[2], reason


def test_without_summaries(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", {"dialogue": "A: hi"}, {"dialogue": "", "summary": "x"}, GOOD)
    corpus = load_corpus(path, require_summaries=False)
    assert corpus.dataset["references"][:] == [[], ["A greets."]]
    assert list(reasons(corpus)) == [2]
    path = tmp_path / "a.csv"
    path.write_text("dialogue\nA: hi\n", encoding="utf-8")
    assert load_corpus(path, require_summaries=False).dataset[0]["references"] == []


def test_what_is_refused(subtests: pytest.Subtests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in [0, -1, True, 1.5]:
        with subtests.test(limit=limit), pytest.raises(CorpusError, match=rf"Received: limit={limit!r}"):
            load_corpus(jsonl(tmp_path / "a.jsonl", GOOD), limit=limit)
    for rows in [[], [b"{", b"{}"], [b"\n\n"]]:
        with subtests.test(rows=rows), pytest.raises(CorpusError, match="no usable row"):
            load_corpus(jsonl(tmp_path / "a.jsonl", *rows))
    (tmp_path / "a.parquet").write_text("x", encoding="utf-8")
    for source, said in [
        (tmp_path / "none.jsonl", "does not exist"),
        ("none/none.csv", "does not exist"),
        ("none.txt", "does not exist"),
        (tmp_path, "is a folder"),
        (tmp_path / "a.parquet", "has the ending '.parquet'"),
        ("x" * 5000, "is no file name"),
    ]:
        with subtests.test(source=source), pytest.raises(CorpusError, match=said) as caught:
            load_corpus(source)
        assert "Allowed: a local .jsonl, .jsonl.gz or .csv file" in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(CorpusError, match="split='test' is only for hub data sets"):
        load_corpus(jsonl(tmp_path / "a.jsonl", GOOD), split="test")
    # A local file comes before the hub.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "set").write_text("x", encoding="utf-8")
    with pytest.raises(CorpusError, match="has the ending ''"):
        load_corpus("some/set")


def test_gzip(subtests: pytest.Subtests, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode() + b"\n{\n"))
    corpus = load_corpus(str(path))
    assert (len(corpus.dataset), list(reasons(corpus))) == (1, [2])
    whole = gzip.compress(b"".join(json.dumps({**GOOD, "id": str(n)}).encode() + b"\n" for n in range(2000)))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for data in (whole[:-20], bytes(flipped), json.dumps(GOOD).encode()):
        path.write_bytes(data)
        with subtests.test(data=data), pytest.raises(CorpusError, match="damaged or not gzip"):
            load_corpus(path)


def test_csv(subtests: pytest.Subtests, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "dialogue", "summary", "topic"])
        writer.writerow(["002", "A: hi,\nB: “yo”", "NA", "x"])
        writer.writerow(["", "", "s", "x"])
        writer.writerow(["z", "y" * 150_000, "s", ""])
    corpus = load_corpus(path)
    expected = {"id": "002", "dialogue": "A: hi,\nB: “yo”", "references": ["NA"], "topic": "x"}
    assert corpus.dataset[0] == expected | {"prediction": None, "line": 2}
    assert corpus.dataset["id"][:] == ["002", "z"]
    assert reasons(corpus) == {4: "dialogue is empty"}
    path.write_bytes(
        b"dialogue,summary\nA: hi,good\n\ncaf\xe9,bad\nA: hi,too,many\nA: few\n"
        b'"A" x,quote\nA: hi,good\n"A: hi,never closed\nA: hi,swallowed\n'
    )
    corpus = load_corpus(path)
    assert corpus.dataset["id"][:] == ["2", "8"]
    found = reasons(corpus)
    assert list(found) == [4, 5, 6, 7, 9]
    assert (found[4], found[5], found[6]) == ("not UTF-8", "3 fields where the header has 2", "summary is missing")
    assert "not valid CSV" in found[7] and "read to line 10" in found[9]
    path.write_text('dialogue,references\nA: hi,"[""a"", ""b""]"\nA: hi,plain\nA: hi,[broken\n', encoding="utf-8")
    corpus = load_corpus(path)
    assert corpus.dataset["references"][:] == [["a", "b"], ["plain"]]
    assert "JSON list" in reasons(corpus)[4]
    for header in ["", "dialogue;summary", "dialogue,text", "summary", "\xff\xfe"]:
        path.write_bytes(header.encode("latin-1") + b"\nA: hi,x\n")
        refusal = "lacks columns.*Needed .*commas.*: dialogue, and summary"
        with subtests.test(header=header), pytest.raises(CorpusError, match=refusal):
            load_corpus(path)


def test_hub(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load_dataset(name: str, *, split: str) -> datasets.Dataset:
        asked.append((name, split))
        return datasets.Dataset.from_list([{**GOOD, "id": "x"}, {"dialogue": "", "summary": "s", "id": "y"}])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    corpus = load_corpus("knkarthick/dialogsum")
    row = {"id": "x", "dialogue": "A: hi", "references": ["A greets."], "topic": ""}
    assert corpus.dataset.to_list() == [row | {"prediction": None, "line": 1}]
    assert reasons(corpus) == {2: "dialogue is empty"}
    assert load_corpus("knkarthick/dialogsum", split="test", limit=1).name == "knkarthick/dialogsum:test"
    assert asked == [("knkarthick/dialogsum", "validation"), ("knkarthick/dialogsum", "test")]
    other = datasets.Dataset.from_list([{"text": "x", "label": 1}])
    monkeypatch.setattr(datasets, "load_dataset", lambda name, split: other)
    with pytest.raises(CorpusError, match="lacks columns. Received: 'text, label'"):
        load_corpus("some/set")
    for error in [ConnectionError("no\nroute"), FileNotFoundError(), ValueError("Unknown split")]:

        def load_dataset(name: str, *, split: str, error: Exception = error) -> datasets.Dataset:
            raise error

        monkeypatch.setattr(datasets, "load_dataset", load_dataset)
        with (
            subtests.test(error=error),
            pytest.raises(CorpusError, match=r"'some/set' \(split 'dev'\).*network connection, or a local") as caught,
        ):
            load_corpus("some/set", split="dev")
        assert "\n" not in str(caught.value)


def test_a_file_has_an_end_however_well_it_is_packed(subtests: pytest.Subtests, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    good = json.dumps(GOOD).encode() + b"\n"
    for name, data in (("rows", good * 11), ("broken", b"{\n" * 11), ("blank", good + b"\n" * 10)):
        path.write_bytes(gzip.compress(data))
        with subtests.test(name), pytest.raises(CorpusError, match="more than 10 lines"):
            load_corpus(path, most_lines=10)
        load_corpus(path, most_lines=11) if name != "broken" else None
    path.write_bytes(gzip.compress(good + b"x" * 5000))
    with pytest.raises(CorpusError, match="more than 5,000 bytes of text"):
        load_corpus(path, most_bytes=5000)


def test_a_sample_has_at_least_one_row(tmp_path: Path) -> None:
    corpus = load_corpus(jsonl(tmp_path / "a.jsonl", GOOD, GOOD))
    assert len(corpus.sample(1, 0).dataset) == 1
    with pytest.raises(CorpusError, match="at least 1 row. Received: 0"):
        corpus.sample(0, 0)
