"""A lecture walks through a summary faster than the page can follow."""

import random

from playwright.sync_api import expect

from tests.browser.helpers import expect_step, open_decoding


def test_seventy_quick_steps_there_and_back_leave_the_page_alive(page, page_errors):
    open_decoding(page)
    draw = random.Random(0)
    place, last = 0, page.locator(".st-key-stepper .token").count() - 1
    for tap in range(70):
        page.keyboard.press("ArrowRight" if tap < 35 else "ArrowLeft")
        place = min(place + 1, last) if tap < 35 else max(place - 1, 0)
        page.wait_for_timeout(draw.randint(150, 250))
    expect_step(page, place + 1)
    expect(page.get_by_text("Connection error")).to_have_count(0)
    assert page_errors == []
