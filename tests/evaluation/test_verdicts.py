"""Labels of a reader: how tags, hints and marked words go together."""

import pytest

from core import words
from core.errors import CorpusError
from core.evaluation import verdicts
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import LONGEST_NOTE, MOST_TAGS, Entry, Mark, mark_of, name_of
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.scoring.agreement import MISSING
from tests.refusals import refused

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


def test_words_of_errors_are_rated_for_each_type() -> None:
    said = Entry().marked(Mark("Invented", 0, 5)).marked(Mark("Missing", 0, 0, ((0, 0, 2),))).judged(NUMBER, "right")
    rated = said.words(ROW.summary)
    assert (rated["invented"], rated["wrong_number"], rated["any"]) == ([1, 0, 0, 0], [0, 0, 1, 1], [1, 0, 1, 1])
    assert rated["missing"] == [MISSING] * 4 and rated["negation"] == [0] * 4
    assert Entry().tagged("Invented", True).words(ROW.summary)["any"] == [MISSING] * 4


def test_too_many_tags_and_too_long_ones_are_refused() -> None:
    refused(CorpusError, "at most 12 tags. Received: 13", verdicts.check_tags, [f"{n}" for n in range(13)])
    refused(CorpusError, "at most 40 characters. Received: 41", verdicts.check_tags, ["x" * 41])


def test_words_that_an_error_is_about_come_and_go_with_its_tag() -> None:
    first, second = Mark("Invented", 0, 5, ((0, 0, 2),)), Mark("Invented", 6, 10)
    said = Entry(correct=True).marked(first).marked(second)
    assert said.tags == ("Invented",) and said.marks == (first, second) and not said.correct
    assert said.errors == {"invented"} and said.judged(NUMBER, "right").errors == {"invented", "wrong_number"}
    assert said.marked(first).marks == (second,) and said.marked(first).marked(second).empty
    assert said.tagged("Invented", False).empty and said.found_correct(True) == Entry(correct=True)
    full = Entry().worded([f"{n}" for n in range(MOST_TAGS)], "")
    assert full.marked(first) == full


@pytest.mark.parametrize("words", [[], [(-1, 5, 5)], [(-1, 0, 23)], [(0, 0, 7)], [(1, 0, 1)], [(0, 0, 1), (0, 1, 2)]])
def test_words_that_are_not_there_make_no_mark(words) -> None:
    assert mark_of(ROW, "Invented", words) is None
    assert mark_of(ROW, "Invented", [(0, 0, 3), (-1, 0, 5)]) == Mark("Invented", 0, 5, ((0, 0, 3),))


def test_a_name_is_kept_on_one_line_without_what_cannot_be_seen() -> None:
    assert name_of(" Anna\n\u202e\tB ") == "Anna B" and name_of("\0") == "" and len(name_of("n " * 99)) < 41


def test_an_error_type_is_the_same_tag_in_every_language(monkeypatch):
    tag = next(iter(verdicts.ERROR_TAGS))
    monkeypatch.setitem(words._catalogues, "tr", {tag: "Yanlış kişi", "no error": "hata yok"})
    assert verdicts.tag_of("Yanlış kişi") == verdicts.tag_of(tag) == tag and verdicts.tag_of("mine") == "mine"
    with words.speaking("tr"):
        assert verdicts.tag_name(tag) == "Yanlış kişi" and verdicts.tag_name("mine") == "mine"
        assert str(Entry(tags=(tag,), correct=True)) == "hata yok; Yanlış kişi"
