"""The Masks page in a real browser: a batch is edited, masks are taken away, and the lesson is learnt."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import address, press
from tests.browser.helpers import FIRST_TOKENS, SLOW, caption, click, fill, open_page_at, sideways, unfold


def expect_cells(page: Page, *counts: int) -> None:
    """Wait until the mask is drawn with these many cells a reason, in the order of the legend."""
    traces = page.locator(".st-key-mask_picture .barlayer .trace")
    for reason, count in enumerate(counts):
        expect(traces.nth(reason).locator(".point")).to_have_count(count, timeout=SLOW)


def metrics(page: Page) -> list[str]:
    """Loss and share of right symbols, with the mask and without it."""
    expect(page.get_by_test_id("stMetricValue")).to_have_count(4, timeout=SLOW)
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def test_a_batch_and_its_pad_ids_are_edited_and_the_mask_follows(page):
    open_page_at(page, "masks", "The lesson")
    fill(page, "Short texts, a line each; press Ctrl + Enter when it is done", "Yes.\n<b>Maybe</b> not today, sorry")
    caption(page, r"Encoder input, \[2, \d+\]: 2 texts")
    expect(page.locator(".st-key-scores_picture .heatmaplayer image")).to_be_visible(timeout=FIRST_TOKENS)
    unfold(page, "What if a row is all padding?")
    click(page, "Show it")
    caption(page, r"4 queries may look nowhere\.")
    click(page, "Tutorial's example")
    press(page, "mask_kind", "Padding")
    caption(page, r"Padding mask: 35 of 49 cells are open; 14 by padding alone are blocked\.")
    expect_cells(page, 35, 14)
    fill(page, "Pad ids", "0, 3")
    address(page, r"mask_pads=0%2C\+3")
    fill(page, "Ids, a line a row; press Ctrl + Enter when it is done", "5 3 9\n7")
    caption(page, r"After the softmax 3 blocked cells have exactly 0\.")
    page.reload()
    caption(page, r"Padding mask: 6 of 9 cells are open; 3 by padding alone")
    expect_cells(page, 6)


def test_on_a_phone_the_model_runs_without_its_masks(open_page, app_url):
    page = open_page(app_url, width=390, height=844)
    open_page_at(page, "masks", "The lesson", checkpoint="dialoscope-scratch", example="lost-suitcase")
    caption(page, "blocked cells have exactly 0", FIRST_TOKENS)
    assert sideways(page) == []
    press(page, "masks_view", "What if it were missing?")
    said = caption(page, "under the look-ahead mask; without it")
    earlier, leak = re.search(r"the (\d+) positions up to it move by exactly 0 .* by up to (\d+) points", said).groups()
    assert int(earlier) > 5 and int(leak) > 0 and sideways(page) == []
    loss = caption(page, "nats a token with the mask")
    kept, removed = (float(each) for each in re.search(r": ([\d.]+) nats.*mask, ([\d.]+) without", loss).groups())
    assert removed > kept > 0 and "the loss rises" in loss
    press(page, "mask_missing", "Padding masks")
    said = caption(page, "With both masks up to 128 pad tokens change")
    assert "rounding of float32" in said and float(re.search(r"loses ([\d.]+) nats", said)[1]) > 0.5
    expect(page.locator(".st-key-mask_written")).to_contain_text("Without: both", timeout=SLOW)
    press(page, "masks_view", "The lesson")
    caption(page, "The lesson. Without the mask")
    assert sideways(page) == []


@pytest.mark.slow
def test_both_models_of_the_lesson_are_trained(page):
    open_page_at(page, "masks", "The lesson", masks_view="lesson", mask_steps=200)
    page.get_by_role("button", name="Train both").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=SLOW)
    expect(page.locator(".st-key-mask_training_bar button")).to_have_count(1)
    caption(page, "Both are trained: 200 steps each, seed 0")
    found = metrics(page)
    assert float(found[0]) > 1.5 and float(found[2]) < 0.5
    caption(page, "After 200 of 200 steps the loss is")
    page.reload()
    caption(page, "Both are trained: 200 steps each, seed 0")
    assert metrics(page) == found
