"""Tests of dialogues as other models know them."""

import pytest

from core.text.dialogue import parse_dialogue
from core.text.written import write
from tests.figures.drawing import drawn

TEXT = "[10:32] <ann> Hi!\n[10:33] <bob> Well,\nyes.\n[10:34] <ann> Bye"


def test_styles(snapshot) -> None:
    styles = [("names", ""), ("tags", ""), ("text", "summarize: ")]
    assert drawn(*(write(parse_dialogue(TEXT), *style).text for style in styles)) == snapshot


def test_characters_point_into_the_pasted_text() -> None:
    written = write(parse_dialogue(TEXT), "names", "do: ")
    for character, (start, end) in zip(written.text, written.spans, strict=True):
        assert TEXT[start:end] in (character, "", "\n")
    assert written.turns[:5] == (None, None, None, None, 0)
    line_end = written.text.index("\n")
    assert (written.turns[line_end], written.spans[line_end]) == (0, (17, 17))


@pytest.mark.parametrize(("text", "span"), [("Ann: Hi\nBob: Yo", (3, 4)), (TEXT, (12, 12))])
def test_colon_is_that_of_the_pasted_text_if_it_has_one(text: str, span: tuple[int, int]) -> None:
    written = write(parse_dialogue(text), "names")
    assert written.spans[written.text.index(":")] == span


def test_tag_stands_for_the_whole_name() -> None:
    written = write(parse_dialogue(TEXT), "tags")
    assert {written.spans[place] for place in range(len("#Person1#"))} == {(9, 12)}


def test_tags_of_the_text_keep_their_numbers() -> None:
    written = write(parse_dialogue("#Person2#: Hi\n#Person1#: Yo\nJack: Hm\nJack: No"), "tags")
    assert written.text == "#Person2#: Hi\n#Person1#: Yo\n#Person3#: Hm\n#Person3#: No"


def test_only_kept_turns_are_written() -> None:
    assert write(parse_dialogue(TEXT), "tags", kept=[1, 2]).text == "#Person2#: Well, yes.\n#Person1#: Bye"


def test_lone_surrogate_becomes_a_question_mark() -> None:
    assert write(parse_dialogue("A: x\ud800y\nB: z"), "names").text == "A: x?y\nB: z"
