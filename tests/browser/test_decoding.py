"""Decoding step by step in a real browser: stepping, looking, forking, links, and dialogues of all kinds."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import (
    click_mark,
    expect_step,
    expect_written,
    open_decoding,
    paste_here,
    sideways,
    view,
    wait_for_app,
    written,
)

MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>"
UNSEEN = (
    "Nora: The goat has eaten the timetable again.\n"
    "Pim: Then how do we know when the ferry leaves?\n"
    "Nora: I wrote it on my hand. Twenty past four.\n"
    "Pim: Great, I will bring the sandwiches."
)
LONG = "\n".join(f"{('Mira', 'Tom')[turn % 2]}: Yes, {turn + 1}." for turn in range(400))


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def press(page: Page, name: str) -> None:
    page.locator(".st-key-stepper").get_by_role("button", name=name, exact=True).click()


def tokens(page: Page) -> list[str]:
    return [text.strip() for text in page.locator(".st-key-stepper .token").all_inner_texts()]


def widths(page: Page, column: str) -> list[float]:
    """The lengths of a column's bars in the table, in percent."""
    return page.locator(f".st-key-next_token td.{column} .fill").evaluate_all(
        "nodes => nodes.map(node => parseFloat(node.style.width))"
    )


def fork(page: Page) -> None:
    page.locator(".st-key-next_token tbody button").first.click()
    expect(page).to_have_url(re.compile("branch="))
    wait_for_app(page)


def test_steps_are_walked_with_pointer_and_keys_and_the_charts_follow(page):
    sizes = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    open_decoding(page)
    expect_step(page, 1)
    sizes.clear()
    for step in (2, 3, 4):
        page.keyboard.press("ArrowRight")
        expect_step(page, step)
    wait_for_app(page)
    assert 1_000 < sum(sizes) / 3 < 200_000  # a step sends little
    press(page, "Last step")
    expect_step(page, len(tokens(page)))
    page.get_by_role("slider", name="Step", exact=True).fill("7")
    expect_step(page, 7)
    click_mark(page, "surprise", 8)
    expect_step(page, 9)
    press(page, "Forward")
    expect_step(page, 10)
    click_mark(page, "surprise", 8)
    expect_step(page, 9)
    click_mark(page, "looks_at", 0)
    heading = page.get_by_role("heading", name="token by token")
    expect(heading).to_have_text("Turn 1, token by token")
    expect(page).to_have_url(re.compile("turn=1"))
    press(page, "Forward")
    expect_step(page, 10)
    expect(heading).to_have_text("Turn 1, token by token")
    page.get_by_role("button", name="Follow the most attention").click()
    expect(page.get_by_role("button", name="Follow the most attention")).to_have_count(0)


def test_a_token_is_looked_at_forked_and_typed(page):
    open_decoding(page, "?step=4")
    before, bars = tokens(page), widths(page, "before")
    page.get_by_role("slider", name="Temperature").press("End")
    expect(page.locator(".st-key-next_token .label", has_text="÷ 2")).to_be_visible()
    for _ in range(3):
        page.get_by_role("slider", name="Top k").press("ArrowRight")
    expect(page.locator(".st-key-next_token .sum")).to_contain_text("3 of 8,000 tokens kept")
    assert sum(width > 0 for width in widths(page, "after")) == 3 and widths(page, "before") == bars
    for part in ("look_temperature=2", "look_top_k=3"):
        expect(page).to_have_url(re.compile(part))
    row = page.locator(".st-key-next_token tbody tr:has(button)").first
    word = row.locator(".word").inner_text().strip("·")
    row.get_by_role("button").click()
    expect(page.locator(".st-key-stepper .token.forced")).to_have_count(4)
    expect_step(page, 4)
    assert tokens(page)[:4] == [*before[:3], word] and tokens(page) != before
    page.locator(".st-key-branch_choice").get_by_role("combobox").click()
    page.get_by_role("option", name="Original").click()
    expect(page.locator(".st-key-stepper .token.forced")).to_have_count(0)
    assert tokens(page) == before
    for text, said in (
        ("parrot zzqxj", r"“parrot zzqxj” is not one token .* written as"),
        ("   ", "There are no words to go on with."),
    ):
        page.get_by_role("textbox", name="Or type what stands at step").fill(text)
        page.get_by_role("button", name="Write it here").click()
        expect(page.get_by_test_id("stAlert")).to_contain_text(re.compile(said))
        wait_for_app(page)
        assert tokens(page)[:3] == before[:3] and "parrot zzqxj" in written(page)
    page.get_by_role("heading", name="What could stand here").click()
    page.keyboard.press("ArrowLeft")
    expect_step(page, 3)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_steps_and_branches_survive_links_back_reload_and_other_pages(page, open_page, app_url):
    open_decoding(page)
    paste_here(page, UNSEEN)
    expect_step(page, 1)
    for step in (2, 3):
        page.keyboard.press("ArrowRight")
        expect_step(page, step)
    fork(page)
    text = written(page)
    page.keyboard.press("ArrowRight")
    expect_step(page, 4)
    page.go_back()
    expect_step(page, 3)
    page.go_forward()
    expect_step(page, 4)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Summarize").click()
    expect(page.locator(".bubble")).to_have_count(4)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Decoding").click()
    expect_step(page, 4)
    expect_written(page, text)
    other = open_page(app_url)
    open_decoding(other, page.url.removeprefix(app_url).removeprefix("/decoding"))
    expect_step(other, 4)
    expect_written(other, text)
    other.reload()
    expect(other.locator(".st-key-stepper .token").first).to_be_visible()
    expect_step(other, 4)
    expect_written(other, text)
    view(other, "Branches")
    expect(other.locator(".st-key-branch_1")).to_contain_text("Branch 1: leaves Original at step 3")


def test_unusual_and_long_dialogues_are_shown_whole_and_literally(page):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_decoding(page)
    paste_here(page, MARKUP)
    expect_step(page, 1)
    drawn = page.locator(".st-key-looks_at svg text")
    for line in MARKUP.splitlines():
        expect(drawn.filter(has_text=re.compile(re.escape(line[:16]))).first).to_be_attached()
    assert dialogs == [] and page.locator(".stPlotlyChart img, .stPlotlyChart foreignObject").count() == 0
    paste_here(page, LONG)
    expect_step(page, 1)
    for turn in ("Yes, 1.", "Yes, 400."):
        expect(drawn.filter(has_text=turn).first).to_be_attached()
    expect(drawn.filter(has_text="Yes, 200.")).to_have_count(0)  # the middle was left out
    frame = page.locator(".st-key-looks_at_frame")
    assert frame.evaluate("node => node.scrollHeight > node.clientHeight && node.clientHeight <= 720")
    bottom = page.locator(".st-key-next_token").bounding_box()
    beside = frame.bounding_box()
    assert beside["y"] + beside["height"] < bottom["y"] + bottom["height"] + 600  # no empty column beside it
    assert sideways(page) == []
