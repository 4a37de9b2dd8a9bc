"""Labels of a reader: what they become in a file, and what a file may hold."""

import json
from dataclasses import replace

from core import words
from core.errors import CorpusError
from core.evaluation import verdicts
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import LONGEST_NOTE, MOST_TAGS, Entry, subject
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.faults.labels import Label, read_labels
from tests.figures.drawing import drawn
from tests.refusals import refusals, refused

ROW = ScoredSummary("row", "A: Hi.", (), "", "Zelda paid 90 dollars.")
NAME, NUMBER = Fault("novel_name", 0, 5, (), Evidence("new")), Fault("number_mismatch", 11, 21, (0,), Evidence("other"))
WEAK = Fault("low_confidence", 6, 10, (), Evidence("unsure"), 0.1)
SAID = Entry(writer="others.jsonl").worded(["wrong person", " ", "wrong  person"], " Anna, not Ben ")


def test_verdicts_tags_and_notes_are_put_together() -> None:
    said = SAID.judged(NAME, "right").judged(NUMBER, "right").judged(NUMBER, "wrong")
    assert (said.verdict(Fault("novel_name", 0, 5, (3,), Evidence(""))), said.verdict(NUMBER)) == ("right", "wrong")
    assert said.verdict(WEAK) == "" and str(said) == "1 confirmed; 1 rejected; wrong person; Anna, not Ben"
    assert said.tags == ("wrong person",) and said.judged(NAME, "").judged(NUMBER, "") == SAID
    assert Entry().empty and not SAID.empty and Entry().worded(["  "], " ").empty
    long = Entry().worded([f"{n}" * 50 for n in range(20)], "n" * 3000)
    assert len(long.tags) == MOST_TAGS and len(long.tags[0]) == 40 and len(long.note) == LONGEST_NOTE


def test_a_file_of_labels_is_read_again_and_is_a_labelled_set(snapshot) -> None:
    said = SAID.judged(NAME, "right").judged(NUMBER, "wrong").judged(WEAK, "right")
    book = {subject(ROW): said}
    # Low confidence names no error: it becomes no label.
    assert drawn(verdicts.to_jsonl(book), verdicts.to_csv(book), verdicts.to_csv({subject(ROW): SAID})) == snapshot
    assert verdicts.read(verdicts.to_jsonl(book), [ROW]) == (book, 0)
    assert verdicts.read(verdicts.to_jsonl(book), []) == ({}, 1)
    # Whole rows hold them, too, with the hints that nobody judged.
    rows = verdicts.rows_to_jsonl([(ROW, [NAME, NUMBER, WEAK], said)])
    assert [hint["verdict"] for hint in json.loads(rows)["faults"]] == ["confirmed", "rejected", "confirmed"]
    assert verdicts.read(rows, [ROW]) == (book, 0)
    rows = verdicts.rows_to_jsonl([(ROW, [NAME], Entry())])
    assert json.loads(rows)["faults"][0]["verdict"] == "" and verdicts.read(rows, [ROW]) == ({}, 0)


def test_error_tags_and_no_error_exclude_each_other() -> None:
    said = SAID.judged(NAME, "right").judged(NUMBER, "wrong").tagged("Invented", True)
    correct = said.found_correct(True)
    assert said.decided and correct.decided and not SAID.worded([], "only a note").decided
    assert (correct.tags, list(correct.verdicts.values())) == (("wrong person",), ["wrong"])
    assert str(correct) == "no error; 1 rejected; wrong person; Anna, not Ben"
    assert correct.tagged("odd", True).correct and not correct.found_correct(False).correct
    assert not correct.tagged("Invented", True).correct and not correct.judged(NAME, "right").correct
    assert said.tagged("Invented", False) == SAID.judged(NAME, "right").judged(NUMBER, "wrong")
    assert not Entry(correct=True).empty and Entry(correct=True).decided


def test_error_tags_become_labels_of_the_labelled_set(tmp_path) -> None:
    other = replace(ROW, id="other")
    book = {
        subject(ROW): SAID.judged(NAME, "right").tagged("Wrong number", True),
        subject(other): Entry(writer="x", correct=True),
    }
    (tmp_path / "labels.jsonl").write_text(verdicts.to_jsonl(book))
    first, second = read_labels(tmp_path / "labels.jsonl")
    assert first.labels == (Label("invented", "Zelda"), Label("wrong_number")) and second.labels == ()
    assert verdicts.read(verdicts.to_jsonl(book), [ROW, other]) == (book, 0)
    assert verdicts.to_csv(book).splitlines()[-1] == "other,Zelda paid 90 dollars.,,,,,,,yes"
    assert verdicts.read(verdicts.rows_to_jsonl([(other, [], Entry(correct=True))]), [other])[0][subject(other)].correct


def test_too_many_tags_and_too_long_ones_are_refused() -> None:
    refused(CorpusError, "at most 12 tags. Received: 13", verdicts.check_tags, [f"{n}" for n in range(13)])
    refused(CorpusError, "at most 40 characters. Received: 41", verdicts.check_tags, ["x" * 41])


HALF = json.dumps({"id": "\ud800", "summary": "s", "labels": [], "tags": ["x"], "note": ""})
"""A line with half of a character pair, which no page could show."""


def test_what_holds_no_labels_is_refused_with_its_line(snapshot) -> None:
    good = verdicts.to_jsonl({subject(ROW): SAID.judged(NAME, "right")})
    cases = ["[]", "{", '{"id": "x"}', good.replace("confirmed", "maybe"), good.replace('"end": 5', '"end": 500')]
    cases += [HALF]
    assert refusals(CorpusError, lambda bad: verdicts.read(good + bad, [ROW]), cases) == snapshot


def test_an_error_type_is_the_same_tag_in_every_language(monkeypatch):
    tag = next(iter(verdicts.ERROR_TAGS))
    monkeypatch.setitem(words._catalogues, "tr", {tag: "Yanlış kişi", "no error": "hata yok"})
    assert verdicts.tag_of("Yanlış kişi") == verdicts.tag_of(tag) == tag and verdicts.tag_of("mine") == "mine"
    with words.speaking("tr"):
        assert verdicts.tag_name(tag) == "Yanlış kişi" and verdicts.tag_name("mine") == "mine"
        assert str(Entry(tags=(tag,), correct=True)) == "hata yok; Yanlış kişi"
