"""Uploaded files: encodings, JSON forms, refusals."""

import codecs
import json

import pytest

from core.errors import DialogueError
from core.text.dialogue import parse_dialogue
from core.text.upload import load_dialogue_file

TEXT = "Zoë: schön 😀\r\nBen: it's 5 o'clock"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
    ],
)
@pytest.mark.parametrize("name", ["chat.txt", "_chat.TXT", "notes.md", "chat"])
def test_encodings(name: str, data: bytes) -> None:
    assert load_dialogue_file(name, data) == TEXT


def test_latin_1_where_it_is_text() -> None:
    text = "René: déjà vu, garçon – “oui”"
    assert load_dialogue_file("a.txt", text.encode("cp1252")) == text
    assert load_dialogue_file("a.txt", "Zoë: schön".encode("latin-1")) == "Zoë: schön"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"abc\0def", "binary"),
        (bytes(range(256)) * 4, "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary"),
        (b"\x01\x02\x03\x04abc", "binary"),
        (b"abcdefghijklmnopqrstuvwxyz\x1b\x07", "binary"),
        ("こんにちは、元気ですか".encode("shift-jis"), "not UTF-8 text"),
        (b"\xff\xfea", "damaged"),
        (b"", "no text"),
        (b" \n\t", "no text"),
    ],
)
def test_content_that_is_no_text(data: bytes, said: str) -> None:
    with pytest.raises(DialogueError, match=said) as caught:
        load_dialogue_file("a.txt", data)
    assert "\n" not in str(caught.value) and "a.txt" in str(caught.value)


def test_a_stray_control_character_is_text() -> None:
    assert load_dialogue_file("a.txt", b"hello there " * 10 + b"\x1b") == "hello there " * 10 + "\x1b"


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.zip", "a.jsonl", "a.csv"])
def test_other_endings(name: str) -> None:
    with pytest.raises(DialogueError, match=r"has the ending .* Allowed: a text file"):
        load_dialogue_file(name, b"Anna: hi")


TURNS = [{"speaker": "Anna", "text": "hi\nthere"}, {"speaker": "Ben", "text": "yo"}]


@pytest.mark.parametrize(
    "value",
    [
        {"dialogue": "Anna: hi there\nBen: yo"},
        TURNS,
        {"turns": TURNS},
        {"messages": [{"name": "Anna", "message": "hi there"}, {"author": "Ben", "content": "yo"}]},
        {
            "messages": [
                {"type": "service", "actor": "Ben"},
                {"from": "Anna", "text": ["hi ", {"type": "bold", "text": "there"}]},
                {"role": "Ben", "content": "yo"},
                {"role": "Ben", "content": ""},
            ]
        },
    ],
)
def test_json_forms(value: object) -> None:
    assert load_dialogue_file("a.json", json.dumps(value).encode()) == "Anna: hi there\nBen: yo"


def test_json_speakers() -> None:
    assert load_dialogue_file("a.json", b'[{"text": "one"}, {"text": "two"}]') == "one\ntwo"
    items = [{"name": "A: B", "text": "one"}, {"text": "two"}, {"name": "A", "text": "x"}]
    text = load_dialogue_file("a.json", json.dumps(items).encode())
    assert [turn.speaker for turn in parse_dialogue(text).turns] == ["A B", "Unknown", "A"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("3", "holds a number"),
        ("null", "holds null"),
        ("{}", "an empty object"),
        ('{"summary": "x"}', "an object with 'summary'"),
        ('{"dialogue": 3}', "holds a number"),
        ("[1]", "turn 1 is a number"),
        ('[{"speaker": "A"}]', "turn 1 has no text"),
        ('[{"speaker": 5, "text": "x"}]', "a speaker that is a number"),
        ("[]", "no text"),
        ('{"dialogue": " "}', "no text"),
    ],
)
def test_json_refusals(data: str, said: str) -> None:
    with pytest.raises(DialogueError, match=said) as caught:
        load_dialogue_file("a.json", data.encode())
    assert "Allowed" in str(caught.value) and "\n" not in str(caught.value)
