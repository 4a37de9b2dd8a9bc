"""Augmentation: what changes, changes in both texts; what the summary tells is never taken away."""

import re

import numpy as np
import pytest

from core.config import END, TURN
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.training import augmentation
from core.training.augmentation import Augmentation, Example, other_names, other_numbers, other_tags, replaced
from core.training.names import FAMILY, FEMALE, MALE

DIALOGUE = """#Person1#: Good morning, Peter. Did Mary call?
#Person2#: Mary? No, Mr. Brown did. He wants 250 chairs.
#Person1#: Don't tell me that. Was it Peter's idea?
#Person2#: It was mine.
#Person1#: Then we need 250 chairs and a lorry.
#Person2#: I will ask for one."""
SUMMARY = "Peter tells #Person1# that Mr. Brown wants 250 chairs."


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train_bpe([DIALOGUE, SUMMARY], 500)


@pytest.fixture(scope="module")
def encode(tokenizer):
    return lambda dialogue, summary: (
        tokenizer.encode_dialogue(parse_dialogue(dialogue)).ids,
        tokenizer.encode_summary(summary),
    )


random = np.random.default_rng


def test_names_are_replaced_by_their_own_kind():
    for seed in range(20):
        changes = other_names(DIALOGUE, random(seed))
        assert set(changes) == {"Peter", "Mary", "Brown"}, seed
        assert changes["Peter"] in MALE and changes["Mary"] in FEMALE and changes["Brown"] in FAMILY, seed
        assert not set(changes.values()) & {"Peter", "Mary", "Brown"} and len(set(changes.values())) == 3, seed
    # Two names never become one.
    text = " ".join(f"Ask {name}." for name in MALE[: len(MALE) // 2])
    changes = other_names(text, random(0))
    assert len(changes) == len(MALE) // 2 == len(set(changes.values()))
    # Whole words alone are replaced.
    changes = {"Peter": "Don", "Don": "Peter", "Mary": "Ann"}
    assert replaced("Peter's Don. Don't, Maryland! Mary", changes) == "Don's Peter. Don't, Maryland! Ann"


def test_numbers_keep_their_digits_and_stand_in_both_texts():
    for seed in range(20):
        changes = other_numbers("250 at 12:30, 45 of 7, 1,250 and $45", "250, 45, 7 and 99", random(seed))
        assert set(changes) == {"250", "45"}
        assert re.fullmatch(r"[1-9]\d0", changes["250"]) and re.fullmatch(r"[1-9]\d", changes["45"])
    # Numbers of one text stay.
    assert other_numbers("250 chairs", "many chairs", random(0)) == {}


def test_tags_are_exchanged_for_free_ones():
    texts = ([5, 40, TURN, 7, 41, END], [7, 40, END], [5, END])
    drawn = [other_tags(texts, random(seed)) for seed in range(60)]
    for source, target, candidate in drawn:
        tags = {source[0]: 5, source[3]: 7}
        assert len(tags) == 2 and all(5 <= tag < 14 for tag in tags)
        assert [[tags.get(token, token) for token in ids] for ids in (source, target, candidate)] == [*map(list, texts)]
    first = [source[0] for source, *_ in drawn]
    # Four of five draws take one of six tags, one of five any of nine: 0.07 of all are above the sixth.
    assert {5, 6, 7, 8, 9, 10} <= set(first) and sum(tag > 10 for tag in first) < 15
    # Seven people do not fit into six.
    group = [list(range(5, 12))]
    assert all(len(set(other_tags(group, random(seed))[0])) == 7 for seed in range(10))


def test_a_pair_stays_true(tokenizer, encode, monkeypatch):
    """The name of the summary is a name of the dialogue, whatever was put in its place."""
    for name, share in (("RENAMED", 1.0), ("RENUMBERED", 1.0), ("LATER", 0.0)):
        monkeypatch.setattr(augmentation, name, share)
    augmented = Augmentation([Example(DIALOGUE, SUMMARY, encode(DIALOGUE, SUMMARY))], encode, 100)
    written = set()
    for epoch in range(1, 20):
        ((source, target),) = augmented(epoch)
        text, _ = tokenizer.decode([token for token in source if token != END])
        summary, _ = tokenizer.decode(target)
        found = re.fullmatch(r"(\w+) tells #Person1# that Mr\. (\w+) wants (\d+) chairs\.", summary)
        assert found, summary
        name, family, number = found.groups()
        assert name in MALE and family in FAMILY
        assert f"{number} chairs" in text and f"Mr. {family}" in text and name in text
        written.add(name)
    assert len(written) > 10 and "Peter" not in written


def turns(count):
    """Ids of turns 5 (#Person1#) and 6 (#Person2#) in turn, each with a word of its own from 100 on."""
    return [[5 + number % 2, 100 + number] for number in range(count)]


def joined(turns):
    return [token for number, turn in enumerate(turns) for token in ([TURN, *turn] if number else turn)] + [END]


def shortened(turns, target, monkeypatch, later, idle, seed=0):
    for name, value in (("LATER", later), ("IDLE", idle), ("FREQUENT_IDS", 0)):
        monkeypatch.setattr(augmentation, name, value)
    example = Example("", "", (joined(turns), target))
    return Augmentation([example], lambda *_: None, 10)._shortened(example.pair, random(seed))


def test_turns_that_are_left_out(monkeypatch):
    # A later opening begins with the first tag; one that the summary tells stays; a short dialogue keeps its turns.
    seen = set()
    for seed in range(12):
        assert shortened(turns(8), [5, 100, END], monkeypatch, 1.0, 0.0, seed)[0] == joined(turns(8))
        assert shortened(turns(4), [5, 103, END], monkeypatch, 1.0, 1.0, seed)[0] == joined(turns(4))
        source, target = shortened(turns(8), [6, 107, 5, END], monkeypatch, 1.0, 0.0, seed)
        first = source[1] - 100
        seen.add(first)
        assert source[0] == 5
        assert target == ([6, 107, 5, END] if first % 2 == 0 else [5, 107, 6, END])
        assert source.count(TURN) == 8 - first - 1 and source[-1] == END
    assert seen == {1, 2, 3}
    # Idle turns alone are left out but the first one opens.
    source, _ = shortened(turns(8), [5, 101, 102, 103, 104, 106, END], monkeypatch, 0.0, 1.0)
    assert source == joined([turn for turn in turns(8) if turn[1] not in (105, 107)])


def test_the_last_epochs_are_calm_and_each_other_one_is_its_own(encode):
    example = Example(DIALOGUE, SUMMARY, encode(DIALOGUE, SUMMARY))
    augmented = Augmentation([example] * 10, encode, 10, seed=3)
    assert augmented(9) == augmented(10) == [example.pair] * 10
    assert augmented(1) == Augmentation([example] * 10, encode, 10, seed=3)(1)
    assert augmented(1) != augmented(2) and augmented(1) != [example.pair] * 10
