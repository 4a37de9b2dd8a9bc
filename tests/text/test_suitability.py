"""Whether a text is of the kind that the checkpoints were trained on."""

import pytest

from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.suitability import Habits, habits, language_name, other_language, unusual
from core.words import speaking

LANGUAGES = {
    "tr": "Yarın geliyor musun? Evet, saat beşte oradayım.",
    "vi": "Mai bạn có đến không? Có, tôi sẽ đến lúc năm giờ.",
    "de": "Kommst du morgen mit ins Kino? Ja klar, ich hole dich um acht ab.",
    "ar": "هل ستأتي غدا إلى المدرسة؟ نعم سأكون هناك في الخامسة.",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_another_language_is_named(code):
    assert other_language(parse_dialogue(LANGUAGES[code])) == code


def test_no_bundled_dialogue_is_called_another_language():
    for example in load_examples():
        assert not other_language(parse_dialogue(example.dialogue)), example.id


@pytest.mark.parametrize("text", ["", "ok ok", "hey u up? yep lol gr8 c u @7", "😀 😀 😀 😀", "word " * 900])
def test_a_text_that_could_be_anything_is_not_named(text):
    assert not other_language(parse_dialogue(text))


def test_a_language_is_named_in_the_reader_s():
    with speaking("tr"):
        assert language_name("de") == "Almanca"


def test_habits_by_hand():
    dialogue = parse_dialogue("Ann: one two three.\nBen: four\nCid: five six!")
    assert habits(dialogue) == Habits(speakers=3, words=2.0, ended=2 / 3)


def test_each_unusual_habit_is_said():
    chat = parse_dialogue("Ann: hey\nBen: yo\nCid: u coming or what")
    assert unusual(chat) == (
        "3 people speak, not two",
        "turns are short, 2.0 words on average",
        "0 % of the turns end with a full stop, ? or !",
    )


def test_a_dialogue_of_the_training_kind_is_not_unusual():
    text = "#Person1#: Where have you been all day?\n#Person2#: I was at the office, as always."
    assert unusual(parse_dialogue(text)) == ()
