"""Two models side by side in a real browser: the side that is used leads, the other follows, and a link brings both."""

import re
from random import Random

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.helpers import FIRST_TOKENS, SLOW

NAMES = ("dialoscope", "dialoscope-scratch")


def sides(page: Page) -> tuple[FrameLocator, FrameLocator]:
    """The page on the left and on the right."""
    left, right = (page.frame_locator(f"iframe[title^='{side} side']") for side in ("Left", "Right"))
    return left, right


def expect_steps(page: Page, number: int) -> list[str]:
    """Wait until both sides show a step, and return their summaries."""
    for side in sides(page):
        expect(side.locator(".st-key-stepper .line")).to_contain_text(f"Step {number} of ", timeout=FIRST_TOKENS)
    return [side.locator(".st-key-stepper .text").inner_text() for side in sides(page)]


@pytest.mark.slow
def test_the_side_that_is_used_leads_the_other(page: Page) -> None:
    page.goto("/decoding?step=3")
    page.get_by_role("button", name="Beside another model").click(timeout=SLOW)
    first, second = expect_steps(page, 3)
    assert first != second
    left, right = sides(page)
    expect(left.get_by_role("heading", level=1)).to_have_count(0)
    left.locator(".st-key-stepper .token").nth(4).click()
    expect_steps(page, 5)
    right.locator(".st-key-stepper .token").nth(5).click()
    expect_steps(page, 6)
    expect(page).to_have_url(re.compile(r"/compare\?show=decoding&state=step%3D6$"))
    page.reload()
    expect_steps(page, 6)
    for name in NAMES:
        expect(page.get_by_role("region", name=name, exact=False).first).to_be_visible()

    page.get_by_test_id("stMain").get_by_label("Page", exact=True).first.click()
    page.get_by_role("option", name="Masks").click()
    for side in sides(page):
        expect(side.locator(".st-key-masks_view")).to_be_visible()
    right.locator(".st-key-masks_view").get_by_text("Train without the mask", exact=True).click()
    expect(left.get_by_role("radio", name="Train without the mask")).to_be_checked()
    page.set_viewport_size({"width": 390, "height": 900})  # one stands below the other
    boxes = [page.locator("iframe").nth(place).bounding_box() for place in (0, 1)]
    assert boxes[1]["y"] > boxes[0]["y"] + boxes[0]["height"] and boxes[0]["width"] > 330


def test_a_dialogue_too_long_for_a_link_stands_on_both_sides_and_is_there_after_a_reload(page: Page) -> None:
    random = Random(1)
    turns = [f"Ann: {' '.join(str(random.random()) for _ in range(15))}, and the goat?" for _ in range(60)]
    page.goto("/summarize?input=paste")
    page.get_by_label("Your dialogue, one turn a line").fill("\n".join(turns), timeout=FIRST_TOKENS)
    page.get_by_test_id("stMain").get_by_role("button", name="Summarize").click()
    expect(page.get_by_text("This dialogue is too long for a link")).to_be_visible()
    page.get_by_role("button", name="Beside another model").click(timeout=SLOW)
    for again in (False, True):
        if again:
            page.reload()
        for side in sides(page):
            box = side.get_by_label("Your dialogue, one turn a line")
            expect(box).to_have_value("\n".join(turns), timeout=FIRST_TOKENS)
        expect(page).to_have_url(re.compile("handed%3D"))
