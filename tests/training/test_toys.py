"""Toy tasks: right answers, what is held out, and batches of one shape."""

import pytest

from core.config import END
from core.errors import SettingsError
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.training import toys
from core.training.batches import Batches
from core.training.toys import answer, dialogues_task, letters_task
from tests.refusals import refusals

SIZES = {"width": 16, "layers": 1, "heads": 2, "seed": 3, "epochs": 2}


@pytest.fixture(scope="module")
def reverse():
    return letters_task("reverse", 7, 5, **SIZES)


def text(task, ids):
    return task.tokenizer.decode(ids)[0].replace(" ", "")


def test_right_answers_and_plain_inputs(snapshot, reverse):
    assert [answer(toy, "dacbd") for toy in ("copy", "reverse", "sort")] == ["dacbd", "dbcad", "abcdd"]
    # An input is plain text to the dialogue parser.
    for item in reverse.items:
        (turn,) = parse_dialogue(item.text).turns
        assert turn.speaker is None and turn.text == item.text
    # Pairs are what the tokenizer gives.
    for item, (source, target) in zip(reverse.items, reverse.validation, strict=True):
        assert reverse.source(item) == source
        assert target == reverse.tokenizer.encode_summary(item.answer) and target[-1] == END
        assert text(reverse, target) == text(reverse, source)[::-1]
    cases = [("double", 8, 10), ("copy", 5, 10), ("copy", 13, 10), ("copy", 8, 27)]
    assert refusals(SettingsError, lambda *arguments: letters_task(*arguments, **SIZES), cases) == snapshot


def test_what_is_held_out_is_never_trained_on(reverse):
    held_out = {item.text.replace(" ", "") for item in reverse.items}
    assert len(held_out) == toys.HELD_OUT and {len(each) for each in held_out} == {4, 5, 6, 7}
    first, second = ([text(reverse, source) for source, _ in reverse.pairs(epoch)] for epoch in (1, 2))
    assert len(first) == toys.ROWS * toys.STEPS and not held_out & {*first, *second}
    assert first != second and first == [text(reverse, source) for source, _ in reverse.pairs(1)]
    assert set("".join(first)) == set("abcde")


def shapes(task, epoch):
    batches = Batches(task.pairs(epoch), task.training.batch_tokens, task.training.seed, epoch)
    return [(batches[place][0][0].shape, batches[place][0][1].shape) for place in range(len(batches))]


def test_every_batch_has_one_shape(reverse):
    """Another shape would be compiled anew: seconds in which nothing is learnt."""
    longest = letters_task("sort", 12, 26, **SIZES)
    for task in (reverse, longest):
        assert shapes(task, 1) + shapes(task, 2) == [((64, 32), (64, 16))] * 2 * toys.STEPS
        checks = Batches(task.validation, 2 * task.training.batch_tokens, shuffle=False)
        assert len(checks) == 1 and checks[0][0][0].shape == (128, 32)


def test_bundled_dialogues():
    task = dialogues_task(**SIZES)
    count = 2 * (len(load_examples()) - 5)
    assert shapes(task, 1) + shapes(task, 2) == [((count, 96), (count, 32))] * 2 * toys.REPEATS
    seen = {item.text for item in task.items if not item.held_out}
    held_out = {item.text for item in task.items if item.held_out}
    dialogues = [example.dialogue for example in load_examples()]
    assert seen == set(dialogues[:4]) and held_out == set(dialogues[-5:-1])
    trained = {tuple(source) for source, _ in task.pairs(1)}
    assert len(trained) == len(dialogues) - 5
    assert all((tuple(task.source(item)) in trained) != item.held_out for item in task.items)
    assert all(target[-1] == END for _, target in (*task.pairs(1), *task.validation))
