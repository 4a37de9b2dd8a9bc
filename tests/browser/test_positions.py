"""The Positions page in a real browser: sizes are typed, printed numbers are read and come back."""

from playwright.sync_api import Page, expect

from tests.browser.attention import address
from tests.browser.helpers import FIRST_TOKENS, SLOW, caption, choose, fill, sideways, unfold, wait_for_app


def test_the_slides_numbers_are_drawn_and_come_back(page: Page) -> None:
    page.goto("/positions?checkpoint=dialoscope-scratch")
    chart = page.locator(".st-key-pos_map_picture .js-plotly-plot").first
    expect(chart).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    fill(page, "Width d", "7")
    caption(page, "50 positions × 7 dimensions")
    address(page, "pos_width=7")
    choose(page, "pos_preset", "From a lecture: 5 × 5")
    expect(chart.locator(".scatterlayer text").filter(has_text="0.841")).to_have_count(1)
    unfold(page, "The numbers of the slides")
    expect(page.get_by_role("cell", name="0.84147096 ✓", exact=True)).to_be_visible()
    unfold(page, "One number, step by step")
    fill(page, "Position p, 0 to 4", "4")
    fill(page, "Dimension, 0 to 4", "4")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(page.locator(".katex-html").nth(1)).to_contain_text("0.10030649", timeout=FIRST_TOKENS)
    wait_for_app(page)
    unfold(page, "One number, step by step")
    assert sideways(page, "") == []
    page.go_back()
    expect(page.locator(".st-key-pos_dimension input")).not_to_have_value("4", timeout=SLOW)
    caption(page, "25 of 25 numbers are as slides of a lecture show them")
