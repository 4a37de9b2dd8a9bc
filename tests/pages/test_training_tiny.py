"""The Training page: a tiny network is trained behind it, by one session at a time, and can be chosen everywhere.

The trainings here are over at once; a browser journey waits for a real one.
"""

import json
import shutil
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from core import checkpoints
from core.errors import CheckpointError
from core.training.tiny import Attempt, Look
from pages.parts.training import runner
from pages.shared.model import loading
from tests.pages.conftest import SECONDS
from tests.pages.driver import another, choose, enter, healthy, noted, press, said
from tests.pages.training import PAGE, arrive, lines
from tests.refusals import refused


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Every test ends without the checkpoints that it left."""
    yield
    for name in runner.names():
        runner.forget(name)


@pytest.fixture
def quick(tiny_checkpoint, monkeypatch):
    """Let every training be over at once, with the weights of the tests under another hash each time."""
    numbers = count()

    class Quick:
        def __init__(self, task, stop):
            self.task, self.losses, self.state, self.took = task, [(0.5, 2.0), (2.0, 1.0)], "finished", 3.0
            self.history = [{"epoch": 1, "validation_loss": 1.5}, {"epoch": 2, "validation_loss": 1.25}]
            self.looks = [Look(2, tuple(Attempt(item, item.answer, 1.0) for item in task.items[:32]))]

        def run(self, folder):
            place = folder / "last"
            shutil.copytree(tiny_checkpoint, place)
            card = checkpoints.read_card(place) | {"decoding": self.task.decoding.to_dict()}
            card["sha256"]["weights.safetensors"] = f"{next(numbers):06d}" + 58 * "0"
            (place / "card.json").write_text(json.dumps(card), "utf-8")
            return place

    monkeypatch.setattr("core.training.tiny.Watched", Quick)
    return Quick


def begin(app) -> runner.Training:
    """Start a training, wait for its end, and draw the page again."""
    app.button(key="train_start").click().run()
    own = app.session_state["train_own"]
    assert own.done.wait(SECONDS) and own.error is None
    healthy(app.run())
    return own


@pytest.fixture
def blocked() -> Iterator[runner.Training]:
    """A training that begins, and does nothing until it is stopped; then it fails."""
    begun = threading.Event()

    def make():
        begun.wait(SECONDS)
        training._stop.wait(SECONDS)
        raise CheckpointError("it was no <b>task</b>")

    training = runner.begin(make)
    begun.set()
    yield training
    training.stop()
    assert training.done.wait(SECONDS)


def test_a_copier_is_trained_and_can_be_chosen_everywhere(app, quick, visited, monkeypatch):
    arrive(app, train_view="tiny", train_task="copy", train_width=32)
    enter(app, "train_letters", 5)
    own = begin(app)
    assert own.name == "tiny-copy-000000" and own.watched.task.model.d_model == 32
    assert "It is trained: 2 epochs in 3 s." in app.success[0].value
    assert lines(app, "train_live_picture")["validation loss"][0] == [1, 2]
    assert "After epoch 2 it answers 32 of 32 held-out inputs rightly" in said(app)
    table = next(each.value for each in app.dataframe if "It writes" in each.value.columns)
    assert list(table["Right answer"]) == list(table["Input"]) and set(" ".join(table["Input"])) <= set("abcde ")
    assert own.name in app.sidebar.selectbox(key="checkpoint").options
    monkeypatch.setattr(loading, "current_job", lambda: None)  # the browser's test loads it
    press(app, "train_to_attention")
    ((page, link),) = visited
    assert page == "pages/attention.py" and link["see"] == "head"
    assert link["checkpoint"] == app.session_state["checkpoint"] == own.name
    assert app.session_state["strategy"] == "greedy" and app.session_state["words"] == "free"
    assert app.session_state["own_dialogue"].text == own.watched.looks[-1].clearest


def test_one_trains_at_a_time_and_its_owner_stops_it(app, blocked):
    other = arrive(another(app), train_view="tiny")
    assert "is being trained in another window" in other.info[0].value
    assert not [each for each in other.button if each.key in ("train_stop", "train_start")]
    refused(CheckpointError, "another training is under way", runner.begin, lambda: None)
    app.session_state["train_own"] = blocked
    arrive(app, train_view="tiny")
    assert not app.info and not [each for each in app.button if each.key == "train_start"]
    app.button(key="train_stop").click().run()
    assert blocked.done.wait(SECONDS) and runner.running() is None
    app.run()  # what fails is said, and another can begin
    assert "It was no <b>task</b>" in app.error[0].value.replace("\\", "")
    assert app.button(key="train_start").label == other.run().button(key="train_start").label == "Train it"


def test_a_session_lists_its_own_trainings_and_of_all_only_the_newest_stay(app, quick, monkeypatch):
    """Before, one list of four was shared by all visitors: whoever trained pushed out what the others had."""

    def listed(session):
        return [name for name in session.sidebar.selectbox(key="checkpoint").options if name.startswith("tiny-")]

    monkeypatch.setattr(runner, "MOST", 2)
    monkeypatch.setattr(loading, "current_job", lambda: None)
    mine, theirs = arrive(app, train_view="tiny"), arrive(another(app), train_view="tiny")
    first = begin(mine).name
    for _ in range(runner.MOST + 1):
        begin(theirs)
    mine.run()
    assert listed(mine) == [first]
    assert len(listed(theirs)) == runner.MOST and first not in listed(theirs)
    old = listed(theirs)[0]
    opened = arrive(another(app), checkpoint=old)  # a link, or a reload
    assert listed(opened) == [old] == [opened.session_state["checkpoint"]] and not opened.warning

    monkeypatch.setattr(runner, "MOST_OF_ALL", 2)
    newest = begin(theirs).name
    assert runner.names() == [listed(theirs)[-2], newest] == checkpoints.installed()[-2:]
    refused(CheckpointError, f"no such checkpoint. Received: '{first}'", checkpoints.locate, first)
    healthy(opened.run())
    assert opened.session_state["checkpoint"] == "tiny" and "checkpoint" not in opened.query_params
    assert f"The checkpoint '{old}' is not there any more: this is tiny." in noted(opened)
    assert f"checkpoint={old}, which is not possible here (allowed: tiny" in noted(arrive(another(app), checkpoint=old))


def test_sizes_that_a_task_does_not_have_are_not_asked_for_and_the_others_stay(app):
    arrive(app, train_view="tiny", train_heads=4)
    choose(app, "train_task", "dialogues")
    assert not [each for each in app.number_input if each.key == "train_length"]
    app.switch_page("pages/positions.py").run()
    app.switch_page(PAGE).run()
    assert app.query_params["train_heads"] == "4"
