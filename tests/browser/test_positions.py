"""The Positions page in a real browser: sizes are typed, printed numbers are read, positions are taken away."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, press, wide
from tests.browser.helpers import FIRST_TOKENS, unfold, wait_for_app

SLIDES = "?pos_length=5&pos_width=5&pos_base=100"
SLOW = 120_000
"""Milliseconds for what compiles a graph, on a busy machine."""
TABLES = ("pos_map_picture", "pos_pairs_picture", "pos_sum_picture", "pos_changes_picture")


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def open_positions(page: Page, link: str = "", chart: str = "pos_map_picture") -> None:
    """Open the page and wait for a chart."""
    page.goto(f"/positions{link}")
    expect(plot(page, chart)).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def plot(page: Page, key: str) -> Locator:
    """A chart on the page."""
    return page.locator(f".st-key-{key} .js-plotly-plot").first


def type_number(page: Page, key: str, value: str) -> None:
    """Type a number into a box."""
    box = page.locator(f".st-key-{key} input")
    box.fill(value)
    box.press("Enter")
    wait_for_app(page)


def size(page: Page) -> list[int]:
    """Rows and columns of the map that is drawn."""
    return plot(page, "pos_map_picture").evaluate(
        "node => [node._fullData[0].y.length, node._fullData[0].x.length]"
    )


def says(page: Page, text: str | re.Pattern[str]) -> None:
    """Wait for a sentence on the page."""
    expect(page.get_by_test_id("stMain").get_by_text(text).first).to_be_visible(timeout=SLOW)


def new_summary(page: Page) -> str:
    """What the model writes with changed positions."""
    return page.locator(".st-key-pos_new [data-testid='stText']").inner_text()


def lost(page: Page) -> float:
    """Nats that the old summary loses."""
    metric = page.get_by_test_id("stMetric").filter(has_text="The old summary loses")
    return float(metric.get_by_test_id("stMetricValue").inner_text().split()[0].replace("−", "-"))


def test_sizes_are_typed_and_the_slides_numbers_are_read(page):
    open_positions(page)
    assert size(page) == [100, 512]
    type_number(page, "pos_width", "7")
    says(page, "Width 7 is odd: the last dimension, 6, is a sine without its cosine.")
    says(page, re.compile("100 positions × 7 dimensions"))
    address(page, "pos_width=7")
    assert size(page) == [100, 7]
    press(page, "pos_preset", re.compile("^Slides"))
    says(page, "25 of 25 numbers are as the lecture slides print them")
    assert size(page) == [5, 5]
    cells = plot(page, "pos_map_picture").locator(".scatterlayer text")
    expect(cells.filter(has_text="0.841")).to_have_count(1)
    unfold(page, "The printed numbers")
    for printed in ("0.84147096 ✓", "−0.9899925 ✓".replace("−", "-"), "0.10030649 ✓"):
        expect(page.get_by_role("cell", name=printed, exact=True)).to_be_visible()
    type_number(page, "pos_place", "4")
    type_number(page, "pos_dimension", "4")
    expect(page.locator(".katex-html").nth(1)).to_contain_text("0.10030649")
    says(page, re.compile(r"core/model/positional\.py:\d+"))
    page.reload()
    expect(page.locator(".katex-html").nth(1)).to_contain_text("0.10030649", timeout=FIRST_TOKENS)
    says(page, "25 of 25 numbers are as the lecture slides print them")
    page.go_back()
    expect(page.locator(".st-key-pos_dimension input")).not_to_have_value("4", timeout=SLOW)
    says(page, "25 of 25 numbers are as the lecture slides print them")


def test_a_base_of_one_is_refused_and_the_picture_stays(page):
    open_positions(page, SLIDES)
    type_number(page, "pos_base_box", "1")
    expect(page.get_by_test_id("stAlert").filter(has_text="The base must be above 1")).to_be_visible()
    says(page, "The pictures are still those of base 100.")
    assert size(page) == [5, 5]
    type_number(page, "pos_base_box", "20")
    address(page, "pos_base=20")
    expect(page.get_by_test_id("stAlert").filter(has_text="The base must be")).to_have_count(0)


def test_pairs_and_the_map_between_them(page):
    open_positions(page, "?pos_view=distance&pos_length=20&pos_width=6&pos_base=100", "pos_pairs_picture")
    says(page, re.compile("depends on q − p alone"))
    says(page, re.compile("M is made of 3 rotations, the first by the angle 1.*exact up to rounding"))
    type_number(page, "pos_width", "5")
    says(page, re.compile("does not depend on q − p alone"))
    says(page, re.compile(r"in dimension 4 at p = 0\. In the 2 rotations"))


def test_without_positions_the_model_writes_another_summary(page):
    open_positions(page, "?pos_view=test", "pos_changes_picture")
    old = page.get_by_test_id("stText").first.inner_text()
    removed, drop = new_summary(page), lost(page)
    assert removed != old and drop > 1
    expect(page.locator(".st-key-pos_diff")).to_be_visible()
    says(page, re.compile(r"\d+ of \d+ words of the new summary stand in the dialogue"))
    says(page, re.compile("the summary loses [−]?0.00.nats: the detour itself changes nothing"))
    press(page, "pos_change", "Reversed")
    says(page, "With positions reversed")
    address(page, "pos_change=reversed")
    turned, other = new_summary(page), lost(page)
    assert turned != removed and other != drop
    page.reload()
    expect(plot(page, "pos_changes_picture")).to_be_visible(timeout=FIRST_TOKENS)
    assert (new_summary(page), lost(page)) == (turned, other)
    press(page, "pos_change", "Shifted")
    type_number(page, "pos_shift", "600")
    says(page, re.compile("The table ends: it has 512 positions"))
    type_number(page, "pos_shift", "1")
    says(page, "With positions shifted by 1")
    assert lost(page) < drop
    page.go_back()
    page.go_back()
    says(page, re.compile("With positions (reversed|shifted by 20)"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_window_holds_every_view(open_page, app_url, scheme):
    page = open_page(app_url, width=390, color_scheme=scheme)
    for view, chart in zip(("encoding", "distance", "sum", "test"), TABLES, strict=True):
        open_positions(page, f"?pos_view={view}&pos_length=30&pos_width=16&checkpoint=dialoscope", chart)
        assert wide(page) == [], view
