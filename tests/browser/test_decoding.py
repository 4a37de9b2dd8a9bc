"""Decoding step by step in a real browser: stepping, looking, forking, and what is typed."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import click_mark, expect_step, open_decoding, paste_here, wait_for_app, written

MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>"


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def press(page: Page, name: str) -> None:
    page.locator(".st-key-stepper").get_by_role("button", name=name, exact=True).click()


def write(page: Page, text: str) -> None:
    """Type what stands at the shown step."""
    page.get_by_role("textbox", name="Or type what stands at step").fill(text)
    page.get_by_role("button", name="Write it here").click()
    wait_for_app(page)


def tokens(page: Page) -> list[str]:
    return [text.strip() for text in page.locator(".st-key-stepper .token").all_inner_texts()]


def widths(page: Page, column: str) -> list[float]:
    """The lengths of a column's bars in the table, in percent."""
    return page.locator(f".st-key-next_token td.{column} .fill").evaluate_all(
        "nodes => nodes.map(node => parseFloat(node.style.width))"
    )


def test_slider_buttons_and_tokens_step(page):
    open_decoding(page)
    expect_step(page, 1)
    count = len(tokens(page))
    press(page, "Forward")
    expect_step(page, 2)
    press(page, "Last step")
    expect_step(page, count)
    press(page, "Back")
    expect_step(page, count - 1)
    press(page, "First step")
    expect_step(page, 1)
    slider = page.get_by_role("slider", name="Step", exact=True)
    slider.fill("7")
    expect_step(page, 7)
    slider.press("ArrowRight")
    expect_step(page, 8)
    page.locator(".st-key-stepper .token").nth(4).click()
    expect_step(page, 5)


def test_keys_step_from_anywhere_on_the_page(page):
    open_decoding(page)
    count = len(tokens(page))
    for key, step in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", count), ("Home", 1)):
        page.keyboard.press(key)
        expect_step(page, step)
    for key in ["ArrowRight"] * 12 + ["ArrowLeft"] * 3:
        page.keyboard.press(key)
    expect_step(page, 10)
    box = page.get_by_role("textbox", name="Or type what stands at step")
    box.fill("some words")
    box.press("ArrowLeft")
    box.press("Home")
    wait_for_app(page)
    expect_step(page, 10)


def test_space_plays_and_pauses(page):
    open_decoding(page)
    page.keyboard.press("Space")
    line = page.locator(".st-key-stepper .line")
    expect(line).to_contain_text("Step 3 of", timeout=10_000)
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    stopped = int(re.search(r"Step (\d+)", line.inner_text())[1])
    expect_step(page, stopped)
    page.wait_for_timeout(1500)
    expect_step(page, stopped)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_step_sends_little(page):
    sizes = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    open_decoding(page)
    expect_step(page, 1)
    wait_for_app(page)
    sizes.clear()
    chosen = page.locator(".st-key-next_token tr.chosen .word")
    for step in range(2, 7):
        before = chosen.inner_text()
        page.keyboard.press("ArrowRight")
        expect(chosen).not_to_have_text(before)
        expect_step(page, step)
    wait_for_app(page)
    assert 1_000 < sum(sizes) / 5 < 200_000


def test_temperature_and_cuts_move_the_bars(page):
    open_decoding(page, "?step=4")
    before, after = widths(page, "before"), widths(page, "after")
    assert after == pytest.approx(before, abs=6)  # what the rules forbid is shared out
    page.get_by_role("slider", name="Temperature").press("End")
    expect(page.locator(".st-key-next_token .label", has_text="÷ 2")).to_be_visible()
    wait_for_app(page)
    assert widths(page, "before") == before
    assert widths(page, "after")[0] < after[0]
    for _ in range(3):
        page.get_by_role("slider", name="Top k").press("ArrowRight")
    expect(page.locator(".st-key-next_token .sum")).to_contain_text("3 of 8,000 tokens kept")
    assert sum(width > 0 for width in widths(page, "after")) == 3
    expect(page.locator(".st-key-next_token .cut")).to_have_count(1)
    page.get_by_role("slider", name="Top p").press("Home")
    expect(page.locator(".st-key-next_token .sum")).to_contain_text("1 of 8,000 tokens kept")
    assert max(widths(page, "after")) == pytest.approx(100)
    for part in ("look_temperature=2", "look_top_k=3", "look_top_p=0.05"):
        expect(page).to_have_url(re.compile(part))


def test_a_fork_begins_alike_and_goes_another_way(page):
    open_decoding(page, "?step=4")
    before = tokens(page)
    row = page.locator(".st-key-next_token tbody tr:has(button)").first
    word = row.locator(".word").inner_text().strip("·")
    row.get_by_role("button").click()
    expect(page.locator(".st-key-stepper .token.forced")).to_have_count(4)
    expect_step(page, 4)
    assert tokens(page)[:4] == [*before[:3], word] and tokens(page) != before
    expect(page.locator(".st-key-stepper .line")).to_contain_text("forced")
    expect(page.get_by_text("forced: not the model's choice")).to_be_visible()
    page.locator(".st-key-choose_branch").get_by_role("combobox").click()
    page.get_by_role("option", name="Original").click()
    expect(page.locator(".st-key-stepper .token.forced")).to_have_count(0)
    assert tokens(page) == before


def test_typed_words_are_written_or_refused(page):
    open_decoding(page, "?step=3")
    begin = tokens(page)[:2]
    write(page, "parrot zzqxj")
    expect(page.get_by_test_id("stAlert")).to_contain_text(re.compile(r"“parrot zzqxj” is not one token .* written as"))
    expect_step(page, 3)
    assert tokens(page)[:2] == begin and "parrot zzqxj" in written(page)
    count = page.locator(".st-key-stepper .token.forced").count()
    assert count > 3
    write(page, "   ")
    expect(page.get_by_test_id("stAlert")).to_contain_text("There are no words to go on with.")
    assert "parrot zzqxj" in written(page)
    write(page, "<b>x</b> \u202e[a](http://b)")
    wait_for_app(page)
    assert page.locator(".st-key-stepper .text b, .st-key-stepper .text a").count() == 0
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="What could stand here").click()
    page.keyboard.press("ArrowLeft")
    expect_step(page, 2)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_a_click_on_the_charts_leads_to_steps_and_turns(page):
    open_decoding(page)
    expect_step(page, 1)
    chart = "document.querySelector('.st-key-looks_at .js-plotly-plot').layout.xaxis.title.text"
    title = page.evaluate(chart)
    page.get_by_role("combobox", name=re.compile("Cross-attention of")).click()
    page.get_by_role("option").nth(2).click()
    page.wait_for_function(f"title => {chart} !== title", arg=title)
    expect(page).to_have_url(re.compile("heads="))
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


def test_unusual_dialogues_are_shown_literally(page):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_decoding(page)
    for text in ("hello", MARKUP):
        paste_here(page, text)
        expect_step(page, 1)
        press(page, "Last step")
        expect_step(page, len(tokens(page)))
        page.get_by_role("button", name="Read it").click()
        expect(page.get_by_test_id("stPopoverBody").get_by_test_id("stText")).to_have_text(text)
        page.keyboard.press("Escape")
        for line in text.splitlines():
            drawn = page.locator(".st-key-looks_at svg text", has_text=re.compile(re.escape(line[:16])))
            expect(drawn.first).to_be_attached()
    assert dialogs == [] and page.locator(".stPlotlyChart img, .stPlotlyChart foreignObject").count() == 0
