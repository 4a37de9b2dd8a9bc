"""Words of a text with their classes."""

from core.faults import words
from core.faults.source import Source
from core.faults.words import read_words, sentences, stem
from core.text.dialogue import parse_dialogue
from tests.figures.drawing import drawn


def kinds(text, speakers=(), known=()):
    return [(word.text, word.kind) for word in read_words(text, speakers, known) if word.kind != "function"]


def test_words_stems_and_sentences(snapshot):
    known = "Brad calls. Passengers wait. Dinner is late. Rome burns."
    assert drawn(kinds("#Person2#'s boss, Mr. Brown, doesn't like Paris at 3 pm."), kinds(known)) == snapshot
    assert kinds("Rome burns.", known=["Rome"])[0] == ("Rome", "name")  # only where a verb or the dialogue says so
    # Stems join the forms of a word.
    assert stem("Organising") == stem("organise") and stem("hiking") == stem("hike") and stem("bus") == "bus"
    # Sentences end not after a title.
    text = "He meets Mr. Brown. They talk! Then? Bye"
    assert [text[start:end].strip() for start, end in sentences(text)] == [
        "He meets Mr. Brown.", "They talk!", "Then?", "Bye",
    ]  # fmt: skip
    assert sentences(" \n ") == []
    # Any text can be read.
    for text in ("", "'s", "\u00e9t\u00e9 \u4f60\u597d \U0001f600", "\x00\ufffd", "#Person1", "a'b'c'"):
        for word in read_words(text, ("\u4f60\u597d",)):
            assert text[word.start : word.end] == word.text


def test_speakers():
    """By the whole name or by a part that only one has."""
    speakers = ("Anna Brown", "Tom Brown", "Mrs. Silva")
    names, _ = words._speakers(speakers)
    assert names["Anna"] == "Anna Brown"
    assert "Brown" not in names and "Mrs" not in names
    found = read_words("Anna meets Tom Brown's wife, and Silva.", speakers)
    assert [word.stem for word in found if word.kind == "speaker"] == ["Anna Brown", "Tom Brown", "Mrs. Silva"]


def test_the_names_of_thousands_of_speakers_are_read_once_for_all_turns():
    speakers = tuple(f"P{number}" for number in range(2000))
    before = words._speakers.cache_info().misses
    for number in range(50):
        assert read_words(f"P{number} sings", speakers)[0].kind == "speaker"
    assert words._speakers.cache_info().misses == before + 1


def test_a_speaker_takes_its_own_characters_alone():
    assert kinds("asks#Person1#") == [("asks", "content"), ("#Person1#", "speaker")]
    # A part of a name that two have is nobody's, and inside of a whole name it is no name of its own.
    assert kinds("Ann Lee left. Lee waited.", ("Ann Lee", "Tom Lee")) == [
        ("Ann Lee", "speaker"), ("left", "content"), ("Lee", "content"), ("waited", "content"),
    ]  # fmt: skip


def test_the_names_of_a_dialogue_are_no_other_words():
    assert Source(parse_dialogue("Ann: Passengers wait for Maria.\nBen: Nice.")).names == {"Maria"}
