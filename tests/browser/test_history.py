"""The browser's Back and Forward: to the default view of a page, through pages, and with a pasted dialogue."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser.helpers import FIRST_TOKENS, paste_here, wait_for_app

VIEWS = (
    ("Masks", "masks_view", "Your batch", "The lesson"),
    ("Decoding", "view", "Step by step", "Branches"),
    ("Attention", "see", "By turn", "All heads"),
)
"""Title in the menu, name of the choice in a link, the default view, and another one."""
TEXT = "Nora: The goat has eaten the timetable again.\nPim: Then how do we know when the ferry leaves?"


def go(page: Page, title: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True).click()
    expect(page).to_have_url(re.compile(r"//[^/]+/$" if title == "Start" else f"/{title.lower()}"))
    wait_for_app(page)


def expect_view(page: Page, key: str, label: str) -> None:
    chosen = page.locator(f".st-key-{key}").get_by_role("radio", name=label)
    expect(chosen).to_have_attribute("aria-checked", "true", timeout=FIRST_TOKENS)
    wait_for_app(page)


def choose_view(page: Page, key: str, label: str) -> None:
    page.locator(f".st-key-{key}").get_by_text(label, exact=True).click()
    expect(page).to_have_url(re.compile(f"[?&]{key}="))
    expect_view(page, key, label)


def test_back_leads_to_the_default_view_and_then_out_of_the_page(page):
    page.goto("/summarize")
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    for title, key, first, second in VIEWS:
        go(page, title)
        expect_view(page, key, first)
        choose_view(page, key, second)
        page.go_back()
        expect_view(page, key, first)
        expect(page).to_have_url(re.compile(f"/{title.lower()}$"))
        page.go_forward()
        expect_view(page, key, second)
        page.go_back()
        expect_view(page, key, first)
    for title, key, first, _ in VIEWS[-2::-1]:  # one step a page, for each was left in its default view
        page.go_back()
        expect(page).to_have_url(re.compile(f"/{title.lower()}$"))
        expect_view(page, key, first)
    page.go_back()
    expect(page.locator(".st-key-summary_tokens .token").first).to_be_visible()


def test_back_is_no_trap_and_a_pasted_dialogue_stays(page):
    page.goto("/masks?masks_view=lesson")
    expect_view(page, "masks_view", "The lesson")
    go(page, "Decoding")
    paste_here(page, TEXT)
    page.get_by_test_id("stSidebar").get_by_text("Greedy", exact=True).click()
    expect(page).to_have_url(re.compile("strategy=greedy"))
    wait_for_app(page)
    choose_view(page, "view", "Branches")
    go(page, "Summarize")
    expect(page.locator(".bubble")).to_have_count(2)
    bar = page.get_by_role("button", name="Dialogue: Nora: The goat")
    steps = 0
    while "/masks" not in page.url:
        assert steps < 12, "Back never leaves the page"
        page.go_back()
        wait_for_app(page)
        steps += 1
    expect_view(page, "masks_view", "The lesson")
    for _ in range(steps):
        page.go_forward()
        wait_for_app(page)
    expect(page.locator(".bubble")).to_have_count(2)
    assert "t=" in page.url
    go(page, "Decoding")
    expect(bar).to_be_visible()


def test_a_page_of_the_menu_is_one_step_whatever_its_address_says(page):
    page.goto("/summarize?example=cat-sitter")
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    titles = ("Tokens", "Masks", "Decoding")
    for title in titles:
        go(page, title)
        expect(page).to_have_url(re.compile(f"/{title.lower()}\\?example=cat-sitter$"))
        wait_for_app(page)
    choose_view(page, "view", "Branches")
    for path in ("decoding", "masks", "tokens", "summarize"):
        page.go_back()
        expect(page).to_have_url(re.compile(f"/{path}\\?example=cat-sitter$"))
        wait_for_app(page)
    for path in ("tokens", "masks", "decoding"):
        page.go_forward()
        expect(page).to_have_url(re.compile(f"/{path}\\?example=cat-sitter$"))
        wait_for_app(page)
    go(page, "Positions")
    expect(page).to_have_url(re.compile("/positions\\?example=cat-sitter$"))


def test_a_link_without_a_page_opens_summarize_and_back_leads_out_of_it(page):
    page.goto("/_stcore/health")
    for link in ("example=cat-sitter", "strategy=greedy&example=cat-sitter"):
        page.goto(f"/?{link}")
        expect(page.locator(".bubble").first).to_contain_text("looking after Biscuit", timeout=FIRST_TOKENS)
        wait_for_app(page)
        assert "/summarize?" in page.url and set(urlsplit(page.url).query.split("&")) == set(link.split("&"))
        page.go_back()
        expect(page).to_have_url(re.compile("/_stcore/health$"))


def test_the_start_page_is_one_step_of_the_history(page):
    page.goto("/summarize")
    go(page, "Start")
    go(page, "Masks")
    steps = [(page.go_back, "/"), (page.go_back, "/summarize"), (page.go_forward, "/"), (page.go_forward, "/masks")]
    for step, path in steps:
        step()
        expect(page).to_have_url(re.compile(f"//[^/]+{path}$"))
        wait_for_app(page)
