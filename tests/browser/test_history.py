"""The browser's Back and Forward: to the default view of a page, through pages, and with a pasted dialogue."""

import re
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from core.text import links
from tests.browser.helpers import FIRST_TOKENS, go, paste_here, wait_for_app

TEXT = "Nora: The goat has eaten the timetable again.\nPim: Then how do we know when the ferry leaves?"


def expect_view(page: Page, key: str, label: str) -> None:
    chosen = page.locator(f".st-key-{key}").get_by_role("radio", name=label)
    expect(chosen).to_have_attribute("aria-checked", "true", timeout=FIRST_TOKENS)
    wait_for_app(page)


def choose_view(page: Page, key: str, label: str) -> None:
    page.locator(f".st-key-{key}").get_by_text(label, exact=True).click()
    expect(page).to_have_url(re.compile(f"[?&]{key}="))
    expect_view(page, key, label)


def step(page: Page, move: str, address: str) -> None:
    """Go back or forward, and expect an address behind the server's name."""
    getattr(page, f"go_{move}")()
    expect(page).to_have_url(re.compile(rf"//[^/]+{re.escape(address)}$"))
    wait_for_app(page)


def test_each_page_and_view_is_one_step_and_back_leads_out_of_a_page_in_its_default_view(page: Page) -> None:
    page.goto("/summarize?example=cat-sitter")
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    go(page, "Masks")
    expect_view(page, "masks_view", "Your batch")
    expect(page).to_have_url(re.compile(r"/masks\?example=cat-sitter$"))
    choose_view(page, "masks_view", "Train without the mask")
    step(page, "back", "/masks?example=cat-sitter")
    expect_view(page, "masks_view", "Your batch")
    page.go_forward()
    expect_view(page, "masks_view", "Train without the mask")
    page.go_back()
    expect_view(page, "masks_view", "Your batch")
    go(page, "Decoding")
    choose_view(page, "view", "Branches")
    for path in ("decoding", "masks", "summarize"):
        step(page, "back", f"/{path}?example=cat-sitter")
    expect(page.locator(".st-key-summary_tokens .token").first).to_be_visible()
    for path in ("masks", "decoding"):
        step(page, "forward", f"/{path}?example=cat-sitter")
    go(page, "Positions")
    expect(page).to_have_url(re.compile(r"/positions\?example=cat-sitter$"))


def test_the_start_page_is_one_step_of_the_history(page: Page) -> None:
    page.goto("/summarize")
    go(page, "Start")
    go(page, "Masks")
    for move, path in (("back", "/"), ("back", "/summarize"), ("forward", "/"), ("forward", "/masks")):
        step(page, move, path)


def test_back_twice_before_the_server_has_answered_once_keeps_forward(page: Page, slow_answers) -> None:
    page.goto("/tokens")
    wait_for_app(page)
    go(page, "Start")
    go(page, "Glossary")
    with slow_answers() as held:
        for path in ("/", "/tokens"):
            before = len(held)
            page.go_back()
            expect(page).to_have_url(re.compile(f"//[^/]+{path}$"))
            while len(held) == before:  # the server begins to run the page
                page.wait_for_timeout(50)
    wait_for_app(page)
    for path in ("/", "/glossary"):
        step(page, "forward", path)


def test_back_is_no_trap_and_a_pasted_dialogue_stays(page: Page) -> None:
    page.goto("/masks?masks_view=lesson")
    expect_view(page, "masks_view", "Train without the mask")
    go(page, "Decoding")
    paste_here(page, TEXT)
    page.get_by_test_id("stSidebar").get_by_text("Greedy", exact=True).click()
    expect(page).to_have_url(re.compile("strategy=greedy"), timeout=FIRST_TOKENS)
    wait_for_app(page)
    go(page, "Summarize")
    expect(page.locator(".bubble")).to_have_count(2)
    bar = page.get_by_role("button", name="Dialogue: Nora: The goat")
    steps = 0
    while "/masks" not in page.url:
        assert steps < 12, "Back never leaves the page"
        page.go_back()
        wait_for_app(page)
        steps += 1
    expect_view(page, "masks_view", "Train without the mask")
    for _ in range(steps):
        page.go_forward()
        wait_for_app(page)
    expect(page.locator(".bubble")).to_have_count(2)
    assert "t=" in page.url
    go(page, "Decoding")
    expect(bar).to_be_visible()


def test_a_link_without_a_page_opens_summarize_and_back_leads_out_of_it(page: Page) -> None:
    page.goto("/_stcore/health")
    for link in ("example=cat-sitter", "strategy=greedy&example=cat-sitter"):
        page.goto(f"/?{link}")
        expect(page.locator(".bubble").first).to_contain_text("looking after Biscuit", timeout=FIRST_TOKENS)
        wait_for_app(page)
        assert "/summarize?" in page.url and set(urlsplit(page.url).query.split("&")) == set(link.split("&"))
        page.go_back()
        expect(page).to_have_url(re.compile("/_stcore/health$"))


def test_back_shows_each_view_that_was_looked_at_of_a_pasted_dialogue_once(page: Page) -> None:
    page.goto(f"/summarize?input=paste&t={links.pack(TEXT)}")
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    go(page, "Decoding")
    expect_view(page, "view", "Step by step")
    choose_view(page, "view", "Beam tree")
    go(page, "Attention")
    expect(page).to_have_url(re.compile(r"/attention\?"))
    wait_for_app(page)
    page.go_back()
    expect_view(page, "view", "Beam tree")
    first = page.locator(".st-key-view").get_by_role("radio", name="Step by step")
    for _ in range(2):  # where the browser is slower than the app, it holds one more entry of the page that was left
        page.go_back()
        with suppress(AssertionError):
            expect(first).to_have_attribute("aria-checked", "true", timeout=15_000)
            break
        expect_view(page, "view", "Beam tree")
    expect(first).to_have_attribute("aria-checked", "true")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/summarize\?"))
