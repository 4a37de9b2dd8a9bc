"""Nothing that a click starts takes over a second without something on the screen that moves."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import FIRST_TOKENS, wait_for_app

STILL = 1500
"""Milliseconds without anything that moves: a second, and half of one for a busy machine."""
WATCH = """() => {
  const signs = ["Spinner", "Progress", "Skeleton", "StatusWidget"].map(name => `[data-testid=st${name}]`).join();
  const seen = node => {
    const { bottom, top, width } = node.getBoundingClientRect();
    const shown = node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    return shown && width && bottom > 0 && top < innerHeight;
  };
  let since = performance.now();
  window.still = 0;
  setInterval(() => {
    const { testScriptState } = document.querySelector("[data-testid=stApp]").dataset;
    if (testScriptState === "notRunning" || [...document.querySelectorAll(signs)].some(seen)) since = performance.now();
    window.still = Math.max(window.still, performance.now() - since);
  }, 40);
}"""
CLICKS = [
    ("/errors", "radio", "Compare"),
    ("/experiments?experiment=heads", "button", "Ablate each head alone"),
    ("/positions?pos_view=sum", "radio", "Test it"),
    ("/experiments", "radio", "Lenses"),
    ("/experiments", "radio", "Methods"),
    ("/decoding", "radio", "Compare strategies"),
    ("/architecture", "radio", "Published shapes"),
    ("/bertscore", "radio", "Edit it"),
    ("/attention", "radio", "Two models"),
]
"""What took over a second where it was measured, by its page and its control."""


@pytest.mark.slow
@pytest.mark.parametrize(("link", "role", "name"), CLICKS)
def test_a_click_that_takes_long_moves_something_within_a_second(page: Page, link: str, role: str, name: str) -> None:
    page.goto(link)
    control = page.get_by_test_id("stMain").get_by_role(role, name=name)
    expect(control).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)  # what waits for the model is drawn after it
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=FIRST_TOKENS)
    wait_for_app(page)
    page.evaluate(WATCH)
    control.click()
    if role == "button":  # a sweep of a minute: its beginning is enough
        page.wait_for_timeout(6000)
        page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
    wait_for_app(page)
    assert page.evaluate("() => window.still") < STILL
