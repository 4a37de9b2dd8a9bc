"""Uploaded files: encodings, JSON forms, refusals."""

import codecs
import json

from core.errors import DialogueError
from core.text.dialogue import parse_dialogue
from core.text.upload import read_file
from tests.refusals import refusals

TEXT = "Zoë: schön 😀\r\nBen: it's 5 o'clock"


def test_encodings() -> None:
    marked = codecs.BOM_UTF8 + TEXT.encode(), codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be")
    for data in [TEXT.encode(), *marked, TEXT.encode("utf-16"), TEXT.encode("utf-32")]:
        for name in ["chat.txt", "_chat.TXT", "notes.md", "chat"]:
            assert read_file(name, data).text == TEXT, name
    # Latin 1 where it is text.
    text = "René: déjà vu, garçon – “oui”"
    assert read_file("a.txt", text.encode("cp1252")).text == text
    assert read_file("a.txt", "Zoë: schön".encode("latin-1")).text == "Zoë: schön"
    # A stray control character is text.
    assert read_file("a.txt", b"hello there " * 10 + b"\x1b").text == "hello there " * 10 + "\x1b"


def test_files_that_are_no_text(snapshot) -> None:
    cases = [b"abc\0def", bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n\0\0", b"\x01\x02\x03\x04abc"]
    cases += [b"abcdefghijklmnopqrstuvwxyz\x1b\x07", "こんにちは、元気ですか".encode("shift-jis")]
    cases += [b"\xff\xfea", b"", b" \n\t"]
    assert refusals(DialogueError, lambda data: read_file("a.txt", data), cases) == snapshot
    cases = ["a.pdf", "a.docx", "a.zip", "a.jsonl", "a.csv"]
    assert refusals(DialogueError, lambda name: read_file(name, b"Anna: hi"), cases) == snapshot


TURNS = [{"speaker": "Anna", "text": "hi\nthere"}, {"speaker": "Ben", "text": "yo"}]


def test_json_forms() -> None:
    exported = [
        {"type": "service", "actor": "Ben"},
        {"from": "Anna", "text": ["hi ", {"type": "bold", "text": "there"}]},
    ]
    exported += [{"role": "Ben", "content": "yo"}, {"role": "Ben", "content": ""}]
    named = [{"name": "Anna", "message": "hi there"}, {"author": "Ben", "content": "yo"}]
    forms = [
        {"dialogue": "Anna: hi there\nBen: yo"},
        TURNS,
        {"turns": TURNS},
        {"messages": named},
        {"messages": exported},
    ]
    for value in forms:
        assert read_file("a.json", json.dumps(value).encode()).text == "Anna: hi there\nBen: yo", value
    assert read_file("a.json", b'[{"text": "one"}, {"text": "two"}]').text == "one\ntwo"
    items = [{"name": "A: B", "text": "one"}, {"text": "two"}, {"name": "A", "text": "x"}]
    text = read_file("a.json", json.dumps(items).encode()).text
    assert [turn.speaker for turn in parse_dialogue(text).turns] == ["A B", "Unknown", "A"]


def test_json_refusals(snapshot) -> None:
    cases = ["{", "[" * 100_000, "3", "null", "{}", '{"summary": "x"}', '{"dialogue": 3}', "[1]"]
    cases += ['[{"speaker": "A"}]', '[{"speaker": 5, "text": "x"}]', "[]", '{"dialogue": " "}']
    assert refusals(DialogueError, lambda data: read_file("a.json", data.encode()), cases) == snapshot


def test_half_of_a_character_pair_becomes_the_sign_for_what_cannot_be_read() -> None:
    text = read_file("a.json", rb'{"dialogue": "A: \ud800 x \ud83d\ude00 \udc00"}').text
    assert text == "A: \ufffd x \U0001f600 \ufffd"
