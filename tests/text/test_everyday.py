"""The forty everyday texts: written for this project, with names, and never trained on."""

from pathlib import Path

import pytest

from core.evaluation import intake
from core.text.corpus import load_corpus
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples

FILE = Path(__file__).resolve().parents[2] / "core" / "text" / "everyday.jsonl"


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return list(load_corpus(str(FILE)).dataset)


def test_there_are_forty_of_five_kinds(rows):
    kinds = [row["topic"] for row in rows]
    assert len(rows) == len({row["id"] for row in rows}) == 40
    assert {kind: kinds.count(kind) for kind in kinds} == {"chat": 16, "call": 8, "visit": 8, "meeting": 4, "family": 4}


def test_each_has_named_speakers_and_a_shorter_reference(rows):
    for row in rows:
        dialogue = parse_dialogue(row["dialogue"])
        assert 2 <= len(dialogue.speakers) <= 5 and all(turn.speaker for turn in dialogue.turns), row["id"]
        assert not any("#" in speaker for speaker in dialogue.speakers), row["id"]
        (reference,) = row["references"]
        assert 10 <= len(reference.split()) < len(row["dialogue"].split()), row["id"]


def test_none_is_among_the_bundled_dialogues(rows):
    assert not {row["dialogue"] for row in rows} & {each.dialogue for each in load_examples()}


def test_they_are_a_data_set_of_errors(rows):
    found = intake.shipped()["everyday"]
    assert [row.id for row in found.rows] == [row["id"] for row in rows]
    assert not any(found.given) and all(len(row.references) == 1 and row.topic for row in found.rows)
