"""The bar of a class: when it leads the app on, what lets go, what the browser keeps for the presenter."""

import json
from typing import Any

import pytest

from pages.shared.components.class_bar import class_data
from tests.components.harness import Stage

STORE = "dialoscope-class"
STREAM = """
window.streams = [];
window.EventSource = class {
  static CLOSED = 2;
  constructor(url) { Object.assign(this, { url, readyState: 1 }); window.streams.push(this); }
  close() { this.readyState = 2; }
};
window.led ??= (() => {
  const led = [];
  window.addEventListener("popstate", () => led.push(location.pathname + location.search));
  return led;
})();
"""
"""A stream whose events the test makes, and a record of where the app is led."""


@pytest.fixture
def bar(stage, page):
    """Draws the bar, with what the tab had kept before."""
    page.add_init_script(STREAM)

    def draw(data: dict[str, Any], kept: str | None = None) -> Stage:
        page.goto("http://harness.test/")
        page.evaluate("([key, text]) => { sessionStorage.clear(); if (text) sessionStorage.setItem(key, text); }",
                      [STORE, kept])  # fmt: skip
        return stage("shared/class_bar", data)

    yield draw
    page.evaluate("() => sessionStorage.clear()")


def follower(version: int = 1, alone: bool = False) -> dict[str, Any]:
    return class_data("follower", "GGM34V", "f", version, alone)


def hear(drawn: Stage, **news: Any) -> None:
    """The server tells something."""
    drawn.page.evaluate("text => window.streams.at(-1).onmessage({ data: text })", json.dumps({"followers": 3} | news))


def led(drawn: Stage) -> list[str]:
    return drawn.page.evaluate("() => window.led")


def kept(drawn: Stage) -> list[str]:
    return json.loads(drawn.page.evaluate("key => sessionStorage.getItem(key)", STORE) or "[]")


def test_a_newer_scene_leads_there_and_the_history_stays_as_long_as_it_was(bar):
    drawn = bar(follower())
    length = drawn.page.evaluate("() => history.length")
    hear(drawn, version=1, path="masks")
    assert led(drawn) == []
    hear(drawn, version=2, path="decoding")
    assert led(drawn) == ["/decoding?follow=GGM34V&now=2"]
    assert drawn.page.evaluate("() => history.length") == length
    hear(drawn, version=2, path="decoding")
    assert len(led(drawn)) == 1, "the same news leads once"


def test_of_quick_changes_only_the_last_counts(bar, clock):
    drawn = bar(follower())
    for version in range(2, 9):
        hear(drawn, version=version, path="decoding")
        clock.run_for(20)
    clock.run_for(400)
    assert [each.split("now=")[1] for each in led(drawn)] == ["2", "8"]


def test_who_explores_alone_is_not_led_until_the_way_back(bar):
    drawn = bar(follower(alone=True))
    hear(drawn, version=5, path="decoding")
    assert led(drawn) == [] and drawn.find("[role=status]").inner_text() == "You explore alone."
    drawn.find("button").first.click()
    assert drawn.sent() == [["act", "back"]]


def test_esc_lets_go_unless_what_has_the_focus_uses_it(bar):
    drawn = bar(follower())
    for kind in ("input", "button"):  # a button of a component
        drawn.page.evaluate("kind => document.querySelector('main').append(document.createElement(kind))", kind)
        drawn.page.locator(f"main > {kind}").focus()
        drawn.press("Escape")
        assert drawn.sent() == []
    drawn.find("button").first.focus()
    drawn.press("Escape")
    assert drawn.sent() == [["act", "explore"]]
    drawn = bar(follower())
    drawn.press("Escape")  # nothing has it
    assert drawn.sent() == [["act", "explore"]]


def test_the_presenter_sees_how_many_follow(bar):
    drawn = bar(class_data("presenter", "GGM34V", "key"))
    texts = []
    for count in (0, 1, 30):
        hear(drawn, version=1, path="masks", followers=count)
        texts.append(drawn.find(".count").inner_text())
    assert texts == ["nobody follows", "1 follows", "30 follow"] and led(drawn) == []


def test_a_presenter_who_loads_the_page_again_presents_on(bar):
    drawn = bar(class_data("presenter", "GGM34V", "key"))
    assert kept(drawn) == ["GGM34V", "key"]
    again = bar(class_data(), kept='["GGM34V", "key"]')
    again.draw(class_data())
    assert again.sent() == [["resume", ["GGM34V", "key"]]], "it is told once"
    again.draw(class_data("presenter", "GGM34V", "key"))
    again.draw(class_data())
    assert kept(again) == [], "who has ended the class does not begin it again"


def test_what_was_stored_by_others_is_not_believed(bar):
    for stored in ("not JSON", "[]", "[1, 2]", '["a"]', '{"a": 1}', "null"):
        assert bar(class_data(), kept=stored).sent() == [], stored


def test_an_end_and_a_refused_stream_are_told_once_and_asked_again_later(bar, clock):
    drawn = bar(follower())
    hear(drawn, over=True)
    assert drawn.sent() == [["act", "lost"]] and drawn.page.evaluate("() => window.streams[0].readyState") == 2
    drawn = bar(follower())
    drawn.page.evaluate("() => { const it = window.streams[0]; it.readyState = 2; it.onerror(); }")
    assert drawn.sent() == [["act", "lost"]] and "trying again" in drawn.find("[role=status]").inner_text()
    clock.run_for(5_000)
    assert drawn.page.evaluate("() => window.streams.length") == 2
    hear(drawn, version=1, path="masks")
    assert drawn.find("[role=status]").inner_text() == "You follow the class GGM 34V."


def test_a_class_that_is_left_is_listened_to_no_more(bar):
    drawn = bar(follower())
    drawn.draw(class_data())
    assert drawn.page.evaluate("() => window.streams.map((each) => each.readyState)") == [2]
    assert not drawn.find(".bar").is_visible()
