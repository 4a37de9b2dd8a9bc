"""The embedded dialogues: form, variety, and references that fit their dialogue."""

import re

import pytest

from core.checkpoints import read_judged
from core.experiments import effects
from core.experiments.effects import Condition
from core.service import Summarizer
from core.text.arrangement import Arrangement, arrange, plain
from core.text.dialogue import parse_dialogue
from core.text.examples import example_by_id, load_examples
from core.words import catalogue

EXAMPLES = load_examples()
PLAIN = {"bridge-closed"}


def test_the_collection() -> None:
    assert len(EXAMPLES) == 36
    assert len({example.id for example in EXAMPLES}) == len({example.title for example in EXAMPLES}) == 36
    assert 15 <= sum("#Person1#:" in example.dialogue for example in EXAMPLES) <= 25
    assert len({example.topic for example in EXAMPLES}) >= 8
    assert load_examples() is load_examples() and load_examples() == EXAMPLES
    assert example_by_id("lost-suitcase") == EXAMPLES[0]
    assert example_by_id("none") is None
    # The chat exports lose their notices.
    chat = example_by_id("flat-share-chat")
    team = example_by_id("team-channel")
    assert chat is not None and team is not None
    assert parse_dialogue(chat.dialogue).turns[0].text == "guys the bathroom 😱"
    assert parse_dialogue(team.dialogue).speakers == ("Ines", "Viktor", "Bea")


def test_form_and_references() -> None:
    for example in EXAMPLES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", example.id), example.id
        dialogue = parse_dialogue(example.dialogue)
        assert 5 <= len(dialogue.turns) <= 25, example.id
        assert (len(dialogue.speakers) == 0) if example.id in PLAIN else (2 <= len(dialogue.speakers) <= 4), example.id
        assert all((turn.speaker is None) == (example.id in PLAIN) for turn in dialogue.turns), example.id
        assert len(example.dialogue.split()) < 220, example.id
        assert len(example.title) <= 40 and "\n" not in example.notes + example.title + example.topic, example.id
        assert example.notes.endswith((".", "?")) and example.topic, example.id
        assert 1 <= len(example.references) <= 3, example.id
        for reference in example.references:
            assert 12 <= len(reference.split()) <= 34, example.id
            assert reference.endswith(".") and reference == reference.strip(), example.id
            assert set(re.findall(r"#Person\d#", reference)) <= set(dialogue.speakers), example.id
            named = [speaker for speaker in dialogue.speakers if speaker.casefold() in reference.casefold()]
            assert named or example.id in PLAIN or "The speakers" in reference, example.id


@pytest.mark.slow
def test_what_is_told_twice_can_be_left_out_once(scratch: Summarizer) -> None:
    example = example_by_id("twice-told")
    assert example is not None
    summary = scratch.summarize(example.dialogue)
    assert "Mila is getting married in September" in summary.text
    encoded = scratch.encode(example.dialogue)
    whole = plain(encoded)
    first, second = (turn for turn in whole.order if "married" in encoded.dialogue.turns[turn].text)

    def without(arrangement: Arrangement) -> Condition:
        return Condition(arrange(encoded, arrangement))

    ids = [token.id for token in summary.tokens]
    base = effects.untouched(scratch, Condition(encoded), ids, summary.settings, summary.text)
    changes = [without(whole.without(turn)) for turn in (first, second)]
    changes.append(without(whole.without(first).without(second)))
    one, other, both = effects.measure_effects(scratch, base, changes)
    assert one.drop < 2 and other.drop < 2
    assert both.drop > 6 and both.drop > 3 * (one.drop + other.drop)
    assert one.text == other.text == summary.text
    assert both.text is not None and "married" not in both.text


def test_titles_notes_and_judgements_are_translated():
    known = catalogue("tr")
    judged = read_judged("dialoscope")["verdicts"].values()
    said = [text for each in load_examples() for text in (each.title, each.notes)] + [each["why"] for each in judged]
    assert len(said) > 100 and not [text for text in said if text not in known]
