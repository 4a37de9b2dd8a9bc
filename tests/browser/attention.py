"""Helpers of the browser tests of the Attention page and the lab: its views, their controls and the address."""

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import wait_for_app

VIEWS = {
    "turns": ".st-key-ribbons svg",
    "heads": ".st-key-head_grid .tile",
    "head": ".st-key-head_lines .side.row .token",
    "catalogue": ".st-key-head_map .js-plotly-plot",
}
"""For each view, something that only it shows."""


def shown(page: Page, name: str, timeout: int = 30_000) -> None:
    """Wait until a view is drawn."""
    expect(page.locator(VIEWS[name]).first).to_be_visible(timeout=timeout)
    wait_for_app(page)


def press(page: Page, key: str, text: str) -> None:
    """Choose one of the segments of a control."""
    page.locator(f".st-key-{key}").get_by_text(text, exact=True).click()
    wait_for_app(page)


def address(page: Page, part: str) -> None:
    """Wait until the address says something, "token=3" for instance."""
    expect(page).to_have_url(re.compile(rf"[?&]{part}(&|$)"))
    wait_for_app(page)
