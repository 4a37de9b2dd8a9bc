"""The keys of a lesson, and what the browser keeps of it: when a key counts, what is believed of what was stored."""

import json
from typing import Any

import pytest

from tests.components.harness import Stage

STORE = "dialoscope-lessons"
FIELD = (
    "<input id='text'><button id='button'>B</button><div role='slider' tabindex='0' id='slider'></div>"
    "<b role='radio' tabindex='0' id='radio'>R</b>"
)


@pytest.fixture
def keys(stage, page):
    """Draws the component, with what the browser had stored before."""

    def draw(stored: str | None = None, **data: Any) -> Stage:
        page.goto("http://harness.test/")
        page.evaluate(
            "([key, text]) => { localStorage.clear(); if (text !== null) localStorage.setItem(key, text); }",
            [STORE, stored],
        )
        return stage("shared/lesson_keys", sample(**data))

    yield draw
    page.evaluate("() => localStorage.clear()")


def sample(**changes: Any) -> dict[str, Any]:
    return {"stop": "masks", "view": "masks_view", "opened": 1, "done": [], "cleared": 0} | changes


def kept(drawn: Stage) -> Any:
    text = drawn.page.evaluate("key => localStorage.getItem(key)", STORE)
    return text and json.loads(text)


def test_a_key_leads_on_or_back_and_others_mean_what_they_always_do(keys):
    drawn, wanted = keys(), []
    for opened, (key, step) in enumerate({"PageDown": 1, "PageUp": -1}.items(), 2):
        drawn.press("Space", "Enter", "ArrowRight", "Control+PageDown", "a")
        assert drawn.sent() == wanted
        wanted.append(["go", step])
        drawn.press(key, key, key)  # one counts until the app has answered
        assert drawn.sent() == wanted
        drawn.draw(sample(opened=opened))


def test_keys_count_only_while_a_stop_is_open(keys):
    drawn = keys(stop="")
    drawn.press("PageDown")
    drawn.draw(sample())
    assert drawn.sent() == []
    drawn.press("PageDown")
    drawn.draw(sample(stop="", opened=1))
    drawn.press("PageUp")
    assert drawn.sent() == [["go", 1]]


def test_a_key_belongs_to_what_has_the_focus_if_that_uses_it(keys):
    drawn = keys()
    drawn.page.evaluate("html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", FIELD)
    for place in ("#text", "#slider"):
        drawn.page.locator(place).focus()
        drawn.press("PageDown", "PageUp")
        assert drawn.sent() == [], place
    drawn.page.locator("#button").focus()
    drawn.press("PageDown")
    assert drawn.sent() == [["go", 1]]


def test_what_was_stored_is_told_once_and_only_ids_are_believed(keys):
    for stored, told in [
        (None, []), ('["masks", "tokens"]', ["masks", "tokens"]), ('["masks", 3, null, {"a": 1}]', ["masks"]),
        (json.dumps(["x" * 41, "masks"]), ["masks"]), ('{"masks": true}', []), ("not JSON", []),
        (json.dumps([f"a{n}" for n in range(99)]), [f"a{n}" for n in range(35, 99)]),
    ]:  # fmt: skip
        drawn = keys(stored)
        drawn.draw(sample())
        assert drawn.sent() == ([["stored", told]] if told else []), stored


def test_what_the_app_has_forgotten_by_a_reset_is_told_again(keys):
    drawn = keys('["masks"]', cleared=3)
    drawn.draw(sample(done=["masks"], cleared=3))
    for _ in range(2):
        drawn.draw(sample(cleared=0))
    assert drawn.sent() == [["stored", ["masks"]]] * 2 and kept(drawn) == ["masks"]


def test_what_is_done_is_kept_until_it_is_forgotten(keys):
    drawn = keys('["other"]')
    drawn.draw(sample(done=["masks"]))
    assert kept(drawn) == ["other", "masks"]
    drawn.draw(sample(done=["masks"], cleared=1))
    assert kept(drawn) == ["masks"]
    drawn.draw(sample(done=[], cleared=2))
    assert kept(drawn) is None
