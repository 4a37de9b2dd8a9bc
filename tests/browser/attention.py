"""Helpers of the browser tests of the Attention page and the lab: opening them, and their controls."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import FIRST_TOKENS, wait_for_app

VIEWS = {
    "turns": ("By turn", ".st-key-ribbons svg"),
    "heads": ("All heads", ".st-key-head_grid .tile"),
    "head": ("One head", ".st-key-head_lines .side.row .token"),
    "inside": ("Inside it", ".st-key-inside_stages .cell"),
    "catalogue": ("Catalogue", ".st-key-head_map .js-plotly-plot"),
}
"""For each view, its name on the page and something that only it shows."""


def open_attention(page: Page, link: str = "") -> None:
    """Open the Attention page and wait for its view; `link` stands after the path, "?see=head" for instance."""
    page.goto(f"/attention{link}")
    found = re.search("see=([a-z]+)", link)
    shown(page, found[1] if found else "turns", FIRST_TOKENS)


def shown(page: Page, name: str, timeout: int = 30_000) -> None:
    """Wait until a view is drawn."""
    expect(page.locator(VIEWS[name][1]).first).to_be_visible(timeout=timeout)
    wait_for_app(page)


def see(page: Page, name: str) -> None:
    """Open a view by its button."""
    press(page, "see", VIEWS[name][0])
    shown(page, name)


def press(page: Page, key: str, text: str) -> None:
    """Choose one of the segments of a control."""
    page.locator(f".st-key-{key}").get_by_text(text, exact=True).click()
    wait_for_app(page)


def lines(page: Page) -> Locator:
    """Return the view from token to token."""
    return page.locator(".st-key-head_lines")


def rows(page: Page) -> Locator:
    """Return the tokens on the left of the lines."""
    return lines(page).locator(".side.row .token")


def locked(page: Page) -> list[int]:
    """Return the locked rows of the lines, from 0."""
    return lines(page).locator(".side.row .locked").evaluate_all("nodes => nodes.map(n => Number(n.dataset.index))")


def address(page: Page, part: str) -> None:
    """Wait until the address says something, "token=3" for instance."""
    expect(page).to_have_url(re.compile(rf"[?&]{part}(&|$)"))
    wait_for_app(page)
