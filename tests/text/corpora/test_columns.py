"""Columns: the names that data sets use, and those that somebody chose."""

import pytest

from core.errors import CorpusError
from core.text.corpora.columns import Columns, UnknownColumnsError, check_columns, columns_of, read_choice
from tests.refusals import refusals, refused

NAMES = {
    "SAMSum": (("id", "summary", "dialogue"), Columns("dialogue", "summary", id="id")),
    "DialogSum": (
        ("fname", "dialogue", "summary2", "topic2", "summary1", "topic1"),
        Columns("dialogue", "", "", ("summary1", "summary2"), "", "fname", ("topic1", "topic2")),
    ),
    "CNN/DailyMail": (("id", "article", "highlights"), Columns("article", "highlights", id="id")),
    "capitals": (("Id", "Dialogue", "SUMMARY"), Columns("Dialogue", "SUMMARY", id="Id")),
    "spaces and dashes": (("Input Text", "gold-summary"), Columns("Input Text", "gold-summary")),
    "MTS-Dialog": (
        ("ID", "section_header", "section_text", "dialogue"),
        Columns("dialogue", "section_text", id="ID", topics=("section_header",)),
    ),
    "ACI-Bench": (
        ("dataset", "encounter_id", "dialogue", "note"), Columns("dialogue", "note", id="encounter_id")
    ),
    "pairs": (("source", "target"), Columns("source", "target")),
    "the usual name before others": (("text", "dialogue", "label", "summary"), Columns("dialogue", "summary")),
    "evaluate": (
        ("id", "dialogue", "references", "topic", "summary"),
        Columns("dialogue", "summary", "references", id="id", topics=("topic",)),
    ),
    "nothing known": (("x", "y"), Columns()),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_that_data_sets_use_are_known(name: str) -> None:
    names, expected = NAMES[name]
    assert columns_of(names, {}) == expected


def test_a_chosen_column_counts_before_a_known_one_and_is_used_once() -> None:
    found = columns_of(("dialogue", "Chat", "summary"), {"dialogue": "chat", "summary": "dialogue"})
    assert (found.dialogue, found.summary) == ("Chat", "dialogue")
    assert found.notes() == ["columns taken: dialogue = 'Chat', summary = 'dialogue'"]
    assert columns_of(("text", "other"), {"summary": "text"}).dialogue == ""


def test_what_is_lacking_is_named_with_the_columns_that_there_are() -> None:
    check_columns("it", ("dialogue",), {}, summaries=False)
    for names, chosen in ((("x", "dialogue"), {}), (("dialogue", "summary"), {"summary": "nothing"})):
        with pytest.raises(UnknownColumnsError) as error:
            check_columns("it", names, chosen, summaries=True)
        assert error.value.columns == names
    refused(UnknownColumnsError, "Received: 'x'.*--columns", check_columns, "it", ["x"], {}, False)


def test_a_choice_is_read_or_refused(snapshot) -> None:
    assert read_choice(["dialogue=a b, summary=c", "id=d"]) == {"dialogue": "a b", "summary": "c", "id": "d"}
    assert refusals(CorpusError, lambda text: read_choice([text]), ["", "dialogue", "speech=x", "summary="]) == snapshot
