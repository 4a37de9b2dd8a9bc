"""A class that follows: a presenter and two who follow; thirty connections are in tests/pages/test_stream.py."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.lessons.course import load
from tests.browser.axe import violations
from tests.browser.helpers import FIRST_TOKENS, comes_above, go, open_decoding, sideways, wait_for_app

STEP = ".st-key-stepper .line"
STAGE = ".st-key-head_lines .stage"


def bar(page: Page):
    return page.locator(".st-key-class .bar")


def begin(page: Page) -> str:
    """Let others follow; return the link of the class."""
    page.get_by_test_id("stSidebar").get_by_role("button", name="Let others follow").click()
    wait_for_app(page)
    expect(page.get_by_role("dialog")).to_contain_text("your dialogue")
    page.get_by_role("button", name="Give me a code").click()
    expect(page.get_by_role("img", name="QR code of the link")).to_be_visible()
    wait_for_app(page)
    link = page.get_by_role("dialog").get_by_test_id("stCode").inner_text().strip()
    page.keyboard.press("Escape")
    wait_for_app(page)
    return link


@pytest.mark.slow
def test_two_follow_through_pages_views_and_steps(page: Page, open_page: Callable[..., Page], app_url: str) -> None:
    open_decoding(page)
    link = begin(page)
    first, second = open_page(app_url), open_page(app_url, 390, 844, reduced_motion="reduce")
    first.goto(link)
    second.goto("/lessons")
    wait_for_app(second)
    box = second.get_by_test_id("stMain").get_by_label("Code of a class to follow")
    box.fill(link[-6:].lower())
    box.press("Enter")
    for each in (first, second):
        expect(each.locator(STEP)).to_contain_text("Step 1 of")
        expect(bar(each)).to_contain_text("You follow the class")
        wait_for_app(each)
    expect(bar(page)).to_contain_text("2 follow")
    entries = first.evaluate("() => history.length")

    page.locator(".st-key-stepper .token").nth(3).click()  # a step, by a click and by quick keys; a page; a view
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    for each in (first, second):
        expect(each.locator(STEP)).to_contain_text("Step 10 of")
    wait_for_app(page)
    go(page, "Masks")
    page.locator(".st-key-masks_view").get_by_text("Train without the mask", exact=True).click()
    for each in (first, second):
        chosen = each.locator(".st-key-masks_view").get_by_role("radio", name="Train without the mask")
        expect(chosen).to_have_attribute("aria-checked", "true")
        expect(each).to_have_url(re.compile(r"/masks\?masks_view=lesson&follow=\w{6}$"))
        wait_for_app(each)
    assert first.evaluate("() => history.length") == entries
    assert sideways(second) == [] and violations(second, ".st-key-class") == []

    first.locator(".st-key-masks_view").get_by_text("Your batch", exact=True).click()  # let go, and back
    expect(bar(first)).to_contain_text("You explore alone.")
    wait_for_app(first)
    go(page, "Decoding")
    expect(second.locator(STEP)).to_contain_text("Step 10 of")
    expect(first).to_have_url(re.compile("/masks"))
    first.get_by_role("button", name="Back to the presenter").click()
    expect(first.locator(STEP)).to_contain_text("Step 10 of")
    wait_for_app(second)
    second.keyboard.press("Escape")
    expect(bar(second)).to_contain_text("You explore alone.")
    wait_for_app(second)
    second.get_by_role("button", name="Leave").click()  # what was there before comes back
    expect(second).to_have_url(re.compile("/lessons$"))

    page.reload()  # the tab keeps the key
    expect(bar(page)).to_contain_text("You present.")
    wait_for_app(page)
    bar(page).get_by_role("button", name="End").click()
    expect(bar(first)).to_contain_text("No class has the code")
    wait_for_app(first)
    bar(first).get_by_role("button", name="Close").click()
    expect(bar(first)).to_have_count(0)
    wait_for_app(first)


@pytest.mark.slow
def test_the_picture_of_a_stop_stands_above_the_class_of_a_projector_and_of_a_phone_that_keeps_its_own_layout(
    page: Page, open_page: Callable[..., Page], app_url: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{load().stops['cross-attention'].place.address}&lesson=cross-attention")
    expect(page.locator(STAGE)).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    link = begin(page)
    page.keyboard.press("Alt+p")
    expect(page.locator(".st-key-projector_keys .bar")).to_be_visible()
    phone = open_page(app_url, 390, 844, color_scheme="dark")
    phone.goto(link)
    expect(bar(phone)).to_contain_text("You follow the class")
    for each in (page, phone):
        assert comes_above(each.locator(STAGE), each.locator(".st-key-class"), 60)
        expect(each.locator(f"{STAGE} .row.list")).to_be_visible()  # each token of the summary in a line of its own
        wait_for_app(each)
    expect(phone.locator(".stApp")).to_have_css("color-scheme", "dark")
    expect(phone.locator(".st-key-projector_keys .bar")).to_have_count(0)
