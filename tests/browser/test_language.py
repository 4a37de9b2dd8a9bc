"""The language of the app in a browser: its own, or the one chosen in the sidebar."""

import re

from playwright.sync_api import Page, expect

from core.words import catalogue
from pages.masks import PAGE as MASKS
from pages.positions import PAGE as POSITIONS
from tests.browser.helpers import choose, wait_for_app


def heading(page: Page, text: str) -> None:
    expect(page.get_by_test_id("stMain").get_by_role("heading", name=text, exact=True)).to_be_visible()
    wait_for_app(page)


def test_the_language_is_that_of_the_browser_until_another_is_chosen_which_stays(open_page, app_url: str) -> None:
    page = open_page(app_url, locale="tr-TR")
    page.goto("/masks")
    turkish, vietnamese = catalogue("tr"), catalogue("vi")
    heading(page, turkish[MASKS.title])
    expect(page.locator("html")).to_have_attribute("lang", "tr")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=turkish["Start"], exact=True).click()
    expect(page.locator(".st-key-writing").get_by_role("button", name=turkish["Pause"], exact=True)).to_be_visible()
    wait_for_app(page)
    assert "language" not in page.url
    choose(page, "language", "Tiếng Việt")
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=vietnamese["Positions"], exact=True).click()
    expect(page).to_have_url(re.compile(r"/positions\?language=vi$"))
    page.reload()
    heading(page, vietnamese[POSITIONS.title])
