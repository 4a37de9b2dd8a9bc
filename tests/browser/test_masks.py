"""The Masks page in a real browser: a batch is edited, masks are taken away, and the lesson is learnt."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import address, press
from tests.browser.helpers import FIRST_TOKENS, sideways, unfold, wait_for_app

SLOW = 120_000


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def arrive(page: Page, **link: str | int) -> None:
    """Open the page by a link and wait for its view, not for the model."""
    page.goto(f"/masks?{urlencode(link)}")
    expect(page.get_by_role("radio", name="The lesson")).to_be_visible(timeout=60_000)
    wait_for_app(page)


def caption(page: Page, text: str) -> str:
    """Wait for a sentence on the page; with common blanks."""
    found = page.get_by_test_id("stMain").locator("p", has_text=re.compile(text)).first
    expect(found).to_be_visible(timeout=FIRST_TOKENS)
    return found.inner_text().replace("\xa0", " ").replace("−", "-")


def expect_cells(page: Page, *counts: int) -> None:
    """Wait until the mask is drawn with these many cells a reason, in the order of the legend."""
    traces = page.locator(".st-key-mask_picture .barlayer .trace")
    for reason, count in enumerate(counts):
        expect(traces.nth(reason).locator(".point")).to_have_count(count, timeout=SLOW)


def fill(page: Page, label: str, text: str) -> None:
    """Type into a box and be done."""
    box = page.get_by_role("textbox", name=label, exact=True)
    box.fill(text)
    box.press("Control+Enter")
    wait_for_app(page)


def metrics(page: Page) -> list[str]:
    """Loss and share of right symbols, with the mask and without it."""
    expect(page.get_by_test_id("stMetricValue")).to_have_count(4, timeout=SLOW)
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def test_a_batch_and_its_pad_ids_are_edited_and_the_mask_follows(page):
    arrive(page, mask_of="ids")
    caption(page, r"Target mask: 25 of 49 cells are open; 3 by padding alone, 10 by look-ahead alone and 11 by both")
    press(page, "mask_kind", "Padding")
    caption(page, r"Padding mask: 35 of 49 cells are open; 14 by padding alone are blocked\.")
    expect_cells(page, 35, 14)
    fill(page, "Pad ids", "0, 3")
    caption(page, r"Padding mask: 28 of 49 cells are open; 21 by padding alone")
    address(page, r"mask_pads=0%2C\+3")
    fill(page, "Ids, a line a row; press Ctrl + Enter when it is done", "5 3 9\n7")
    caption(page, r"Padding mask: 6 of 9 cells are open; 3 by padding alone")
    caption(page, r"After the softmax 3 blocked cells have exactly 0\.")
    page.reload()
    caption(page, r"Padding mask: 6 of 9 cells are open; 3 by padding alone")
    expect_cells(page, 6)
    fill(page, "Pad ids", "x")
    expect(page.get_by_text("A pad id must be a whole number from 0 to 999,999. Received: 'x'")).to_be_visible()


def test_texts_and_a_row_that_is_all_padding(page):
    arrive(page)
    before = caption(page, "Target mask: .* cells are open")
    fill(page, "Short texts, a line each; press Ctrl + Enter when it is done", "Yes.\n<b>Maybe</b> not today, sorry")
    caption(page, r"Encoder input, \[2, \d+\]: 2 texts")
    assert caption(page, "Target mask: .* cells are open") != before
    expect(page.locator(".st-key-scores_picture .heatmaplayer image")).to_be_visible(timeout=FIRST_TOKENS)
    unfold(page, "What if a row is all padding?")
    page.get_by_role("button", name="Show it").click()
    caption(page, r"4 queries may look nowhere\.")
    caption(page, r"The 4 queries that may look nowhere gave every one of 4 keys the same, 25")


def test_without_the_look_ahead_mask_a_later_token_leaks(page):
    arrive(page, masks_view="missing")
    said = caption(page, "under the look-ahead mask; without it")
    earlier, leak = re.search(r"the (\d+) positions up to it move by exactly 0 .* by up to (\d+) points", said).groups()
    assert int(earlier) > 5 and int(leak) > 0
    options = page.locator(".st-key-mask_token_choice").get_by_role("combobox")
    options.click()
    page.get_by_role("option").nth(3).click()
    caption(page, r"number 4, the 4 positions up to it move by exactly 0")
    address(page, "mask_token=4")
    loss = caption(page, "nats a token with the mask")
    kept, removed = (float(each) for each in re.search(r": ([\d.]+) nats.*mask, ([\d.]+) without", loss).groups())
    assert removed > kept > 0 and "the loss rises" in loss
    press(page, "mask_missing", "Padding masks")
    said = caption(page, "With both masks up to 128 pad tokens change")
    lost = float(re.search(r"loses ([\d.]+) nats", said)[1])
    assert "rounding of float32" in said and lost > 0.5
    expect(page.locator(".st-key-mask_written")).to_contain_text("Without: both", timeout=SLOW)


def test_both_models_of_the_lesson_are_trained(page):
    arrive(page, masks_view="lesson", mask_steps=200)
    page.get_by_role("button", name="Train both").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=SLOW)
    expect(page.locator(".st-key-mask_training_bar button")).to_have_count(1)
    caption(page, "Both are trained: 200 steps each, seed 0")
    found = metrics(page)
    masked, unmasked = float(found[0]), float(found[2])
    assert masked > 1.5 and unmasked < 0.5
    caption(page, "After 200 of 200 steps the loss is")
    page.reload()
    caption(page, "Both are trained: 200 steps each, seed 0")
    assert metrics(page) == found


def test_a_phone_shows_every_view_without_scrolling_sideways(open_page, app_url):
    page = open_page(app_url, width=390, height=844)
    arrive(page)
    caption(page, "blocked cells have exactly 0")
    assert sideways(page) == []
    press(page, "masks_view", "What if it were missing?")
    caption(page, "under the look-ahead mask; without it")
    assert sideways(page) == []
    press(page, "masks_view", "The lesson")
    caption(page, "The lesson. Without the mask")
    assert sideways(page) == []
