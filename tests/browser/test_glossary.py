"""The glossary in a real browser: a search, the way to a term's page, and Back to the same search."""

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import wait_for_app


def test_a_term_is_searched_leads_to_its_page_and_back_leads_to_the_search(page: Page) -> None:
    page.goto("/glossary")
    box = page.get_by_role("textbox", name="Search the terms")
    expect(box).to_be_visible()
    wait_for_app(page)
    box.fill("look-ahead")
    box.press("Enter")
    term = page.get_by_test_id("stMain").get_by_text("look-ahead mask", exact=True)
    expect(term).to_have_count(1)  # until the search is answered, the whole list and what it finds may both stand there
    expect(page).to_have_url(re.compile("search=look-ahead"))
    wait_for_app(page)
    page.locator("[class*='st-key-see_look-ahead']").get_by_role("button").click()
    expect(page).to_have_url(re.compile("/masks"))
    wait_for_app(page)
    page.go_back()
    expect(page).to_have_url(re.compile("/glossary.*search=look-ahead"))
    expect(term).to_be_visible()
