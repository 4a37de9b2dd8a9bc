"""The everyday texts that models are measured on: forty, readable as dialogues, none of them a bundled example."""

import json
from pathlib import Path

from core.evaluation import intake
from core.text import examples
from core.text.dialogue import parse_dialogue

ROWS = [json.loads(line) for line in Path(examples.__file__).with_name("everyday.jsonl").read_text().splitlines()]


def test_everyday_texts_are_dialogues_with_references():
    assert len(ROWS) == len({row["id"] for row in ROWS}) == 40
    bundled = examples.load_examples()
    assert not {row["dialogue"] for row in ROWS} & {each.dialogue for each in bundled}
    for row in ROWS:
        examples.Example(**{**row, "references": tuple(row["references"])})  # the same fields
        turns = parse_dialogue(row["dialogue"]).turns
        assert len(turns) == len(row["dialogue"].splitlines()), row["id"]
        assert 2 <= len({turn.speaker for turn in turns}) <= 5 and None not in {turn.speaker for turn in turns}
        assert all(len(text.split()) < 40 for text in row["references"]) and row["references"], row["id"]


def test_they_are_a_data_set_of_errors():
    found = intake.shipped()["everyday"]
    assert [(row.id, list(row.references)) for row in found.rows] == [(row["id"], row["references"]) for row in ROWS]
    assert not any(found.given) and all(row.topic for row in found.rows)
