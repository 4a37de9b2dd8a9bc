"""Links to the Decoding page, the browser's history, other pages, and long dialogues, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import (
    expect_step,
    expect_written,
    open_decoding,
    paste_here,
    sideways,
    view,
    wait_for_app,
    written,
)

UNSEEN = (
    "Nora: The goat has eaten the timetable again.\n"
    "Pim: Then how do we know when the ferry leaves?\n"
    "Nora: I wrote it on my hand. Twenty past four.\n"
    "Pim: Great, I will bring the sandwiches."
)
THINGS = ("ladder", "kettle", "violin", "lantern", "bicycle", "cheese", "umbrella", "parrot", "compass", "carpet")
LONG = "\n".join(
    f"{('Mira', 'Tom')[turn % 2]}: Number {turn + 1}: shall we really sell the old {THINGS[turn % 10]} to aunt Vera?"
    for turn in range(65)
)
"""65 turns of 12 words and a name."""


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def fork(page: Page) -> None:
    page.locator(".st-key-next_token tbody button").first.click()
    expect(page).to_have_url(re.compile("branch="))
    wait_for_app(page)


def go(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()
    wait_for_app(page)


def test_a_link_reopens_step_branch_and_view_elsewhere(page, open_page, app_url):
    open_decoding(page, "?step=4&look_top_k=5&example=cat-sitter")
    fork(page)
    page.keyboard.press("ArrowRight")
    expect_step(page, 5)
    text, link = written(page), page.url.removeprefix(app_url).removeprefix("/decoding")
    other = open_page(app_url)
    open_decoding(other, link)
    expect_step(other, 5)
    expect_written(other, text)
    expect(other.locator(".st-key-next_token .sum")).to_contain_text("5 of 8,000 tokens kept")
    other.reload()
    expect(other.locator(".st-key-stepper .token").first).to_be_visible()
    expect_step(other, 5)
    expect_written(other, text)
    view(other, "Branches")
    expect(other).to_have_url(re.compile("view=branches"))
    other.reload()
    expect(other.locator(".st-key-branch_1")).to_contain_text("Branch 1: leaves Original at step 4")


def test_back_and_forward_walk_through_the_steps(page):
    open_decoding(page, "?step=2")
    page.keyboard.press("ArrowRight")
    expect_step(page, 3)
    page.keyboard.press("End")
    expect(page).not_to_have_url(re.compile("step=3(&|$)"))
    last = int(re.search(r"step=(\d+)", page.url)[1])
    expect_step(page, last)
    page.go_back()
    expect_step(page, 3)
    page.go_back()
    expect_step(page, 2)
    page.go_forward()
    expect_step(page, 3)
    view(page, "Branches")
    expect(page).to_have_url(re.compile("view=branches"))
    page.go_back()
    expect_step(page, 3)


def test_dialogue_branches_and_step_survive_other_pages(page):
    open_decoding(page)
    paste_here(page, UNSEEN)
    expect_step(page, 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect_step(page, 3)
    fork(page)
    text = written(page)
    go(page, "Summarize")
    expect(page.locator(".bubble")).to_have_count(4)
    expect(page.locator(".st-key-summary_tokens .token").first).to_be_visible()
    go(page, "Decoding")
    expect_step(page, 3)
    expect_written(page, text)
    page.reload()
    expect(page.locator(".st-key-stepper .token").first).to_be_visible()
    expect_step(page, 3)
    expect_written(page, text)
    expect(page.get_by_role("button", name="Dialogue: Nora: The goat")).to_be_visible()


def test_a_link_that_asks_too_much_says_so_and_works(page):
    for link, said in (
        ("?step=999", r"step 999.*has \d+"),
        ("?branch=nonsense&step=-4", "step=-4, which is not possible"),
        ("?branch=700.5", "a branch that cannot be shown"),
        ("?branch=2.99999&heads=77.9", "a branch that cannot be shown"),
    ):
        open_decoding(page, link)
        expect(page.locator(".st-key-notes")).to_contain_text(re.compile(said))
        assert written(page)
    page.get_by_role("button", name="Got it").click()
    expect(page.locator(".st-key-notes")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_a_long_dialogue_works_in_every_view(page):
    open_decoding(page)
    paste_here(page, LONG)
    expect_step(page, 1)
    page.keyboard.press("ArrowRight")
    expect_step(page, 2)
    drawn = page.locator(".st-key-looks_at svg text")
    for turn in ("Number 1:", "Number 65:"):
        expect(drawn.filter(has_text=re.compile(turn)).first).to_be_attached()
    expect(drawn.filter(has_text=re.compile("Number 33:"))).to_have_count(0)  # the middle was left out
    fork(page)
    assert sideways(page) == []
    view(page, "Branches")
    expect(page.locator(".st-key-attention_pair .js-plotly-plot")).to_be_visible()
    view(page, "Beam tree")
    expect(page.locator(".st-key-beam_picture .points path").first).to_be_visible()
    view(page, "Bench")
    expect(page.get_by_text("Plain sampling", exact=True).last).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
