"""Files of all kinds that hold dialogues, with or without summaries, and what is wrong with them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.config import DecodeSettings
from core.errors import CorpusError, DialogueError
from core.evaluation import intake
from core.evaluation.label_file import rows_to_jsonl
from core.evaluation.local import fill_rows
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Entry, subject
from core.service import Summarizer
from core.text.corpora.columns import UnknownColumnsError
from core.text.examples import load_examples
from tests.refusals import refusals, refused

DIALOGUES = ("Anna: Hi.\nBen: Hello.", "Cleo: One.\nDan: Two.", "Eve: Red.\nFay: Blue.")


def content(predictions: bool, ids: tuple[str, ...] = ("a", "b", "c")) -> bytes:
    rows = [
        {"id": id, "dialogue": text, "summary": f"reference {id}"}
        | ({"prediction": f"own {id}"} if predictions else {})
        for id, text in zip(ids, DIALOGUES, strict=True)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_predictions_come_with_the_dialogues_or_do_not(set_limits: Callable[..., None]) -> None:
    found = intake.bundled()
    assert [row.id for row in found.rows] == [each.id for each in load_examples()]
    assert not any(found.given) and {row.summary for row in found.rows} == {""}
    with_them, without = intake.read("a.jsonl", content(True)), intake.read("a.jsonl", content(False))
    assert [row.summary for row in with_them.rows] == ["own a", "own b", "own c"] and all(with_them.given)
    assert [row.summary for row in without.rows] == ["", "", ""] and not any(without.given)
    assert [row.dialogue for row in without.rows] == list(DIALOGUES)
    assert [row.references for row in with_them.rows] == [("reference a",), ("reference b",), ("reference c",)]
    assert with_them.key != without.key and with_them.key == intake.read("b.jsonl", content(True)).key
    # Of more rows than are kept the others are counted.
    set_limits(corpus_rows=2)
    few = intake.read("a.jsonl", content(True))
    set_limits()
    assert len(few.rows) == len(few.given) == 2 and few.left_out == 1
    # The summaries of a file for another file's dialogues, in that file's order; the same id may be another dialogue.
    other = replace(without, rows=(without.rows[2], without.rows[0], replace(without.rows[1], dialogue="Cleo: Three.")))
    matched = with_them.of_the_dialogues(other)
    assert [row.summary for row in matched.rows] == ["own c", "own a"] and matched.given == (True, True)


def test_broken_rows_are_named_and_no_two_ids_are_the_same() -> None:
    text = "id,dialogue,summary\na,A: Hello.,Hi\nb,,Nothing said\nc,B: One,two,three\nd,C: Bye.,They part\n,D: Stop.,\n"
    found = intake.read("talks.csv", text.encode())
    assert [row.id for row in found.rows] == ["a", "d", "6"]  # a dialogue without a summary can still be summarized
    assert [(row.line, row.reason) for row in found.skipped] == [
        (3, "dialogue is empty"), (4, "4 fields where the header has 3")
    ]  # fmt: skip
    assert found.rows[0].references == ("Hi",) and found.rows[2].references == ()
    twice = intake.read("a.jsonl", content(True, ("a", "a", "a (2)")))
    assert [row.id for row in twice.rows] == ["a", "a (3)", "a (2)"] and twice.renamed == (("a", "a (3)"),)


def test_columns_are_chosen_and_what_was_read_is_said() -> None:
    text = "nr;chat ;kurz\n1;A: Hi.;Hi\n2;A: Hi.;Hello\n3;;x\n".encode("utf-16")
    assert intake.columns_in("a.csv", text) == ["nr", "chat", "kurz"]
    with pytest.raises(UnknownColumnsError, match="'rows.csv'") as error:
        intake.read("rows.csv", b"nr,gerede\n1,2\n")
    assert error.value.columns == ("nr", "gerede")
    found = intake.read("a.csv", text, {"summary": "kurz", "id": "nr"})
    assert [(row.id, row.references) for row in found.rows] == [("1", ("Hi", "Hello"))]
    assert found.notes[:2] == (
        "2 rows taken, 1 of them joined to an earlier row of the same dialogue, 1 skipped", "read as UTF-16"
    )  # fmt: skip
    assert intake.columns_in("a.jsonl", b'\n{"b": 1, "a": 2}\n') == ["b", "a"] and intake.columns_in("a.txt", b"") == []


def test_what_evaluate_wrote_keeps_scores_tokens_and_hints(row: ScoredSummary) -> None:
    found = intake.read("run.jsonl", (json.dumps(row.to_dict()) + "\n").encode())
    assert found.rows == (row,) and found.given == (True,) and not found.labels
    said = Entry(writer="x").worded(["odd"], "a note").judged(row.faults[0], "wrong")
    labelled = intake.read("rows.jsonl", rows_to_jsonl([(row, row.faults, said)]).encode())
    assert labelled.rows == (row,) and labelled.labels == {"": {subject(row): said}}


def test_what_is_no_corpus_is_refused_without_a_path_of_this_machine(snapshot) -> None:
    cases = [("a.txt", b"Hello"), ("a.jsonl", b""), ("a.jsonl", b"\xff\xfe\x00")]
    cases += [("a.jsonl", b'{"id": "1", "summary": "x", "labels": []}'), ("a.csv", b"name,when\n1,2\n")]
    cases += [("a.jsonl.gz", b"not gzip"), ("../../etc/a.csv", b"dialogue\n")]
    assert refusals(CorpusError, intake.read, cases) == snapshot


def test_a_file_may_have_a_name_that_this_machine_could_not_use() -> None:
    for name in ("a" * 300 + ".jsonl", "a\0b.jsonl", "con/..\\a:b.jsonl", "a.b.c.jsonl"):
        found = intake.read(name, content(True))
        assert len(found.rows) == 3 and name.endswith(found.name[-80:]), name
    refused(CorpusError, "'..' has the ending ''", intake.read, "..", content(True))


def test_known_summaries_are_scored_and_the_model_writes_the_others(
    data: Path, row: ScoredSummary, tiny: Summarizer
) -> None:
    rows = dict(enumerate(intake.read(data.name, data.read_bytes()).rows[:3]))
    rows[1] = replace(rows[1], summary="They talk.")
    settings = DecodeSettings(max_tokens=16)
    found = fill_rows(rows | {7: row}, {0, 2}, tiny, settings, alone=True)
    assert found[7] == row  # it has scores
    assert found[1].summary == "They talk." and found[1].rouge and found[1].log_probability is None
    assert found[0].summary and found[0].rouge and found[0].tokens and found[2].attention
    refused = fill_rows(rows, {0}, tiny, settings.replace(truncation="error"), alone=True)
    assert isinstance(refused[0], DialogueError) and refused[2].summary == ""
    assert fill_rows({1: rows[1]}, (), None, None, alone=True) == {1: found[1]}
