"""The address follows the session; a link and the browser's Back are followed by the session."""

from pathlib import Path

import pytest
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy

from pages.shared.place import address, declarations
from tests.pages.decoding import PAGE, arrive, move, words
from tests.pages.driver import another, data, go, notes

PAGES = sorted(path.stem for path in Path("pages").glob("*.py"))
START, SUMMARIZE = "pages/start.py", "pages/summarize.py"


def back(app, monkeypatch: pytest.MonkeyPatch, **link: str):
    """Step through the browser's history to another address."""
    app.query_params.clear()
    app.query_params.update(link)
    with monkeypatch.context() as patch:
        patch.setattr(address, "is_history_step", lambda: True)
        app.run()
    assert not app.exception
    return app


def test_what_one_page_asks_stands_in_its_own_address_alone(app):
    move(arrive(app, heads="1.1", strategy="greedy"), 4)
    assert app.query_params == {"strategy": "greedy", "heads": "1.1", "step": "5"}
    go(app, SUMMARIZE)
    assert app.query_params == {"strategy": "greedy"}
    go(app, PAGE)
    assert app.query_params == {"strategy": "greedy", "heads": "1.1", "step": "5"}


def test_a_page_that_is_come_to_and_one_that_stays_change_the_address_once(app, monkeypatch):
    changes = []
    change = QueryParamsProxy.from_dict
    monkeypatch.setattr(QueryParamsProxy, "from_dict", lambda own, link: (changes.append(link), change(own, link)))
    arrive(app, strategy="greedy")
    assert not changes
    for page in (SUMMARIZE, PAGE):
        app.query_params.clear()  # a choice in the menu leads to the path alone
        go(app, page)
    app.segmented_control(key="view").set_value("branches").run()
    assert changes == [{"strategy": "greedy"}] * 2 + [{"strategy": "greedy", "view": "branches"}]


def test_a_page_leaves_the_fields_of_another_alone(app):
    app.query_params.update({"step": "99999", "view": "none", "max_tokens": "9"})
    app.run()
    assert not notes(app) and app.query_params == {"max_tokens": "9"}
    go(app.run(), PAGE)
    assert data(app, "stepper")["step"] == 0 and not notes(app)


def test_a_link_survives_a_change_of_page_right_after_it(app):
    for first, second in ((SUMMARIZE, PAGE), (PAGE, SUMMARIZE)):
        fresh = another(app)
        fresh.query_params["example"] = "cat-sitter"
        go(fresh.switch_page(first).run(), second)
        assert fresh.query_params == {"example": "cat-sitter"}
        assert fresh.segmented_control(key="input").value == "example"


def test_back_shows_what_its_address_says(app, monkeypatch):
    move(arrive(app, look_top_k="5"), 4)
    move(app, 7)
    back(app, monkeypatch, step="5", look_top_k="5")
    assert data(app, "stepper")["step"] == 4 and app.slider(key="look_top_k").value == 5
    back(app, monkeypatch, step="3", branch="2.273")
    assert app.query_params == {"step": "3", "branch": "2.273"}
    assert words(app)[1] == "the" and data(app, "stepper")["step"] == 2
    assert app.slider(key="look_top_k").value == 0  # what a link does not say is as on a first visit


def test_back_to_a_page_as_it_was_first_shown_shows_its_default_view(app, monkeypatch):
    arrive(app)
    app.segmented_control(key="view").set_value("branches").run()
    back(app, monkeypatch)
    assert app.segmented_control(key="view").value == "steps" and app.query_params == {}
    back(app, monkeypatch, view="branches")
    assert app.segmented_control(key="view").value == "branches"


def test_an_address_that_says_nothing_and_one_without_a_step_through_the_history_lose_nothing(app, monkeypatch):
    move(arrive(app, strategy="greedy"), 4)
    wanted = {"strategy": "greedy", "step": "5"}
    back(app, monkeypatch)
    assert app.query_params == wanted and data(app, "stepper")["step"] == 4
    app.query_params.update({"step": "9", "strategy": "sample", "unknown": "x"})
    app.run()
    assert app.query_params == wanted and data(app, "stepper")["step"] == 4


@pytest.mark.parametrize("name", PAGES)
def test_no_two_fields_of_a_page_have_one_name(name):
    names = [field.name for field in (*declarations.SHARED, *declarations.page_at(name).fields)]
    assert len(set(names)) == len(names)


def test_the_address_of_the_start_page_says_nothing_and_what_was_chosen_stays(app):
    app.query_params.update({"example": "cat-sitter", "strategy": "greedy"})
    app.run()
    go(app, START)
    assert app.query_params == {}
    go(app, SUMMARIZE)
    assert app.query_params == {"example": "cat-sitter", "strategy": "greedy"}


def test_the_start_page_leaves_a_link_alone(app, monkeypatch):
    app.switch_page(START)
    app.query_params.update({"strategy": "sample", "t": "damaged"})
    app.run()
    assert app.query_params == {} and not notes(app)
    back(app, monkeypatch, strategy="sample", t="damaged")
    assert app.query_params == {} and not notes(app)
    assert app.session_state["strategy"] == "beam"
