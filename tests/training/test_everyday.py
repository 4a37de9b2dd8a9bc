"""The texts that models are measured on, everyday ones and groups: dialogues, none of them a bundled example."""

import json
from pathlib import Path

import pytest

from core.evaluation import intake
from core.text import examples
from core.text.dialogue import parse_dialogue

LEAST = {"everyday": (40, 2), "groups": (48, 3)}
"""How many there are, and how many people speak at least."""


def rows(name):
    return [
        json.loads(line) for line in Path(examples.__file__).with_name(f"{name}.jsonl").read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("name", LEAST)
def test_they_are_dialogues_with_references(name):
    found, (count, fewest) = rows(name), LEAST[name]
    assert len(found) == len({row["id"] for row in found}) == count
    bundled = examples.load_examples()
    assert not {row["dialogue"] for row in found} & {each.dialogue for each in bundled}
    for row in found:
        examples.Example(**{**row, "references": tuple(row["references"])})  # the same fields
        turns = parse_dialogue(row["dialogue"]).turns
        assert len(turns) == len(row["dialogue"].splitlines()), row["id"]
        assert fewest <= len({turn.speaker for turn in turns}) <= 5 and None not in {turn.speaker for turn in turns}
        assert all(len(text.split()) < 40 for text in row["references"]) and row["references"], row["id"]


@pytest.mark.parametrize("name", LEAST)
def test_they_are_a_data_set_of_errors(name):
    found = intake.shipped()[name]
    expected = [(row["id"], row["references"]) for row in rows(name)]
    assert [(row.id, list(row.references)) for row in found.rows] == expected
    assert not any(found.given) and all(row.topic for row in found.rows)
