"""The language of the app in a browser: its own, or the one chosen in the sidebar."""

import re

from playwright.sync_api import Page, expect

from core.words import catalogue
from pages.masks import PAGE as MASKS
from pages.positions import PAGE as POSITIONS
from tests.browser.helpers import choose, wait_for_app


def heading(page: Page, text: str) -> None:
    expect(page.get_by_test_id("stMain").get_by_role("heading", name=text, exact=True)).to_be_visible(timeout=60_000)
    wait_for_app(page)


def test_the_language_of_the_browser_and_of_what_scripts_draw(open_page, app_url: str) -> None:
    page = open_page(app_url, locale="tr-TR")
    page.goto("/masks")
    turkish = catalogue("tr")
    heading(page, turkish[MASKS.title])
    expect(page.locator("html")).to_have_attribute("lang", "tr")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=turkish["Start"], exact=True).click()
    expect(page.locator(".st-key-writing").get_by_role("button", name=turkish["Pause"], exact=True)).to_be_visible()
    wait_for_app(page)
    assert "language" not in page.url


def test_a_chosen_language_stays_from_page_to_page_and_in_the_link(page: Page) -> None:
    page.goto("/masks")
    heading(page, MASKS.title)
    choose(page, "language", "Tiếng Việt")
    vietnamese = catalogue("vi")
    heading(page, vietnamese[MASKS.title])
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=vietnamese["Positions"], exact=True).click()
    heading(page, vietnamese[POSITIONS.title])
    expect(page).to_have_url(re.compile(r"/positions\?language=vi$"))
    page.reload()
    heading(page, vietnamese[POSITIONS.title])
    choose(page, "language", "English")
    heading(page, POSITIONS.title)
