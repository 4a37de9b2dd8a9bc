"""The keys of the projector: what each does, when it counts, and how a picture is made to fit."""

from typing import Any

import pytest

from tests.components.harness import Stage
from tests.components.samples import SAMPLES

APP = """
<section data-testid="stMain" style="height: 600px; overflow: auto">
  <div class="st-key-see"><b role="radio" id="view1">1</b><b role="radio" id="view2">2</b></div>
  <div class="st-key-grid"><div data-testid="stBidiComponentIsolated" style="height: 500px">picture</div></div>
  <input id="text"><select id="list"></select><input id="menu" role="combobox" aria-expanded="true">
  <input id="chosen" role="combobox" aria-expanded="false">
  <input type="range" id="range"><button id="button">B</button>
</section>
<a data-testid="stSidebarNavLink" href="/before">before</a><a data-testid="stSidebarNavLink" href="/">here</a>
<a data-testid="stSidebarNavLink" href="/after">after</a>
<div class="st-key-switch"><button id="switch">S</button></div>
"""
LISTEN = """html => {
  document.querySelector("main").insertAdjacentHTML("beforeend", html);
  window.clicked = [];
  document.querySelector("main").addEventListener("click", event => {
    event.preventDefault();
    window.clicked.push(event.target.id || event.target.textContent);
  });
}"""


@pytest.fixture
def projector(stage, page):
    """Draws the component on a page with views, a picture, a menu and the switch."""
    drawn: Stage = stage("shared/projector_keys", sample(chosen="other"))
    page.evaluate(LISTEN, APP)
    drawn.draw(sample())
    return drawn


def sample(**changes: Any) -> dict[str, Any]:
    return SAMPLES["shared/projector_keys"]() | changes


def clicked(drawn: Stage) -> list[str]:
    return drawn.page.evaluate("() => window.clicked")


def test_a_key_clicks_what_it_stands_for_and_others_mean_what_they_always_do(projector):
    press, wanted = projector.page.keyboard.press, []
    keys = {"1": "view1", "2": "view2", "n": "after", "]": "after", "b": "before", "[": "before", "p": "switch"}
    for key, what in keys.items():
        press(key)
        wanted.append(what)
        assert clicked(projector) == wanted
    for key in ("3", "0", "x", "r", "c", "ArrowRight", "Space", "PageDown", "Control+p", "Alt+n", "Meta+1"):
        press(key)
        assert clicked(projector) == wanted and projector.find(".panel").is_hidden(), key


def test_no_key_counts_where_one_types_or_chooses(projector):
    for place in ("#text", "#list", "#menu"):
        projector.page.locator(place).focus()
        projector.page.keyboard.type("n1fp?")
        assert clicked(projector) == [] and projector.find(".panel").is_hidden()
    for place in ("#range", "#button", "#chosen"):  # which have no use for them, nor has a list that is closed
        projector.page.locator(place).focus()
        projector.page.keyboard.press("n")
    assert clicked(projector) == ["after"] * 3 and projector.page.locator("#chosen").input_value() == ""


def test_the_list_of_keys_opens_takes_the_focus_and_closes(projector):
    page = projector.page
    for close in ("?", "Escape", "Enter"):
        page.keyboard.press("?")
        assert projector.focused().inner_text() == "Close"
        assert "the next page" in projector.find(".panel").inner_text()
        page.keyboard.press(close)
        assert projector.find(".panel").is_hidden() and projector.focused().inner_text().startswith("Keys")


def test_the_controls_unfold_until_another_view_is_shown(projector):
    root = projector.page.locator("html")
    projector.page.keyboard.press("f")
    assert root.get_attribute("data-unfolded") == ""
    projector.draw(sample(drawn=2))
    assert root.get_attribute("data-unfolded") == ""
    projector.draw(sample(chosen="a c", drawn=3))
    assert root.get_attribute("data-unfolded") is None


def test_a_picture_that_is_too_tall_shrinks_into_the_window_and_grows_again(projector):
    page, grid = projector.page, projector.page.locator(".st-key-grid")
    below = "([node, edge]) => node.getBoundingClientRect().bottom <= edge"
    page.set_viewport_size({"width": 1100, "height": 500})
    page.wait_for_function(below, arg=[grid.element_handle(), 500])
    assert grid.bounding_box()["height"] > 300
    page.set_viewport_size({"width": 1100, "height": 900})
    page.wait_for_function("node => node.getBoundingClientRect().height > 490", arg=grid.element_handle())
    page.set_viewport_size({"width": 1100, "height": 260})  # half its size is too tall: it stays readable, and scrolls
    page.wait_for_function("node => node.style.zoom === '0.8'", arg=grid.element_handle())


def test_a_key_that_a_component_has_answered_is_not_answered_twice(projector):
    projector.page.evaluate(
        "() => document.addEventListener('keydown', event => event.preventDefault(), { once: true })"
    )
    projector.page.keyboard.press("n")
    assert clicked(projector) == []
    projector.page.keyboard.press("n")
    assert clicked(projector) == ["after"]
