"""Lessons in the app: a stop opens its page, its task ticks itself, its question waits for a guess, keys lead on."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.lessons import course
from core.lessons.stop import Condition, Stop
from core.place import Place
from core.text import links
from pages.shared.components.lesson_keys import KEY
from pages.shared.model import models
from pages.shared.place import open_stop as lessons
from pages.shared.session import selection
from tests.pages.conftest import ROOT
from tests.pages.driver import another, choose, data, go, healthy, noted, open_link, press, said, stay, trigger
from tests.pages.driver import enter as type_in

pytestmark = pytest.mark.usefixtures("settled")
HOME = "pages/lessons.py"
STOPS = list(course.load().stops.values())


def home(app: AppTest) -> AppTest:
    """Open the page with all stops; later runs are of the page that is open then."""
    return stay(open_link(HOME, app))


def open_stop(app: AppTest, stop: str) -> AppTest:
    """Open a stop on the page with all of them."""
    return press(home(app), f"open_{stop}")


def panel(app: AppTest) -> str:
    """What the panel says."""
    bottom = app._tree.children.get(3)
    return said(bottom) if bottom else ""


def is_ticked(app: AppTest) -> bool:
    return ":material/check_circle: Done." in panel(app)


SHIPPED = ("attention", "bertscore", "errors")
"""Pages whose stops ask for more heads than the small model has, or ask about what the shipped model writes."""


@pytest.fixture
def real(shipped, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app with the checkpoints that ship; the model is there already."""
    job = SimpleNamespace(summarizer=shipped, error=None, done=SimpleNamespace(is_set=lambda: True))
    monkeypatch.setattr(models, "job", lambda name, trained=True: job)
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=240)


def test_every_stop_that_ships_asks_its_page_for_what_that_has():
    assert [lessons.wrong(stop) for stop in STOPS] == [""] * len(STOPS) and not lessons.every().faults


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.id)
def test_a_stop_opens_its_page_as_its_link_says(request, stop):
    app = request.getfixturevalue("real" if stop.place.page in SHIPPED else "app")
    open_stop(app, stop.id)
    state = app.session_state
    assert app.query_params["lesson"] == stop.id and stop.title in panel(app) and not noted(app)
    assert state["page"] == stop.place.page and not is_ticked(app)
    assert {name: str(state[name]) for name in stop.place.link} == stop.place.link
    assert "Predict." in panel(app) or any("Predict" in each.label for each in (*app.pills, *app.number_input))


DONE = {
    "tokens": {"tokens_of": "own", "tokens_text": "Zoë"},
    "positions": {"pos_view": "test"},
    "masks": {"mask_token": 3},
    "one-head": {"layer": 2, "head": 9},
    "many-heads": {"see": "head", "head": 4},
    "cross-attention": {"token": 15},
    "decoding": {"branch": "11.1000"},
    "scores": {"bert_edit": "Nobody has lost a wallet."},
    "errors": {"err_row": "not-coming"},
    "three-words": {"shows": "zeroing"},
}
"""What the task of each stop changes."""


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.id)
def test_a_task_ticks_itself_when_it_is_done(stop, monkeypatch):
    session: dict[str, object] = {"page": stop.place.page, "lesson": stop.id}
    monkeypatch.setattr(lessons.st, "session_state", session)
    monkeypatch.setattr(lessons.st, "rerun", lambda: None)
    lessons.observe()
    assert lessons.done() == frozenset()
    first, *others = DONE[stop.id].items()
    session.update(others or [first])
    if others and stop.id != "tokens":
        lessons.observe()
        assert lessons.done() == frozenset()
    session.update([first])
    lessons.observe()
    assert lessons.done() == {stop.id}


def test_a_tick_comes_with_the_change_and_is_remembered(app):
    open_stop(app, "many-heads")
    trigger(app, "head_grid", "open", {"layer": 0, "head": 1})
    assert is_ticked(app) and data(app, "lesson_keys")["done"] == ["many-heads"]
    open_link(HOME, app)
    assert any(each.label.startswith("5 · ") and each.label.endswith(" (done)") for each in app.button)


@pytest.mark.parametrize("demo", ["0", "1"])
def test_the_right_answer_is_shown_after_a_guess_alone(app, monkeypatch, demo):
    monkeypatch.setenv("DIALOSCOPE_DEMO", demo)
    open_stop(app, "masks")
    pills = app.pills(key="lesson_guess_masks")
    assert pills.options == ["It falls", "It stays as it is", "It rises"] and "With the mask" not in panel(app)
    healthy(pills.set_value(0).run())
    assert "You said: It falls. It is: " in panel(app) or "Right: It falls." in panel(app)
    assert "With the mask the loss of this summary is" in panel(app)


def test_a_number_may_be_near_and_another_dialogue_asks_anew(app):
    open_stop(app, "decoding")
    asks = lambda: [each for each in app.number_input if each.key == "lesson_guess_decoding"]  # noqa: E731
    type_in(app, "lesson_guess_decoding", 0)
    assert "Right: 0." in panel(app) or "Close: " in panel(app) or "You said: 0. It is: " in panel(app)
    assert not asks()
    app.session_state["example"] = "cat-sitter"
    healthy(app.run())
    assert asks()


def test_keys_lead_through_a_talk_and_back(app):
    press(home(app), "start_talk-5")
    pages = []
    for step in (0, 1, 1, -1, 1):
        if step:
            trigger(app, KEY, "go", step)
        pages.append((app.session_state["page"], app.session_state["lesson"]))
    order = [("attention", "one-head"), ("attention", "cross-attention"), ("errors", "errors")]
    assert pages == [*order, order[1], order[2]] and app.query_params["talk"] == "talk-5"
    trigger(app, KEY, "go", 1)
    assert app.session_state["page"] == "lessons" and not {"lesson", "talk"} & set(app.query_params)


def test_the_first_stop_has_no_way_back(app):
    open_stop(app, "tokens")
    trigger(app, KEY, "go", -1)
    assert app.button(key="lesson_back").disabled and app.session_state["lesson"] == "tokens"


def test_next_sets_the_page_up_as_on_a_first_visit(app):
    open_stop(app, "one-head")
    press(choose(app, "sinks", "without"), "lesson_next")
    assert app.segmented_control(key="sinks").value == "with" and app.segmented_control(key="see").value == "heads"


def test_a_link_opens_a_stop_on_any_page_and_leads_to_its_own(app):
    stay(open_link("pages/summarize.py", app, lesson="cross-attention"))
    assert "Cross-attention" in panel(app) and app.button(key="lesson_set").label == "Go to its page"
    press(app, "lesson_set")
    assert app.session_state["page"] == "attention" and app.query_params["see"] == "head"
    assert app.button(key="lesson_set").label == "Set the page up again"


def test_the_panel_goes_along_to_other_pages_until_it_is_closed(app):
    go(open_stop(app, "masks"), "pages/tokens.py")
    assert "Masks" in panel(app) and app.query_params["lesson"] == "masks"
    press(app, "lesson_fold")
    assert "A look-ahead mask" not in panel(app) and "Masks" in panel(app)
    press(app, "lesson_close")
    assert "lesson" not in app.query_params and app.session_state["page"] == "tokens" and not panel(app)


def test_what_the_browser_remembers_is_taken_over_if_there_is_such_a_stop(app):
    open_link(HOME, app)
    trigger(app, KEY, "stored", ["masks", "<b>x</b>", "tokens", "x" * 500])
    assert data(app, "lesson_keys")["done"] == ["masks", "tokens"]
    assert "2 of 10 stops done" in said(app)
    press(app, "forget_path")
    sent = data(app, "lesson_keys")
    assert sent["done"] == [] and sent["cleared"] == 1 and "0 of 10 stops done" in said(app)


@pytest.mark.parametrize("value", [["a", 1], "masks", {"a": 1}, 3])
def test_what_no_browser_would_send_is_put_away(app, value):
    open_link(HOME, app)
    trigger(app, KEY, "stored", value)
    assert "was left out" in said(app) and data(app, "lesson_keys")["done"] == []


def test_a_model_that_lacks_a_part_says_so(app, recurrent_checkpoints, both):
    (both / "looking").symlink_to(recurrent_checkpoints / "looking")
    assert models.job("looking").done.wait(120)
    of_needs = {stop.needs: stop for stop in STOPS}
    assert len(of_needs) > 2
    for stop in of_needs.values():
        found = open_link(
            f"pages/{stop.place.page}.py", another(app), lesson=stop.id, checkpoint="looking", **stop.place.link
        )
        if stop.needs:
            assert "“looking” is a recurrent model: it has no " in said(found), stop.id
            assert "Choose another model in the sidebar: “tiny” and “tiny-copier”." in said(found)
        else:
            assert stop.title in panel(found)


def test_a_broken_file_of_ones_own_is_named_and_the_others_work(app, tmp_path, monkeypatch):
    monkeypatch.setenv(course.SETTING, str(tmp_path))
    good = "---\ntitle: Ours\nlink: /tokens?tokens_view=length&pad_to=9\ndo: Do.\ndone: pad_to changes\n---\nRead it.\n"
    (tmp_path / "ours.md").write_text(good)
    (tmp_path / "field.md").write_text(good.replace("pad_to=9", "see=head"))
    (tmp_path / "value.md").write_text(good.replace("pad_to=9", "pad_to=1"))
    (tmp_path / "page.md").write_text(good.replace("/tokens", "/cooking"))
    (tmp_path / "done.md").write_text(good.replace("pad_to changes", "head changes"))
    (tmp_path / "bad.md").write_text("Hello")
    home(app)
    for part in (
        "bad.md, line 1: the file must begin with a line ---",
        "field.md: the page /tokens has no field see; allowed: example",
        "value.md: The link asks for pad_to=1, which is not possible here (allowed: 2 to 4096)",
        "page.md: there is no such page: No module named 'pages.cooking'",
        "done.md: the page /tokens has no field head; allowed",
    ):
        assert part in said(app)
    press(app, "open_ours")
    assert app.query_params["pad_to"] == "9" and "Read it." in panel(app)
    type_in(app, "pad_to", 12)
    assert is_ticked(app)


@pytest.mark.parametrize(("code", "title"), [("tr", "Maskeler"), ("vi", "Mặt nạ")])
def test_lessons_are_in_the_language_of_the_link(app, code, title):
    stay(open_link("pages/tokens.py", app, lesson="masks", language=code))
    stop = course.load().stops["masks"]
    assert title in panel(app) and stop.title not in panel(app) and stop.task not in panel(app)
    app.selectbox(key="language").set_value("en").run()
    assert stop.title in panel(app) and title not in panel(app)


def test_a_stop_may_bring_its_own_dialogue(app, tmp_path, monkeypatch):
    monkeypatch.setenv(course.SETTING, str(tmp_path))
    link = f"/tokens?input=paste&t={links.pack('Ann: A goat.')}"
    (tmp_path / "goat.md").write_text(f"---\ntitle: Goat\nlink: {link}\ndo: Do.\ndone: turn edited\n---\nRead it.\n")
    press(home(app), "open_goat")
    assert app.session_state[selection.DIALOGUE] == selection.Own("Ann: A goat.")
    damaged = Stop("a", "A", "T.", Place("tokens", {"t": "!!"}), "Do.", (Condition("page", "tokens"),))
    assert "dialogue in the link is damaged" in lessons.wrong(damaged)


def test_where_heads_copy_the_page_says_that_a_weight_is_part_of_a_probability(real):
    open_stop(real, "cross-attention")
    assert "Heads 1 to 4 of this layer copy" in said(real)
    assert "of this layer copy" not in said(choose(real, "layer_choice", 1))
