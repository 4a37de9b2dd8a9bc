"""A class that follows: a presenter, two who follow, and thirty sessions at once."""

import asyncio
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from benchmarks.follow import Follower, present
from tests.browser.axe import violations
from tests.browser.helpers import open_decoding, sideways, wait_for_app
from tests.loops import run
from tests.protocol import Visitor

STEP = ".st-key-stepper .line"


def bar(page: Page):
    return page.locator(".st-key-class .bar")


def menu(page: Page, title: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True).click()


def click_step(page: Page, number: int) -> None:
    page.locator(".st-key-stepper .token").nth(number - 1).click()


@pytest.fixture
def presenter(page: Page) -> Page:
    """A page on Decoding that others may follow, with the code shown."""
    open_decoding(page)
    page.get_by_test_id("stSidebar").get_by_role("button", name="Let others follow").click()
    wait_for_app(page)
    expect(page.get_by_role("dialog")).to_contain_text("your dialogue")
    page.get_by_role("button", name="Give me a code").click()
    expect(page.get_by_role("img", name="QR code of the link")).to_be_visible()
    wait_for_app(page)
    return page


def test_two_follow_through_pages_views_and_steps(
    presenter: Page, open_page: Callable[..., Page], app_url: str
) -> None:
    link = presenter.get_by_role("dialog").get_by_test_id("stCode").inner_text().strip()
    presenter.keyboard.press("Escape")
    wait_for_app(presenter)
    first, second = open_page(app_url), open_page(app_url, 390, 844, reduced_motion="reduce")
    first.goto(link)
    second.goto("/lessons")
    wait_for_app(second)
    box = second.get_by_test_id("stMain").get_by_label("Code of a class to follow")
    box.fill(link[-6:].lower())
    box.press("Enter")
    for each in (first, second):
        expect(each.locator(STEP)).to_contain_text("Step 1 of", timeout=60_000)
        expect(bar(each)).to_contain_text("You follow the class")
        wait_for_app(each)
    expect(bar(presenter)).to_contain_text("2 follow")
    entries = first.evaluate("() => history.length")

    click_step(presenter, 4)  # a step, by a click and by quick keys; a page; a view
    for each in (first, second):
        expect(each.locator(STEP)).to_contain_text("Step 4 of")
    for _ in range(6):
        presenter.keyboard.press("ArrowRight")
    for each in (first, second):
        expect(each.locator(STEP)).to_contain_text("Step 10 of")
    wait_for_app(presenter)
    menu(presenter, "Masks")
    wait_for_app(presenter)
    presenter.locator(".st-key-masks_view").get_by_text("The lesson", exact=True).click()
    for each in (first, second):
        chosen = each.locator(".st-key-masks_view").get_by_role("radio", name="The lesson")
        expect(chosen).to_have_attribute("aria-checked", "true")
        expect(each).to_have_url(re.compile(r"/masks\?masks_view=lesson&follow=\w{6}$"))
        wait_for_app(each)
    assert first.evaluate("() => history.length") == entries
    assert sideways(second) == [] and violations(second, ".st-key-class") == []

    first.locator(".st-key-masks_view").get_by_text("Your batch", exact=True).click()  # let go, and back
    expect(bar(first)).to_contain_text("You explore alone.")
    wait_for_app(first)
    menu(presenter, "Decoding")
    expect(second.locator(STEP)).to_contain_text("Step 10 of")
    expect(first).to_have_url(re.compile("/masks"))
    first.get_by_role("button", name="Back to the presenter").click()
    expect(first.locator(STEP)).to_contain_text("Step 10 of")
    wait_for_app(first)
    wait_for_app(second)
    second.keyboard.press("Escape")
    expect(bar(second)).to_contain_text("You explore alone.")
    wait_for_app(second)
    second.get_by_role("button", name="Leave").click()  # what was there before comes back
    expect(second).to_have_url(re.compile("/lessons$"))

    wait_for_app(presenter)
    presenter.reload()  # the tab keeps the key
    expect(bar(presenter)).to_contain_text("You present.")
    wait_for_app(presenter)
    bar(presenter).get_by_role("button", name="End").click()
    expect(bar(first)).to_contain_text("No class has the code")
    wait_for_app(first)
    bar(first).get_by_role("button", name="Close").click()
    expect(bar(first)).to_have_count(0)
    wait_for_app(first)


def test_thirty_sessions_see_where_the_presenter_goes(app_url: str) -> None:
    async def lesson() -> None:
        async with asyncio.timeout(180), Visitor(app_url) as visitor:
            code = await present(visitor)
            followers = [Follower(app_url, code) for _ in range(30)]
            tasks = [asyncio.create_task(each.follow()) for each in followers]
            await asyncio.gather(*(each.joined.wait() for each in followers))
            visitor.page, visitor.script = "lessons", ""
            await visitor.run()
            while not all(each.page == "lessons" for each in followers):
                await asyncio.sleep(0.1)
                assert not any(each.done() for each in tasks), [each.exception() for each in tasks if each.done()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    run(lesson())
