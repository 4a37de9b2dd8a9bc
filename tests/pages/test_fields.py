"""Fields read what a link asks, write what a session holds, and keep both inside what exists."""

import pytest

from pages.shared.session import fields, notices
from pages.shared.session.fields import Choice, Number, Text

STRATEGY = Choice("strategy", ("greedy", "beam"))
BEAM = Number("beam", 1, 8, 4)
TOP_P = Number("top_p", 0.05, 1.0, 1.0, 0.05)
BRANCH = Text("branch", 5)


pytestmark = pytest.mark.usefixtures("session")


def test_read_takes_what_is_possible_and_notes_the_rest():
    every = (STRATEGY, BEAM, TOP_P, BRANCH)
    link = {"strategy": "beam", "beam": "3", "top_p": "0.5", "branch": "5.123", "x": "1"}
    assert fields.read(link, every) == ({"strategy": "beam", "beam": 3, "top_p": 0.5, "branch": "5.123"}, ())
    values, notes = fields.read({"strategy": "magic", "beam": "2.5", "top_p": "inf", "branch": "5.1234"}, every)
    assert values == {}
    for note, said in zip(notes, ("magic", "1 to 8", "inf", "5 characters"), strict=True):
        assert said in note


def test_what_is_written_is_read_again():
    written = [TOP_P.write(0.3), TOP_P.write(1.0), BEAM.write(4), STRATEGY.write("beam")]
    assert written == ["0.3", "1", "4", "beam"]
    assert [TOP_P.parse("0.3"), TOP_P.parse("1"), BEAM.parse("4"), STRATEGY.parse("beam")] == [0.3, 1.0, 4, "beam"]


def test_a_value_that_does_not_exist_becomes_the_default_and_is_noted_once_if_a_link_asked(session):
    session.update({"beam": 7, fields.ASKED: frozenset({"beam"})})
    assert BEAM.fit(range(1, 5), "beam") == 4 == BEAM.value
    assert notices.notes() == ("The link asks for beam 7, which does not exist here (possible: 1 to 4).",)
    notices.clear_notes()
    BEAM.value = 8  # by hand, or left over from another model
    assert BEAM.fit(range(1, 5), "beam", instead=1) == 1 and not notices.notes()
    BEAM.value = 3
    assert BEAM.fit(range(1, 5), "beam") == 3 and not notices.notes()


def test_another_subject_resets_its_fields_unless_the_link_brought_them(session):
    BEAM.value = 3
    assert not fields.follow("one", BEAM) and BEAM.value == 3
    assert fields.follow("two", BEAM) and BEAM.value == 4
    BEAM.value, session[fields.FRESH] = 5, frozenset({"beam"})
    assert fields.follow("three", BEAM) and BEAM.value == 5
    assert fields.follow("four", BEAM) and BEAM.value == 4


def test_a_note_lists_all_options_of_a_short_list_and_counts_the_rest_of_a_long_one():
    few, many = (Choice("of", tuple(f"o{number}" for number in range(count))) for count in (9, 40))
    assert few.allowed == ", ".join(few.options)
    assert many.allowed == "o0, o1, o2, o3, o4, o5 and 34 more"


def test_a_choice_says_what_its_options_are_called():
    assert Choice("kind", {"a": "Kept whole", "b": "Free"}).words == {"a": "Kept whole", "b": "Free"}
    with pytest.raises(TypeError, match="no names"):
        _ = Choice("kind", ("a", "b")).words
