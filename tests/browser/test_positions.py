"""The Positions page in a real browser: sizes are typed, printed numbers are read, positions are taken away."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, press, wide
from tests.browser.helpers import FIRST_TOKENS, SLOW, caption, fill, unfold, wait_for_app

CHARTS = {"encoding": "pos_map_picture", "distance": "pos_pairs_picture", "sum": "pos_sum_picture",
          "test": "pos_changes_picture"}  # fmt: skip


def open_view(page: Page, view: str = "encoding", link: str = "") -> None:
    """Open a view of the page and wait for its chart."""
    page.goto(f"/positions?pos_view={view}{link}")
    expect(plot(page, CHARTS[view])).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def plot(page: Page, key: str) -> Locator:
    """Return a chart on the page."""
    return page.locator(f".st-key-{key} .js-plotly-plot").first


def outcome(page: Page) -> tuple[str, float]:
    """Return what the model writes with changed positions, and what that does to the old summary in nats."""
    metric = page.get_by_test_id("stMetric").filter(has_text="Effect on the old summary")
    change = metric.get_by_test_id("stMetricValue").inner_text().split()[0].replace("−", "-")
    return page.locator(".st-key-pos_new [data-testid='stText']").inner_text(), float(change)


def test_the_slides_numbers_are_drawn_and_come_back(page):
    open_view(page, link="&checkpoint=dialoscope-scratch")
    fill(page, "Width d (dimensions)", "7")
    caption(page, "50 positions × 7 dimensions")
    address(page, "pos_width=7")
    page.locator(".st-key-pos_preset").get_by_text(re.compile("^From a lecture")).click()
    wait_for_app(page)
    cells = plot(page, "pos_map_picture").locator(".scatterlayer text")
    expect(cells.filter(has_text="0.841")).to_have_count(1)
    unfold(page, "The numbers of the slides")
    expect(page.get_by_role("cell", name="0.84147096 ✓", exact=True)).to_be_visible()
    fill(page, "Position p, 0 to 4", "4")
    fill(page, "Dimension, 0 to 4", "4")
    page.reload()
    expect(page.locator(".katex-html").nth(1)).to_contain_text("0.10030649", timeout=FIRST_TOKENS)
    caption(page, "25 of 25 numbers are as slides of a lecture show them")
    page.go_back()
    expect(page.locator(".st-key-pos_dimension input")).not_to_have_value("4", timeout=SLOW)
    caption(page, "25 of 25 numbers are as slides of a lecture show them")


def test_on_a_phone_in_the_dark_the_model_writes_another_summary_without_positions(open_page, app_url):
    page = open_page(app_url, width=390, color_scheme="dark")
    for view in CHARTS:
        open_view(page, view, "&pos_length=30&pos_width=16")
        assert wide(page) == [], view
    removed, change = outcome(page)
    assert removed != page.get_by_test_id("stText").first.inner_text() and change > 1
    expect(page.locator(".st-key-pos_diff")).to_be_visible()
    caption(page, "summary is [+−]?0.00.nats: the control changes nothing")
    press(page, "pos_change", "Shifted")
    fill(page, re.compile("^Shift by k"), "600")
    caption(page, "The positions end: there are 512")
    fill(page, re.compile("^Shift by k"), "1")
    caption(page, "With positions shifted by 1")
    shifted = outcome(page)
    assert shifted[1] < change
    page.reload()
    caption(page, "With positions shifted by 1", FIRST_TOKENS)
    assert outcome(page) == shifted
