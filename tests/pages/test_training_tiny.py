"""The Training page: a tiny network is trained behind it, by one session at a time, and can be chosen everywhere."""

import shutil
import threading
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import app_test

from core import checkpoints
from core.errors import CheckpointError
from core.training import toys
from core.training.tiny import Attempt, Look
from core.training.toys import Item
from pages.parts.training import runner, tiny
from pages.shared.frame import address, loading
from tests.pages.conftest import SECONDS
from tests.pages.driver import Settled, another, choose, healthy
from tests.pages.training import PAGE, arrive, lines, number, said

BATCHES = 4


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Every test begins and ends without a training and without what it left."""
    yield
    busy = runner.running()
    if busy is not None:
        busy.stop()
        assert busy.done.wait(SECONDS)
    for name in runner.names():
        runner.forget(name)


@pytest.fixture
def short(monkeypatch) -> None:
    """A training of two epochs of four batches."""
    monkeypatch.setattr(toys, "STEPS", BATCHES)
    monkeypatch.setitem(tiny.EPOCHS, "copy", 2)


@pytest.fixture
def blocked() -> Iterator[runner.Training]:
    """A training that begins, and does nothing until it is stopped; then it fails."""
    begun = threading.Event()

    def make():
        begun.wait(SECONDS)
        training._stop.wait(SECONDS)
        raise CheckpointError("it was no task")

    training = runner.begin(make)
    begun.set()
    yield training
    training.stop()
    assert training.done.wait(SECONDS)


def test_a_copier_is_trained_and_can_be_chosen_everywhere(app, short, monkeypatch):
    arrive(app, train_view="tiny", train_task="copy", train_width=32)
    number(app, "train_letters", 5)
    app.button(key="train_start").click().run()
    healthy(app)
    own = app.session_state["train_own"]
    assert not [each for each in app.button if each.key == "train_start"]
    other = arrive(another(app), train_view="tiny")
    assert own.done.is_set() or "is being trained in another window" in other.info[0].value
    assert own.done.wait(SECONDS) and own.error is None
    app.run()
    healthy(app)
    digest = checkpoints.read_card(own.name)["sha256"]["weights.safetensors"]
    assert own.name == f"tiny-copy-{digest[:6]}"
    assert "It is trained: 2 epochs in" in app.success[0].value
    assert lines(app, "train_live_picture")["validation loss"][0] == [1, 2]
    assert "**After epoch 2** it answers" in said(app) and "of 32 held-out inputs rightly" in said(app)
    table = next(each.value for each in app.dataframe if "It writes" in each.value.columns)
    assert list(table["Right answer"]) == list(table["Input"]) and set(" ".join(table["Input"])) <= set("abcde ")
    assert own.name in app.sidebar.selectbox(key="checkpoint").options
    visited = []
    monkeypatch.setattr(address, "visit", lambda page, **values: visited.append((page, values.get("see"))))
    monkeypatch.setattr(loading, "current_job", lambda: None)  # the browser's test loads it
    monkeypatch.setattr(app_test, "PagesManager", Settled)  # a first run starts anew, and would forget the click
    app.button(key="train_to_attention").click().run()
    healthy(app)
    assert visited == [("attention", "head")] and app.query_params["checkpoint"] == own.name
    assert app.session_state["checkpoint"] == own.name
    assert app.session_state["strategy"] == "greedy" and app.session_state["words"] == "free"
    assert app.session_state["own_dialogue"].text in [each.item.text for each in own.watched.looks[-1].attempts]


def attempt(text, score):
    return Attempt(Item(text, text, True), text, score)


def test_the_input_that_is_shown_has_a_clear_answer():
    """Rightly answered before clear, clear before long."""
    attempts = (attempt("a b c d e", 0.0), attempt("a a b c", 1.0), attempt("c a", 1.0), attempt("c a b", 1.0))
    assert tiny._shown_input(Look(1, attempts)) == "c a b"
    assert tiny._shown_input(Look(1, attempts[:2])) == "a a b c"


def test_a_stop_is_asked_by_the_owner(app, blocked):
    other = arrive(another(app), train_view="tiny")
    assert not [each for each in other.button if each.key in ("train_stop", "train_start")]
    app.session_state["train_own"] = blocked
    arrive(app, train_view="tiny")
    assert not app.info and not [each for each in app.button if each.key == "train_start"]
    app.button(key="train_stop").click().run()
    assert blocked.done.wait(SECONDS) and runner.running() is None


def test_one_at_a_time(app, blocked):
    arrive(app, train_view="tiny")
    assert "is being trained in another window" in app.info[0].value
    assert not [each for each in app.button if each.key == "train_start"]
    with pytest.raises(CheckpointError, match="another training is under way"):
        runner.begin(lambda: None)
    blocked.stop()
    assert blocked.done.wait(SECONDS)
    app.run()
    assert app.button(key="train_start").label == "Train it"


def test_what_fails_is_said_and_another_can_begin(app):
    def fails():
        raise CheckpointError("the loss is not a <b>number</b>")

    arrive(app, train_view="tiny")
    app.session_state["train_own"] = runner.begin(fails)
    assert app.session_state["train_own"].done.wait(SECONDS)
    app.run()
    assert "The loss is not a <b>number</b>" in app.error[0].value.replace("\\", "")
    assert app.button(key="train_start").label == "Train it"


def install(folder, tiny_checkpoint, number):
    """A checkpoint as a training leaves it, whose weights have another hash."""
    place = folder / str(number)
    shutil.copytree(tiny_checkpoint, place)
    card = (place / "card.json").read_text("utf-8")
    digest = checkpoints.read_card(place)["sha256"]["weights.safetensors"]
    (place / "card.json").write_text(card.replace(digest, f"{number:06d}{digest[6:]}"), "utf-8")
    return runner._keep(place, "copy")


def test_only_the_newest_of_all_are_kept(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "MOST_OF_ALL", runner.MOST)
    places = []
    for number_ in range(runner.MOST + 2):
        name = install(tmp_path, tiny_checkpoint, number_)
        assert name == f"tiny-copy-{number_:06d}"
        places.append(checkpoints.locate(name).parent)
    assert runner.names() == [f"tiny-copy-{number_:06d}" for number_ in range(2, runner.MOST + 2)]
    assert [place.exists() for place in places] == [False] * 2 + [True] * runner.MOST
    assert checkpoints.installed()[-runner.MOST :] == runner.names()
    with pytest.raises(CheckpointError, match="no such checkpoint. Received: 'tiny-copy-000000'"):
        checkpoints.locate("tiny-copy-000000")


def test_a_checkpoint_that_is_gone_is_noted_and_replaced(app, tiny_checkpoint, tmp_path):
    name = install(tmp_path, tiny_checkpoint, 1)
    app.query_params["checkpoint"] = name
    app.switch_page("pages/positions.py").run()
    healthy(app)
    assert app.session_state["checkpoint"] == name and app.query_params["checkpoint"] == name
    runner.forget(name)
    app.run()
    healthy(app)
    assert app.session_state["checkpoint"] == "tiny" and "checkpoint" not in app.query_params
    assert f"The checkpoint '{name}' is not there any more: this is tiny." in app.warning[0].value.replace("\\", "")
    late = another(app)
    late.query_params["checkpoint"] = name
    late.switch_page("pages/positions.py").run()
    assert f"checkpoint={name}, which is not possible here (allowed: tiny)" in late.warning[0].value.replace("\\", "")


def test_sizes_stand_in_the_link(app):
    arrive(app, train_view="tiny", train_length=99)
    assert "train_length=99" in app.warning[0].value.replace("\\", "")
    number(app, "train_length", 10)
    choose(app, "train_task", "sort")
    choose(app, "train_heads", "4")
    wanted = {"train_view": "tiny", "train_length": "10", "train_task": "sort", "train_heads": "4"}
    assert app.query_params == wanted
    choose(app, "train_task", "dialogues")
    assert not [each for each in app.number_input if each.key == "train_length"]
    app.switch_page("pages/positions.py").run()
    app.switch_page(PAGE).run()
    assert app.query_params["train_heads"] == "4"


def test_a_session_lists_its_own_trainings_and_makes_room_among_them_alone(app, tiny_checkpoint, tmp_path, monkeypatch):
    """Before, one list of four was shared by all visitors: whoever trained pushed out what the others had."""
    numbers = iter(range(100, 200))

    class Trained:
        """A training that is over at once."""

        def __init__(self, make):
            self.name, self.error, self.watched, self.done = "", None, None, threading.Event()
            self.name = install(tmp_path, tiny_checkpoint, next(numbers))
            self.done.set()

    monkeypatch.setattr(runner, "Training", Trained)

    def listed(session):
        return [name for name in session.sidebar.selectbox(key="checkpoint").options if name.startswith("tiny-")]

    mine, theirs = arrive(app, train_view="tiny"), arrive(another(app), train_view="tiny")
    mine.button(key="train_start").click().run()
    for _ in range(runner.MOST + 2):
        theirs.button(key="train_start").click().run()
    mine.run()
    first = mine.session_state["train_own"].name
    assert listed(mine) == [first]
    assert len(listed(theirs)) == runner.MOST and first not in listed(theirs)
    opened = arrive(another(app), checkpoint=listed(theirs)[0])  # a link, or a reload
    assert listed(opened) == [listed(theirs)[0]] and not opened.warning
