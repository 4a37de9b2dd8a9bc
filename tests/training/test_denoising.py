"""Pre-training tasks: what is missing and what is left give the dialogue back, and each epoch misses something else."""

import numpy as np
import pytest

from core.config import END, FIRST_TAG, TURN, UNKNOWN
from core.errors import CorpusError
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.tokenizer import TAGS, Tokenizer
from core.training import denoising as denoising_module
from core.training.denoising import LONGER, Denoising
from tests.refusals import refused


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train_bpe([each.dialogue for each in load_examples()], 800)


@pytest.fixture(scope="module")
def dialogues(tokenizer):
    return [tokenizer.encode_dialogue(parse_dialogue(each.dialogue)).ids for each in load_examples()]


@pytest.fixture(scope="module")
def denoising(tokenizer, dialogues):
    return Denoising(dialogues, tokenizer, 96, seed=1)


def made(denoising, task, number, seed=0):
    turns, weights = denoising._dialogues[number], denoising._weights[number]
    return getattr(denoising, f"_{task}")(turns, weights, np.random.default_rng(seed))


def split(ids, mark):
    ends = [place for place, token in enumerate(ids) if token == mark]
    return [ids[start + 1 : end] for start, end in zip([-1, *ends], [*ends, len(ids)], strict=True)]


def test_what_is_missing_put_back_gives_the_dialogue(denoising, dialogues, tokenizer):
    for number in [0, 3, 7]:
        for seed in range(5):
            source, target = made(denoising, "turns", number, seed)
            missing = iter(split(target, TURN))
            back = [next(missing) if turn == [UNKNOWN] else turn for turn in split(source, TURN)]
            assert next(missing, None) is None, (number, seed)
            assert back == split(dialogues[number][:-1], TURN), (number, seed)
            source, target = made(denoising, "spans", number, seed)
            spans = iter(split(target, UNKNOWN)[1:])
            back = [each for token in source for each in (next(spans) if token == UNKNOWN else [token])]
            assert back == dialogues[number][:-1], (number, seed)
            assert not {TURN, *range(FIRST_TAG, FIRST_TAG + len(TAGS))} & set(target), (number, seed)
    # Missing speakers are those of the dialogue.
    source, target = made(denoising, "speakers", 3)
    turns, whole = split(source, TURN), split(dialogues[3][:-1], TURN)
    assert turns[0] == whole[0]
    hidden = [number for number, turn in enumerate(turns) if turn[0] == UNKNOWN]
    assert hidden and target == [whole[number][0] for number in hidden]
    assert [turn[1:] for turn in turns] == [turn[1:] for turn in whole]
    # Names and numbers are listed once in order.
    text = "#Person1#: Hello, Maria. It is 30 miles to Boston.\n#Person2#: Maria, is it 30 or 45?"
    ids = tokenizer.encode_dialogue(parse_dialogue(text)).ids
    source, target = made(Denoising([ids], tokenizer, 96), "names", 0)
    assert source == [UNKNOWN, TURN, *ids[:-1]] and len(source) + 1 == len(ids) + LONGER
    assert tokenizer.decode(target)[0] == "Maria 30 Boston 45"


def test_spans_are_whole_words_of_an_eighth_to_a_third(denoising, tokenizer, dialogues):
    parts = tokenizer.word_parts()
    for number in range(len(denoising._dialogues)):
        source, target = made(denoising, "spans", number)
        after = [source[place + 1] for place, token in enumerate(source[:-1]) if token == UNKNOWN]
        assert all(parts[span[0]] != 1 for span in split(target, UNKNOWN)[1:])
        assert all(parts[token] != 1 for token in after)
    # Between an eighth and a third of the words are missing.
    denoising = Denoising(dialogues, tokenizer, 10_000)
    for number, ids in enumerate(dialogues):
        shares = [len(split(made(denoising, "spans", number, seed)[0], UNKNOWN)) for seed in range(3)]
        assert min(shares) > 1
        gone = sum(token != UNKNOWN for token in made(denoising, "spans", number)[1])
        assert 0.1 < gone / len(ids) < 0.4


def test_every_epoch_misses_something_else_and_the_same_one_the_same(tokenizer, dialogues, denoising):
    assert denoising(1) == Denoising(dialogues, tokenizer, 96, seed=1)(1)
    assert denoising(1) != denoising(2)
    assert denoising(1) != Denoising(dialogues, tokenizer, 96, seed=2)(1)
    # Targets end and fit.
    for source, target in Denoising(dialogues, tokenizer, 12)(1):
        assert source[-1] == target[-1] == END
        assert 1 < len(target) <= 12
    # A dialogue too short for a task loses words instead.
    ids = tokenizer.encode_dialogue(parse_dialogue("#Person1#: yes, we go home now")).ids
    denoising = Denoising([ids], tokenizer, 96)
    for task in ("turns", "speakers", "names"):
        source, target = made(denoising, task, 0)
        assert UNKNOWN in source and target[0] == UNKNOWN and len(source) > 1
    refused(CorpusError, "at least one dialogue", Denoising, [], tokenizer, 96)
    words = Tokenizer.train_words(["a b"], 1)
    refused(CorpusError, "needs a byte-level tokenizer. Received: a word tokenizer", Denoising, dialogues, words, 96)


def test_the_turn_that_the_others_tell_most_about_goes_most_often(tokenizer, monkeypatch):
    monkeypatch.setattr(denoising_module, "FREQUENT_IDS", 0)
    turns = ([100, 101], [102, 103, 104], [103, 104, 105], [106])
    ids = [token for turn in turns for token in (*turn, TURN)][:-1] + [END]
    weights = Denoising([ids], tokenizer, 96)._weights[0]
    # Two of the nine ids are shared both ways: F1 = 2 * 2 / (3 + 6); the others share none.
    expected = np.array([0, 4 / 9, 4 / 9, 0]) ** 2 + 1e-3
    assert weights == pytest.approx(expected / expected.sum())
