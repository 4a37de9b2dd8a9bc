"""Where the examples of the Errors page come from: files of all kinds, and what is wrong with them."""

import json

import pytest

from core.errors import CorpusError
from core.evaluation.rows import ScoredSummary, WrittenToken
from core.faults.fault import Fault
from core.scoring.rouge import Rouge
from core.text.examples import load_examples
from pages.parts.errors import data
from tests.pages.errors import DIALOGUES, OWN, REFERENCES, lines


def test_the_bundled_dialogues_have_no_summaries_yet():
    found = data.bundled()
    assert [row.id for row in found.rows] == [each.id for each in load_examples()]
    assert not any(found.given) and {row.summary for row in found.rows} == {""}


def test_a_csv_with_broken_rows_names_each_of_them():
    text = "id,dialogue,summary\na,A: Hello.,Hi\nb,,Nothing said\nc,B: One,two,three\nd,C: Bye.,They part\n,D: Stop.,\n"
    found = data.read("talks.csv", text.encode())
    assert [row.id for row in found.rows] == ["a", "d", "6"]  # a dialogue without a summary can still be summarised
    assert [(row.line, row.reason) for row in found.skipped] == [
        (3, "dialogue is empty"), (4, "4 fields where the header has 3")
    ]  # fmt: skip
    assert found.rows[0].references == ("Hi",) and found.rows[2].references == ()


def test_predictions_come_with_the_dialogues_or_do_not():
    with_them, without = data.read("a.jsonl", lines().encode()), data.read("a.jsonl", lines(False).encode())
    assert [row.summary for row in with_them.rows] == list(OWN) and all(with_them.given)
    assert [row.summary for row in without.rows] == ["", "", ""] and not any(without.given)
    assert [row.dialogue for row in without.rows] == list(DIALOGUES)
    assert [row.references for row in with_them.rows] == [(text,) for text in REFERENCES]
    assert with_them.key != without.key and with_them.key == data.read("b.jsonl", lines().encode()).key


def test_what_evaluate_wrote_keeps_scores_tokens_and_hints():
    row = ScoredSummary(
        "x", DIALOGUES[0], REFERENCES[:1], "", OWN[0], Rouge(1.0, 2.0, 3.0), None, -4.0, 0.5, False,
        (WrittenToken("Ben", 0, 3, 0.25, 1.5),), (0.5, 0.25, 0.25), (Fault("novel_word", 0, 3, (), "because"),),
    )  # fmt: skip
    found = data.read("run.jsonl", (json.dumps(row.to_dict()) + "\n").encode())
    assert found.rows == (row,) and found.given == (True,)


def test_more_rows_than_the_page_takes_are_counted(monkeypatch):
    monkeypatch.setattr(data, "MOST_ROWS", 2)
    found = data.read("a.jsonl", lines().encode())
    assert len(found.rows) == len(found.given) == 2 and found.left_out == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"Hello", "ending '.txt'"),
        ("a.jsonl", b"", "no usable row"),
        ("a.jsonl", b"\xff\xfe\x00", "no usable row"),
        ("a.csv", b"name,text\n1,2\n", "lacks columns"),
        ("a.jsonl.gz", b"not gzip", "damaged or not gzip"),
        ("../../etc/a.csv", b"dialogue\n", "no usable row"),
    ],
)
def test_what_is_no_corpus_is_refused_without_a_path_of_this_machine(name, content, message):
    with pytest.raises(CorpusError, match=message) as error:
        data.read(name, content)
    assert "/tmp" not in str(error.value) and "etc" not in str(error.value)


def test_the_data_folder_is_a_setting(monkeypatch, tmp_path):
    monkeypatch.delenv(data.FOLDER, raising=False)
    assert data._folder() is None
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    assert data._folder() is None
    file = tmp_path / "data" / "dialogsum" / "validation.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(lines(False))
    assert data._folder() == file
