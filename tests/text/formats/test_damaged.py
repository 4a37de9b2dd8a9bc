"""Damaged, hostile and doubtful files: each is read, or refused in a clear line, at once and with little memory."""

import json
import time
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DialogueError, DialoscopeError
from core.text.dialogue import parse_dialogue
from core.text.formats.content import Content
from core.text.formats.registry import READERS, readings
from core.text.upload import content_of, load_dialogue_file, read_file, read_text
from tests.refusals import refusals, refused
from tests.text.formats.samples import SAMPLES, document

CUE = "00:00:01.000 --> 00:00:02.000\n"
SIZE = 60_000


def test_files_that_are_refused(snapshot) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    files = {
        "an archive.docx": document("Anna: hi", "_chat.txt"),
        "an archive.txt": document("Anna: hi", "_chat.txt"),
        "entities.docx": document(bomb),
        "half.docx": document("<a/>")[:60],
        "huge.docx": document(" " * 17_000_000),
        "no xml.docx": document("<a"),
        "no document.docx": b"Anna: hi",
        "deep.json": b'[{"ts":' + b"[" * 100_000,
        "deep.vtt": b"[" * 100_000,
        "other.vtt": b"Anna: hi\nBen: yo",
        "other.srt": b"A page about cats.",
        "empty.vtt": b"WEBVTT\n\nNOTE nothing\n",
        "notices.json": json.dumps([{"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1"}]).encode(),
        "notices.txt": b'12.03.25, 21:14 - Anna created group "Ferry"\n12.03.25, 21:15 - Anna added Ben\n',
        "page.html": b"<html><body>Hello</body></html>",
        "corpus.csv": b"ID,dialogue\n1,Anna: hi\n",
    }
    assert refusals(DialogueError, lambda name: read_file(name, files[name]), list(files)) == snapshot
    assert refusals(DialogueError, lambda name: read_text("Anna: hi", name), ["nope", "slack", "vtt"]) == snapshot


PIECES = [
    "12.03.25, 21:14 - ", "[", "(", "<", ":", "1 ", " ", "\t", "A: ", "[a] ", "Ab: ", "10:32 <a>", "-->", CUE, "&",
    "&#0;", "<v ", "<v a>", "\u200e", "From a to b:", "10:00:00 From " + "a to " * 20 + "\n", "a  10:32\n",
    "a (00:03): x ", '"', "12.", "2025. 3. ", "> ", 'Replying to "', "a\n00:00:03\n", "<!--", "</", "<a ",
    "[12.03.25, 21:14] a\n",
]  # fmt: skip
HEADS = {
    "a.txt": "",
    "a.vtt": f"WEBVTT\n\n{CUE}",
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\n",
    "a.html": '<div class="message default"><div class="from_name">a</div><div class="text">',
}


@pytest.mark.parametrize("name", HEADS)
def test_a_large_file_of_one_piece_takes_linear_time(name: str) -> None:
    for piece in PIECES:
        begun = time.perf_counter()
        with suppress(DialogueError):
            read_file(name, (HEADS[name] + piece * (SIZE // len(piece.encode()))).encode())
        assert time.perf_counter() - begun < 4, piece  # some hundredths; a square of the size takes minutes


def test_a_bomb_of_entities_in_a_cue_stays_small() -> None:
    tracemalloc.start()
    try:
        found = read_file("a.vtt", f"WEBVTT\n\n{CUE}<v Anna>{'&amp;lt;' * 20_000}".encode())
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
    assert found.turns == (("Anna", "&lt;" * 20_000),)


SIGNS = [b"\n", b"{", b'"', b"<", b"&"]
KEYS = (
    "messages from type date text ts user sender_name content author name body sender value segments start end speaker "
    "meeting_transcripts conversations MessageList user_profile chats list"
).split()


def read_or_refused(*file: Any) -> None:
    """Check what holds of every transcript, or that the refusal is one line."""
    try:
        found = read_file(*file)
    except DialogueError as error:
        assert str(error).strip() and "\n" not in str(error)
        return
    assert found.turns and all(text.strip() == text != "" for _, text in found.turns)
    assert [(turn.speaker, turn.text) for turn in parse_dialogue(found.text).turns] == list(found.turns)
    found.text.encode()


@given(st.data())
def test_a_changed_sample_is_read_or_refused(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from(SAMPLES))
    content = bytearray(sample.data)
    for _ in range(data.draw(st.integers(1, 4))):
        place, length = data.draw(st.integers(0, len(content))), data.draw(st.integers(0, 40))
        content[place : place + length] = data.draw(st.binary(max_size=6) | st.sampled_from(SIGNS))
    read_or_refused(sample.file, bytes(content))


@given(st.sampled_from(SAMPLES), st.sampled_from(READERS))
def test_a_sample_that_is_read_as_another_format_is_read_or_refused(sample, reader) -> None:
    read_or_refused(sample.file, sample.data, reader.name)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_json_of_any_shape_is_read_or_refused(value: object) -> None:
    read_or_refused("a.json", json.dumps(value).encode())


def notes(name: str, text: str) -> list[str]:
    return [str(note) for note in read_file(name, text.encode()).notes]


CHAT = "12.03.25, 21:14 - Anna: Are you in?\n12.03.25, 21:15 - Ben: Yes, at five.\n"


def test_what_is_odd_is_noted_with_its_first_line(snapshot) -> None:
    back = f"WEBVTT\n\n00:01:00.000 --> 00:01:02.000\n<v Anna>Late.\n\n{CUE}<v Ben>Early.\n"
    lost = f"WEBVTT\n\n{CUE}<v Anna>Fine.\n\n99:99:99.000 --> 00:00:01\nLost.\n"
    nobody = f"WEBVTT\n\n{CUE}It rains.\n\n00:00:03.000 --> 00:00:04.000\nIt snows.\n"
    found = {
        "back.vtt": back, "lost.vtt": lost, "nobody.vtt": nobody,
        "ending.vtt": "1\n00:00:01,000 --> 00:00:02,000\nAnna: hi\n\n2\n00:00:03,000 --> 00:00:04,000\nBen: yo\n",
        "two.txt": f"{CHAT}{CHAT}10:00:00 From Anna to Everyone:\n\thi\n",
        "both.txt": f"{CHAT}\n{lost}",
        "minutes.txt": "Anna Lee  5:01\nLate.\n\nBen Fox  0:03\nEarly.\n\nAnna Lee  6:01\nGood.\n",
    }  # fmt: skip
    assert "\n".join(f"{name}: {' | '.join(notes(name, text))}" for name, text in found.items()) == snapshot


def test_a_recording_without_names_can_be_read_with_a_speaker_a_cue() -> None:
    text = f"WEBVTT\n\n{CUE}Are you\n\n00:00:02.000 --> 00:00:04.000\nin?\n\n00:00:05.000 --> 00:00:06.000\nYes.\n"
    assert read_text(text).turns == ((None, "Are you in?"), (None, "Yes."))
    assert read_text(text, "cues").turns == (("Speaker 1", "Are you"), ("Speaker 2", "in?"), ("Speaker 1", "Yes."))


@pytest.mark.parametrize(
    "text",
    [
        "[00:00.000 --> 00:02.000]  In?\n[00:02.400 --> 00:03.000]  Yes.\n",
        '{"segments": [{"start": 0, "end": 2, "text": "In?"}, {"start": 9, "end": 10, "text": "Yes."}]}',
    ],
)
def test_any_recording_without_names_offers_a_speaker_a_cue(text: str) -> None:
    assert [str(note) for note in read_text(text).notes][0].startswith("Nobody is named")
    assert "cues" in [reader.name for reader in readings(Content("", text))]
    assert read_text(text, "cues").turns == (("Speaker 1", "In?"), ("Speaker 2", "Yes."))
    assert not read_text(text, "cues").notes


def test_any_text_can_be_read_as_plain_text() -> None:
    assert read_text(CHAT, "plain").turns == tuple((None, line) for line in CHAT.splitlines())


def test_encodings_without_a_mark_are_recognised() -> None:
    chat = "12.03.25, 21:14 - Анна: Ты придёшь на репетицию сегодня вечером?\n12.03.25, 21:15 - Борис: Да, позже.\n"
    for encoding in ("utf-16-le", "utf-16-be", "cp1251", "koi8-r"):
        found = content_of("a.txt", chat.encode(encoding))
        assert found.text == chat and found.encoding.guessed, encoding
        assert "which is a guess" in str(read_file("a.txt", chat.encode(encoding)).notes[-1])
    assert content_of("a.txt", chat.encode("cp866"), "cp866").text == chat
    for wrong in ("klingon", "base64", "a b"):
        why = f"'{wrong}' is no encoding. Allowed: utf-8"
        refused(DialoscopeError, why, content_of, "a.txt", b"Anna: hi", wrong)
    assert load_dialogue_file("a.txt", b"Anna: hi") == "Anna: hi"
