"""Plain dialogues: the room of formats changes nothing of them."""

import pytest

from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.upload import read_text

TEXTS = [
    "Anna: Are you in?\nBen: Yes.",
    "#Person1#: Hi [there].\n#Person2#: Yes, at 10:30.",
    "The shop is closed.\nNote: it opens at nine.\nBring your coat.",
    "Anna: hi\n(laughs) that is all\nBen: yo\n(coughs) sorry",
    "Anna: see [1] and [2]\nBen: [3] too\nAnna: Ben: is here",
    "Lunch at 12:30\nDinner 18:30\nBus 19:00",
    "Anna: <b>hi</b>\nBen: a,b\nAnna: 00:00:03",
    "[1] The first note.\n[2] The second note.",
    "First: wake up. Then: eat.",
    "He said: go. She said: no.",
    "小明：你好\n小红：嗨",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_plain_dialogue_is_what_it_was(text: str) -> None:
    found = read_text(text)
    assert found.format == "dialogue" and found.text == text and found.whole
    assert list(found.turns) == [(turn.speaker, turn.text) for turn in parse_dialogue(text).turns]


def test_a_bundled_dialogue_has_the_turns_that_it_had() -> None:
    for example in load_examples():
        turns = [(turn.speaker, turn.text) for turn in parse_dialogue(example.dialogue).turns]
        assert list(read_text(example.dialogue).turns) == turns, example.id
