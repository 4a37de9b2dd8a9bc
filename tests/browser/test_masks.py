"""The Masks page in a real browser: the lesson is learnt; what comes out of it is in
tests/experiments/masks/test_noisy_copy.py.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import FIRST_TOKENS


@pytest.mark.slow
def test_both_models_of_the_lesson_are_trained(page: Page) -> None:
    page.goto("/masks?masks_view=lesson&mask_steps=50")
    page.get_by_role("button", name="Train both").click(timeout=FIRST_TOKENS)
    expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator(".st-key-mask_training_bar button")).to_have_count(1)
    trained = page.get_by_text("Both are trained: 50 steps each, seed 0")
    expect(trained).to_be_visible()
    values = page.get_by_test_id("stMetricValue")
    expect(values).to_have_count(4)
    found = values.all_inner_texts()
    page.reload()
    expect(trained).to_be_visible()
    expect(values).to_have_text(found)
