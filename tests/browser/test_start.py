"""The start page: alive before the model is loaded, and no wider than a phone; its keys are in tests/components."""

import re
import urllib.error
import urllib.request

from playwright.sync_api import Page, expect

from tests.browser.conftest import serve
from tests.browser.helpers import FIRST_TOKENS, sideways, wait_for_app


def arrive(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".st-key-writing .token").first).to_be_visible()
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
        expect(page.locator(".st-key-writing .line")).to_contain_text(re.compile(r"Step (?!1 )\d+ of "))
        expect(page.get_by_role("button", name="Look inside my text")).to_be_visible()
        assert not is_loaded(url), "the model was faster than the page: this test shows nothing"
        page.goto("/summarize?example=cat-sitter")  # a dialogue is there before the model, and can be edited
        expect(page.locator(".bubble").first).to_contain_text("looking after Biscuit")
        wait_for_app(page)
        page.locator(".turn").first.hover()
        page.get_by_label("Edit turn 1", exact=True).click()
        page.get_by_label("Text of turn 1", exact=True).fill("Edited while the model loads.")
        page.keyboard.press("Enter")
        edited = "Edited while the model loads."
        expect(page.locator(".bubble").first).to_have_text(edited, timeout=FIRST_TOKENS)  # after a summary
        page.close()  # before the server goes away


def test_nothing_scrolls_sideways_on_a_phone(open_page, app_url):
    page = open_page(app_url, width=390, height=844)
    arrive(page)
    assert sideways(page) == []
