"""A tiny training that is watched: losses, attempts, a stop, and a checkpoint in the end."""

import threading
from dataclasses import replace

import pytest

from core import checkpoints
from core.training import tiny, toys
from core.training.tiny import Watched

STEPS = 3


@pytest.fixture(scope="module")
def task():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toys, "STEPS", STEPS)
        made = toys.letters_task("copy", 6, 4, width=16, layers=1, heads=2, seed=0, epochs=2)
        pairs = {epoch: made.pairs(epoch) for epoch in (1, 2)}
    return replace(made, pairs=pairs.get, training=made.training.replace(steps_per_call=1))


@pytest.fixture(scope="module")
def whole(task, tmp_path_factory):
    watched = Watched(task, threading.Event())
    return watched, watched.run(tmp_path_factory.mktemp("whole"))


def test_losses_and_attempts(whole, task):
    watched, _ = whole
    assert [place for place, _ in watched.losses] == pytest.approx([1 / 3, 2 / 3, 1, 4 / 3, 5 / 3, 2])
    assert [look.epoch for look in watched.looks] == [0, 1, 2]
    assert [row["epoch"] for row in watched.history] == [1, 2]
    assert watched.state == "finished" and watched.done == 1 and 0 < watched.took <= watched.seconds
    for look in watched.looks:
        assert [each.item for each in look.attempts] == list(task.items[: tiny.TRIED])
        assert all(each.score == (each.written == each.item.answer) for each in look.attempts)
        assert look.mean(True) == sum(each.score for each in look.attempts) / tiny.TRIED
        assert look.mean(False) is None


@pytest.mark.slow
def test_the_checkpoint_writes_what_was_watched(whole):
    from core.service import Summarizer

    watched, folder = whole
    read = checkpoints.read(folder)
    assert read.card["decoding"]["strategy"] == "greedy" and read.card["epochs"] == 2
    summarizer = Summarizer(read)
    for each in watched.looks[-1].attempts[:3]:
        assert summarizer.summarize(each.item.text).text == each.written


@pytest.mark.slow
def test_a_stop_keeps_what_was_learnt(task, tmp_path):
    stop = threading.Event()
    stop.set()
    watched = Watched(replace(task, items=()), stop)
    folder = watched.run(tmp_path)
    assert watched.state == "stopped" and len(watched.losses) == 1 and len(watched.history) == 1
    assert len(checkpoints.read(folder).history) == 1


def test_time_is_limited(task):
    watched = Watched(task, threading.Event(), limit=0.0)
    assert watched.left == 0 and watched._must_stop() and watched.state == "out of time"


def test_many_losses_are_thinned_out(task, monkeypatch):
    monkeypatch.setattr(tiny, "MOST_LOSSES", 4)
    watched = Watched(task, threading.Event())
    for number in range(1, 13):
        watched._report(0, {"share": number / 12, "token_loss": float(number)})
    assert [loss for _, loss in watched.losses] == [4.0, 8.0, 12.0]


def test_the_clearest_input_is_right_then_of_different_letters_then_long():
    attempts = [
        tiny.Attempt(toys.Item(text, text, text != "b"), text, score)
        for text, score in (("a b c d e", 0.0), ("a a b c", 1.0), ("c a", 1.0), ("c a b", 1.0), ("b", 1.0))
    ]
    assert tiny.Look(1, tuple(attempts)).clearest == "c a b"
    assert tiny.Look(1, tuple(attempts[:2])).clearest == "a a b c"
