"""Files of labels: what is written is read again, in both forms; what is damaged or about other words is named."""

import csv
import io
import json
from dataclasses import replace

import pytest

from core.errors import CorpusError
from core.evaluation import label_file
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Entry, Mark, subject
from core.faults import evidence
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.faults.labels import LABELS, LABELS_FILE, Label, read_labels
from core.scoring.agreement import of_labels
from tests.closeness import printed
from tests.refusals import refusals

DIALOGUE = 'Anna: Hi, = you.\nBen: \'=Zelda, "no"; \u00e9 \U0001f600!\n\nAnna: bye'
ROW = ScoredSummary("=1+1", DIALOGUE, (), "", "Zelda paid Zelda 90 dollars.\r\nx")
OTHER = replace(ROW, id="b", summary="No.")
WEAK = Fault("low_confidence", 6, 10, (), Evidence(""), 0.1 + 0.2)
NAME = Fault("novel_name", 0, 5, (0, 1), evidence.of("in_a_row", word="x"), None)
SAID = (
    Entry(writer="-x.jsonl")
    .worded(["Invented", "=my; own", "'=odd"], 'a \u201cnote\u201d,\n"=2"\r\nq')
    .judged(NAME, "right")
    .judged(WEAK, "wrong")
    .marked(Mark("Wrong number", 17, 19, ((1, 0, 7), (0, 0, 2))))
    .marked(Mark("Wrong number", 11, 16))
    .marked(Mark("Missing", 0, 0, ((2, 0, 3),)))
)
BOOKS = {
    "": {subject(ROW): SAID, subject(OTHER): Entry(correct=True)},
    "Anna <b>": {subject(ROW): Entry().worded([], "n")},
    "=B": {subject(OTHER): Entry(correct=True, writer="1")},
}
WRITERS = [label_file.to_jsonl, label_file.to_csv]


@pytest.mark.parametrize("write", WRITERS)
def test_what_is_read_is_what_was_written(write) -> None:
    assert label_file.read(write(BOOKS), [ROW, OTHER]) == (BOOKS, 0, [])
    assert label_file.read(write(BOOKS), [OTHER])[1:] == (2, [])


def test_a_spreadsheet_may_sort_the_lines_and_write_another_separator() -> None:
    rows = list(csv.reader(io.StringIO(label_file.to_csv(BOOKS), newline="")))
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows([rows[0], *rows[:0:-1]])
    books = label_file.read("\ufeff" + text.getvalue(), [ROW, OTHER])[0]
    assert {name: set(book) for name, book in books.items()} == {name: set(book) for name, book in BOOKS.items()}
    said = books[""][subject(ROW)]
    assert set(said.marks) == set(SAID.marks) and said.verdicts == SAID.verdicts and said.note == SAID.note


def test_a_file_is_a_labelled_set_and_the_one_that_ships_is_read(tmp_path) -> None:
    (tmp_path / "labels.jsonl").write_text(label_file.to_jsonl({"": BOOKS[""]}), newline="")
    first, second = read_labels(tmp_path / "labels.jsonl")
    assert Label("wrong_number", "Zelda", 2) in first.labels and Label("invented") in first.labels
    assert second.labels == () and len(first.labels) == 5
    books, _, _ = label_file.read(LABELS_FILE.read_text(encoding="utf-8"), None)
    for said, row in zip(books[""].values(), read_labels(), strict=True):
        places = {(LABELS[label.type].label, *row.span(label)) for label in row.labels if label.text}
        assert places == {(mark.tag, mark.start, mark.end) for mark in said.marks}
        assert said.errors == {label.type for label in row.labels} and said.correct == (not row.labels)


def test_the_second_reading_that_ships_agrees_as_published() -> None:
    path = LABELS_FILE.with_name("second_reading.jsonl")
    first, second = (label_file.read(each.read_text(encoding="utf-8"), None)[0] for each in (LABELS_FILE, path))
    (name,) = second
    said = {
        who: {about: entry.errors for about, entry in book.items() if entry.decided}
        for who, book in (("first", first[""]), ("second", second[name]))
    }
    assert said["second"].keys() <= said["first"].keys() and "language model" in name
    assert not any(mark.passages for entry in second[name].values() for mark in entry.marks)
    every, person, *_ = of_labels(said, LABELS)
    assert (every.units, every.found, person.kind, person.found) == (83, (70, 66), "wrong_speaker", (32, 26))
    printed([every.value, every.low, every.high, person.value], [0.84, 0.65, 0.97, 0.79], 2)


def test_a_file_of_the_version_before_is_read() -> None:
    lines = [json.loads(line) for line in label_file.to_jsonl({"": {subject(ROW): SAID}}).splitlines()]
    older = lines[0] | {"labels": [{"type": "invented", "text": "Zelda"}, {"type": "invented", "text": ""}]}
    del older["format"], older["annotator"]
    want = replace(SAID, marks=())
    assert label_file.read(json.dumps(older), [ROW])[0] == {"": {subject(ROW): want}}


def test_whole_rows_hold_labels_and_the_hints_that_nobody_judged() -> None:
    rows = label_file.rows_to_jsonl([(ROW, [NAME, WEAK], SAID)], "Anna")
    assert label_file.read(rows, [ROW]) == ({"Anna": {subject(ROW): SAID}}, 0, [])
    rows = label_file.rows_to_jsonl([(ROW, [NAME], Entry())])
    assert json.loads(rows)["faults"][0]["verdict"] == "" and label_file.read(rows, [ROW]) == ({}, 0, [])


def test_labels_of_words_that_have_changed_are_named(snapshot) -> None:
    text = label_file.to_jsonl({"Anna": BOOKS[""]})
    for row in (replace(ROW, dialogue=DIALOGUE.replace("'=Zelda", "Zoe is")), replace(ROW, summary="Zelda paid.")):
        books, others, changed = label_file.read(text, [row, OTHER])
        assert (list(books["Anna"]), others) == ([subject(OTHER)], 0)
        assert changed == snapshot


def line(**change: object) -> str:
    good = {"id": 1, "summary": "some words", "labels": [], "tags": ["x"], "note": ""}
    return json.dumps(good | change)


def label(**change: object) -> str:
    return line(labels=[{"type": "missing", "text": "some", "start": 0, "end": 4} | change])


PASSAGE = {"turn": 0, "start": 0, "end": 3, "text": "Hi,"}
BAD = {
    "an array": "[]",
    "half a line": '{"id": 1, "summa',
    "no summary": '{"id": 1}',
    "half a character": line(id="\ud800"),
    "a newer version": line(format=3),
    "a name on two lines": line(annotator="a\nb"),
    "a name that is no text": line(annotator=7),
    "labels that are no list": line(labels=7),
    "an unknown kind": label(type="<b>silly"),
    "a span outside": label(end=40),
    "a span before": label(start=-1),
    "other words": label(text="none"),
    "no such occurrence": line(labels=[{"type": "missing", "text": "some", "occurrence": 2}]),
    "a passage backwards": label(dialogue=[PASSAGE | {"start": 4}]),
    "a passage without words": label(dialogue=[{"turn": 0}]),
    "too many words": line(labels=json.loads(label())["labels"] * 101),
    "a hint outside": line(hints=[NAME.to_dict() | {"end": 40, "verdict": "confirmed"}]),
    "an unknown verdict": line(hints=[NAME.to_dict() | {"end": 4, "verdict": "maybe"}]),
    "a table of something else": "id,summary\n1,2\n",
    "half a table": label_file.to_csv(BOOKS)[:-30],
    "a table that contradicts itself": label_file.to_csv(BOOKS) + "2,=B,b,2,No.,,yes" + "," * 13,
}


def test_what_holds_no_labels_is_refused_with_its_line_and_the_reason(snapshot) -> None:
    assert refusals(CorpusError, lambda bad: label_file.read(bad, [ROW]), BAD) == snapshot


@pytest.mark.parametrize("write", WRITERS)
def test_ten_thousand_rows_are_read(write) -> None:
    rows = [replace(OTHER, id=f"{number}") for number in range(10_000)]
    books = {"Anna": {subject(row): Entry(correct=True) for row in rows}}
    assert label_file.read(write(books), rows) == (books, 0, [])
