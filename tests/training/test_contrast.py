"""Wrong summaries beside references, and a checkpoint that keeps some layers of its encoder."""

import re
from functools import partial

import numpy as np
import pytest

from core import checkpoints
from core.config import TURN, Preset
from core.errors import SettingsError
from core.model import families
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.training.circles import repeated_pairs
from core.training.recipes import contrast
from core.training.recipes.contrast import PERSONS, WRONG, contrasted, wrong_summaries
from core.training.recipes.refining import with_layers
from core.training.risk import ABSENT
from tests.refusals import refused

ROWS = [
    {"dialogue": "#Person1#: Did you buy bread?\n#Person2#: No.", "summary": "#Person1# asks #Person2# about bread."},
    {"dialogue": "#Person1#: Look at the dog.\n#Person2#: Oh.", "summary": "A dog."},
]


@pytest.fixture
def made(tiny_checkpoint, corpus):
    begun = checkpoints.read(tiny_checkpoint)
    return begun.tokenizer, partial(contrasted, corpus(ROWS), begun.tokenizer, Preset("A test.", begun.config))


def test_wrong_summaries_stand_beside_the_reference(made, monkeypatch):
    monkeypatch.setattr(contrast, "RETAGGED", 0.0)
    tokenizer, make = made
    about_bread, about_dog = make()
    decoded = [tokenizer.decode(ids)[0] for ids in (about_bread.target, *about_bread.candidates)]
    assert decoded == [
        "#Person1# asks #Person2# about bread.",
        "#Person2# asks #Person1# about bread.",
        "#Person2# asks #Person2# about bread.",
    ]
    assert about_bread.merit == 1 and list(about_bread.merits) == [0.0] * WRONG
    assert [len(row.candidates) for row in make(1)] == [1, 0]
    # Nobody and nothing is named: there is nothing to exchange, and the reference is no candidate.
    assert not about_dog.candidates and about_dog.merit == ABSENT


def test_speakers_take_other_tags_in_all_texts_alike(made, monkeypatch):
    tokenizer, make = made
    monkeypatch.setattr(contrast, "RETAGGED", 0.0)
    plain = make()[0]
    monkeypatch.setattr(contrast, "RETAGGED", 1.0)
    seen = set()
    for seed in range(8):
        row = make(seed=seed)[0]
        first, second = row.source[0], row.source[row.source.index(TURN) + 1]
        back = {first: plain.source[0], second: plain.source[plain.source.index(TURN) + 1]}
        assert len(back) == 2
        assert [[back.get(token, token) for token in ids] for ids in (row.source, row.target, *row.candidates)] == [
            [*plain.source], [*plain.target], *map(list, plain.candidates)
        ]  # fmt: skip
        seen |= back.keys()
    assert len(seen) > 4
    # A tokenizer of words has no tags: these ids are words there.
    words = Tokenizer.train_words([text for row in ROWS for text in row.values()], 1)
    row = make.func(make.args[0], words, make.args[2])[0]
    assert words.decode(row.target)[0] == "person1 asks person2 about bread"


def test_people_of_a_group_stand_in_each_other_s_place_first():
    group = parse_dialogue("Ann: Who has the 20 keys?\nBen: Anna does.\nAnna: No, Ben, you do.\nEve: Oh.")
    summary = "Ann asks who has the 20 keys; Ben says that Anna does, and Anna that Ben does."
    wrong = wrong_summaries(group, summary, 5, np.random.default_rng(0))
    assert summary not in wrong and len(wrong) == len(set(wrong)) == 5
    names = re.compile(r"Anna|Ann|Ben|Eve")
    places = [names.findall(text) for text in wrong]
    # The same people, in other places; what they say stays.
    assert sorted(set(places[0])) == ["Ann", "Anna", "Ben"] and places[0][1] == places[0][4] != places[0][2]
    assert names.sub("", wrong[0]) == names.sub("", summary)
    assert all(place != names.findall(summary) for place in places[:PERSONS])
    assert "20" not in wrong[PERSONS] or places[PERSONS] != places[0]
    assert repeated_pairs(wrong[-1]) > repeated_pairs(summary)


def test_layers_that_stay_keep_their_weights_and_order(tiny_checkpoint):
    begun = checkpoints.read(tiny_checkpoint)
    upper = with_layers(begun, [2])
    assert upper.config == begun.config.replace(encoder_layers=1) and upper.identity != begun.identity
    checkpoints.set_weights(families.build(upper.config), upper.weights)  # raises unless every weight fits
    for path, value in upper.weights.items():
        np.testing.assert_array_equal(value, begun.weights[path.replace("encoder/block1/", "encoder/block2/")])
    assert with_layers(begun, [1, 2]).weights.keys() == begun.weights.keys()


def test_layers_that_are_not_there_are_refused(tiny_checkpoint):
    begun = checkpoints.read(tiny_checkpoint)
    for layers in [[0, 1], [3], [2, 1], [1, 1]]:
        refused(SettingsError, "layers must be numbers from 1 to 2", with_layers, begun, layers)
