"""Sessions of a class in the app: what a follower is shown, when he is let go, what comes back, what is refused."""

from threading import Event, Thread

import pytest
from streamlit.testing.v1 import AppTest

from core.lessons.following import CLASSES
from core.place import Place
from core.text import links
from core.text.examples import load_examples
from pages.shared.session import selection
from pages.shared.teaching import classroom, projector
from pages.shared.teaching.classroom import Follower, Presenter
from tests.pages.driver import another, chart, choose, data, enter, go, healthy, open_link, press, trigger
from tests.refusals import refused

pytestmark = pytest.mark.usefixtures("settled")
OWN = "Nora: The goat has eaten the timetable.\nPim: Then how do we know when the ferry leaves?"


def role(app: AppTest) -> Presenter | Follower | None:
    return app.session_state["role"] if "role" in app.session_state else None


@pytest.fixture
def presenter(app: AppTest) -> AppTest:
    """A session on Training that others may follow."""
    open_link("pages/training.py", app, train_view="schedule")
    press(app, "class_open_sidebar")
    press(app, "class_begin")
    return app


def code(presenter: AppTest) -> str:
    return role(presenter).ticket.code


def lead(follower: AppTest, presenter: AppTest) -> AppTest:
    """The follower's browser goes to the newest scene, as the bar makes it."""
    view = CLASSES.look(code(presenter))
    if view.scene.page != follower.session_state["page"]:
        follower.switch_page(f"pages/{view.scene.page or 'start'}.py")
    follower.query_params.clear()
    follower.query_params.update({"follow": code(presenter), "now": str(view.version)})
    return healthy(follower.run())


def choose_own(app: AppTest, *text: object) -> None:
    """Paste a dialogue."""
    app.session_state[selection.DIALOGUE] = selection.Own(*text)
    app.session_state["input"] = "paste"
    healthy(app.run())


def follow(presenter: AppTest) -> AppTest:
    """A new session that opened the link of the class."""
    return open_link("pages/training.py", another(presenter), follow=code(presenter))


def test_a_link_of_the_class_shows_what_the_presenter_shows(presenter):
    shown = " ".join(each.value for each in presenter.code)
    assert f"?follow={code(presenter)}" in shown and code(presenter) in presenter.get("image")[0].proto.imgs[0].alt
    follower = follow(presenter)
    assert follower.session_state["train_view"] == "schedule" and follower.query_params["follow"] == code(presenter)
    assert data(follower, "class_bar")["role"] == "follower" and data(presenter, "class_bar")["role"] == "presenter"


def test_a_change_of_the_presenter_reaches_a_follower_and_does_not_let_him_go(presenter):
    follower = follow(presenter)
    choose(presenter, "train_view", "tiny")
    lead(follower, presenter)
    assert follower.session_state["train_view"] == "tiny" and "now" not in follower.query_params
    healthy(follower.run())
    assert not role(follower).alone and role(follower).version == CLASSES.look(code(presenter)).version


def test_a_dialogue_too_long_for_a_link_is_handed_over(presenter):
    text = "\n".join(f"Ann: {number * 7919} {number**5} {number**7}" for number in range(1, 600))
    assert links.pack(text) is None
    follower = follow(presenter)
    choose_own(presenter, text)
    assert CLASSES.look(code(presenter)).scene.dialogue == text
    lead(follower, presenter)
    assert follower.session_state[selection.DIALOGUE].text == text and "t" not in follower.query_params


def test_who_changes_something_is_let_go_and_comes_back(presenter):
    follower = follow(presenter)
    choose(follower, "train_view", "scores")
    assert role(follower).alone and data(follower, "class_bar")["alone"]
    choose(presenter, "train_view", "tiny")
    lead(follower, presenter)
    assert follower.session_state["train_view"] == "scores", "nobody is torn away"
    trigger(follower, "class_bar", "act", "back")
    assert follower.session_state["train_view"] == "tiny" and not role(follower).alone
    go(follower, "pages/tokens.py")
    assert role(follower).alone


def test_what_was_there_before_comes_back_with_the_end(presenter):
    follower = another(presenter)
    open_link("pages/training.py", follower, train_view="scores")
    choose_own(follower, OWN, ("A goat ate it.",))
    enter(follower, "class_code_sidebar", code(presenter).lower())
    assert follower.session_state["train_view"] == "schedule" and follower.session_state["input"] == "example"
    trigger(follower, "class_bar", "act", "leave")
    assert role(follower) is None and follower.session_state["train_view"] == "scores"
    assert follower.session_state[selection.DIALOGUE] == selection.Own(OWN, ("A goat ate it.",))
    assert "follow" not in follower.query_params


def test_nothing_of_a_follower_goes_anywhere(presenter):
    follower = follow(presenter)
    before = CLASSES.look(code(presenter)).scene
    choose_own(follower, OWN)
    assert CLASSES.look(code(presenter)).scene == before and role(follower).alone


@pytest.mark.parametrize("typed", ["GGGGGG", "no code", "<b>x</b>", "x" * 20])
def test_a_code_of_no_class_is_told_so_and_nothing_else_changes(presenter, typed):
    visitor = open_link("pages/training.py", another(presenter), train_view="scores")
    enter(visitor, "class_code_sidebar", typed)
    said = data(visitor, "class_bar")["over"]
    assert said.startswith(("No class has the code", "This is no code of a class")) and role(visitor) is None
    trigger(visitor, "class_bar", "act", "close")
    assert data(visitor, "class_bar")["over"] == ""


def test_a_class_that_is_over_leaves_its_followers_the_page_and_opens_it_for_others(presenter):
    gone, follower = code(presenter), follow(presenter)
    trigger(presenter, "class_bar", "act", "end")
    assert role(presenter) is None
    trigger(follower, "class_bar", "act", "lost")
    assert role(follower) is None and follower.session_state["train_view"] == "schedule"
    assert "it is over" in data(follower, "class_bar")["over"]
    visitor = open_link("pages/training.py", another(presenter), train_view="tiny", follow=gone)
    assert "No class has the code" in data(visitor, "class_bar")["over"]
    assert visitor.session_state["train_view"] == "tiny"


def test_only_the_key_presents_again(presenter):
    ticket = role(presenter).ticket
    visitor = open_link("pages/tokens.py", another(presenter))
    for forged in ([ticket.code, "wrong"], [ticket.code], ["GGGGGG", ticket.key], []):
        trigger(visitor, "class_bar", "resume", forged)
        assert role(visitor) is None
    trigger(visitor, "class_bar", "resume", [ticket.code, ticket.key])
    assert role(visitor) == Presenter(ticket) and CLASSES.look(ticket.code).scene == Place("tokens")


def test_a_reset_leaves_no_class(presenter):
    follower = follow(presenter)
    press(press(follower, "reset"), "reset_now")
    assert role(follower).code == code(presenter)
    press(press(presenter, "reset"), "reset_now")
    assert isinstance(role(presenter), Presenter)


def test_a_demonstration_has_no_class(app, monkeypatch):
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    open_link("pages/training.py", app, follow="GGGGGG")
    with pytest.raises(LookupError):
        data(app, "class_bar")
    assert role(app) is None and not any("class" in str(each.key) for each in (*app.button, *app.text_input))
    refused(Exception, "nobody can follow", classroom.present, Place(""))


def test_the_examples_are_no_secret_and_travel_by_name(presenter):
    example = load_examples()[1].id
    presenter.session_state["example"] = example
    healthy(presenter.run())
    assert CLASSES.look(code(presenter)).scene.link["example"] == example


def drawn_while_another_is(monkeypatch: pytest.MonkeyPatch, led: bool) -> bool:
    """Whether a session is drawn while another one that the presenter has sent on is not done."""
    monkeypatch.setattr(classroom, "is_led", lambda: led)
    begun = Event()

    def another_one() -> None:
        with classroom.turn():
            begun.set()

    monkeypatch.setattr(classroom, "PATIENCE", 30.0)
    with classroom.turn():
        waits = Thread(target=another_one)
        waits.start()
        both = begun.wait(1.0)
    waits.join(30.0)
    assert begun.is_set()
    return both


def test_followers_are_drawn_one_after_the_other_and_nobody_else_waits(monkeypatch):
    assert not drawn_while_another_is(monkeypatch, led=True)
    assert drawn_while_another_is(monkeypatch, led=False)


def test_a_follower_waits_for_a_while_only(monkeypatch):
    monkeypatch.setattr(classroom, "is_led", lambda: True)
    monkeypatch.setattr(classroom, "PATIENCE", 0.05)
    with classroom.turn(), classroom.turn():
        pass
    with classroom.turn():  # the one that did not wait for its turn has not given it back either
        assert not classroom._TURNS.acquire(blocking=False)


def test_a_follower_keeps_the_own_layout(presenter):
    follower = follow(presenter)
    presenter.button(key="projector_switch").click().run()
    lead(follower, presenter)
    assert presenter.session_state["projector"] == "on" and follower.session_state["projector"] == "off"
    follower.button(key="projector_switch").click().run()
    assert follower.session_state["projector"] == "on" and not role(follower).alone


def test_a_chart_leaves_its_room_to_the_bar_of_the_class(app):
    open_link("pages/training.py", app, train_view="schedule", lesson="masks", projector="on")
    before = chart(app, "train_schedule_picture")["layout"]["height"]
    press(app, "class_open_sidebar")
    press(app, "class_begin")
    assert chart(app, "train_schedule_picture")["layout"]["height"] == before - projector.CLASS
