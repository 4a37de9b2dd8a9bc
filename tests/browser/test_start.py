"""The start page: alive before the model is loaded, led by the keyboard, still on request, and its doors."""

import re
import urllib.error
import urllib.request

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import serve
from tests.browser.helpers import FIRST_TOKENS, expect_step, sideways, wait_for_app


def line(page: Page) -> str:
    """The sentence about the step that is shown."""
    return page.locator(".st-key-writing .line").inner_text().replace("\xa0", " ")


def arrive(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".st-key-writing .token").first).to_be_visible(timeout=60_000)
    wait_for_app(page)


def is_loaded(url: str) -> bool:
    """Whether the model is loaded; for the health check of a server."""
    try:
        return urllib.request.urlopen(f"{url}/ready", timeout=10).status == 200
    except urllib.error.HTTPError:
        return False


def test_it_plays_before_the_model_is_loaded(open_page, tmp_path):
    with serve(tmp_path / "app.log") as url:
        page = open_page(url)
        arrive(page)
        expect(page.locator(".st-key-writing .line")).to_contain_text("Step 2 of ")
        expect(page.get_by_role("button", name="Look inside my text")).to_be_visible()
        assert not is_loaded(url), "the model was faster than the page: this test shows nothing"
        page.goto("/summarize?example=cat-sitter")  # a dialogue is there before the model, and can be edited
        expect(page.locator(".bubble").first).to_contain_text("looking after Biscuit", timeout=60_000)
        wait_for_app(page)
        page.locator(".turn").first.hover()
        page.get_by_label("Edit turn 1", exact=True).click()
        page.get_by_label("Text of turn 1", exact=True).fill("Edited while the model loads.")
        page.keyboard.press("Enter")
        expect(page.locator(".bubble").first).to_have_text("Edited while the model loads.")
        page.close()  # before the server goes away


def test_keys_pause_and_step_it_and_a_step_opens_where_it_is_explained(page):
    arrive(page)
    page.keyboard.press("Space")
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-writing .play")).to_have_text("Play")
    assert line(page).startswith("Step 4 of ")
    turn, share = re.search(r"Turn (\d+) .* gets the most attention, (.+ %)", line(page)).groups()
    lit = page.locator(".st-key-writing .turn.most")
    expect(lit.locator(".count")).to_have_text(turn)
    expect(lit.locator(".share")).to_have_text(share.replace(" ", "\xa0"))
    page.get_by_role("button", name="Decoding").click()
    expect(page.locator(".st-key-stepper .token").first).to_be_visible(timeout=FIRST_TOKENS)
    expect_step(page, 4)
    page.go_back()
    expect(page.locator(".st-key-writing .token").first).to_be_visible()
    wait_for_app(page)
    page.get_by_role("button", name="Look inside my text").click()
    expect(page.get_by_label("Your dialogue, one turn a line")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/summarize\?input=paste$"))


def test_without_motion_it_is_still_and_has_a_button_for_the_next_step(open_page, app_url):
    page = open_page(app_url, width=390, height=844, color_scheme="dark", reduced_motion="reduce")
    arrive(page)
    first = line(page)
    page.wait_for_timeout(2_000)  # it would play every 1.6 s
    assert line(page) == first and page.locator(".st-key-writing .play").is_hidden()
    page.get_by_role("button", name="Next step").click()
    assert line(page).startswith("Step 2 of ")
    assert sideways(page) == [] and violations(page) == []
