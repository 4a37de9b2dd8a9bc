"""The embedded dialogues: form, variety, and references that fit their dialogue."""

import re

import pytest

from core.text.dialogue import parse_dialogue
from core.text.examples import Example, example_by_id, load_examples

EXAMPLES = load_examples()
PLAIN = {"bridge-closed"}


def test_the_collection() -> None:
    assert len(EXAMPLES) == 24
    assert len({example.id for example in EXAMPLES}) == len({example.title for example in EXAMPLES}) == 24
    assert 10 <= sum("#Person1#:" in example.dialogue for example in EXAMPLES) <= 14
    assert len({example.topic for example in EXAMPLES}) >= 8
    assert load_examples() is EXAMPLES


def test_by_id() -> None:
    assert example_by_id("lost-suitcase") is EXAMPLES[0]
    assert example_by_id("none") is None


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_form(example: Example) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", example.id)
    dialogue = parse_dialogue(example.dialogue)
    assert 5 <= len(dialogue.turns) <= 25
    assert (len(dialogue.speakers) == 0) if example.id in PLAIN else (2 <= len(dialogue.speakers) <= 4)
    assert all((turn.speaker is None) == (example.id in PLAIN) for turn in dialogue.turns)
    assert len(example.dialogue.split()) < 220
    assert len(example.title) <= 40 and "\n" not in example.notes + example.title + example.topic
    assert example.notes.endswith((".", "?")) and example.topic


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_references(example: Example) -> None:
    dialogue = parse_dialogue(example.dialogue)
    assert 1 <= len(example.references) <= 3
    for reference in example.references:
        assert 12 <= len(reference.split()) <= 34
        assert reference.endswith(".") and reference == reference.strip()
        assert set(re.findall(r"#Person\d#", reference)) <= set(dialogue.speakers)
        named = [speaker for speaker in dialogue.speakers if speaker.casefold() in reference.casefold()]
        assert named or example.id in PLAIN or "The speakers" in reference


def test_the_chat_exports_lose_their_notices() -> None:
    chat = example_by_id("flat-share-chat")
    team = example_by_id("team-channel")
    assert chat is not None and team is not None
    assert parse_dialogue(chat.dialogue).turns[0].text == "guys the bathroom 😱"
    assert parse_dialogue(team.dialogue).speakers == ("Ines", "Viktor", "Bea")
