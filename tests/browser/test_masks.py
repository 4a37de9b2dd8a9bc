"""The Masks page in a real browser: a batch is edited, and the lesson is learnt; what comes out of it is in
tests/experiments/masks/test_noisy_copy.py.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import address, press
from tests.browser.helpers import FIRST_TOKENS, SLOW, caption, click, fill, open_page_at, unfold


def expect_cells(page: Page, *counts: int) -> None:
    """Wait until the mask is drawn with these many cells a reason, in the order of the legend."""
    traces = page.locator(".st-key-mask_picture .barlayer .trace")
    for reason, count in enumerate(counts):
        expect(traces.nth(reason).locator(".point")).to_have_count(count, timeout=SLOW)


@pytest.mark.slow
def test_a_batch_and_its_pad_ids_are_edited_and_the_mask_follows(page: Page) -> None:
    open_page_at(page, "masks", "Train without the mask")
    for heading in ("The batch and its four masks", "Before and after the softmax"):
        unfold(page, heading)
    fill(page, "Short texts, a line each; press Ctrl + Enter when it is done", "Yes.\n<b>Maybe</b> not today, sorry")
    caption(page, r"Encoder input, \[2, \d+\]: 2 texts")
    expect(page.locator(".st-key-scores_picture .heatmaplayer image")).to_be_visible(timeout=FIRST_TOKENS)
    unfold(page, "What if a row is all padding?")
    click(page, "Show it")
    caption(page, r"4 queries may look nowhere\.")
    click(page, "Tutorial's example")
    press(page, "mask_kind", "Padding")
    expect_cells(page, 35, 14)
    fill(page, "Pad ids", "0, 3")
    address(page, r"mask_pads=0%2C\+3")
    fill(page, "Ids, a line a row; press Ctrl + Enter when it is done", "5 3 9\n7")
    caption(page, r"After the softmax 3 blocked cells have exactly 0\.")
    page.reload()
    expect_cells(page, 6)


@pytest.mark.slow
def test_both_models_of_the_lesson_are_trained(page: Page) -> None:
    open_page_at(page, "masks", "Train without the mask", masks_view="lesson", mask_steps=50)
    page.get_by_role("button", name="Train both").click()
    expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop")).to_be_visible(timeout=SLOW)
    expect(page.locator(".st-key-mask_training_bar button")).to_have_count(1)
    caption(page, "Both are trained: 50 steps each, seed 0")
    values = page.get_by_test_id("stMetricValue")
    expect(values).to_have_count(4, timeout=SLOW)
    found = values.all_inner_texts()
    page.reload()
    caption(page, "Both are trained: 50 steps each, seed 0")
    expect(values).to_have_text(found)
