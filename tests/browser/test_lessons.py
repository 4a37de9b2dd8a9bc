"""Lessons in a real browser: a whole talk by keys alone, every task done on its page, what is remembered, phones."""

import re
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, expect

from core.lessons.course import load
from tests.browser.attention import press
from tests.browser.axe import violations
from tests.browser.helpers import (
    FIRST_TOKENS,
    choose,
    click_cell,
    comes_above,
    fill,
    sideways,
    small_texts,
    wait_for_app,
)

PICTURES = {
    "tokens": [".st-key-token_chips .box", ".st-key-token_chips .row >> nth=0"],
    "positions": [".st-key-pos_sum_picture .js-plotly-plot"],
    "masks": [".st-key-leak_picture .js-plotly-plot"],
    "one-head": [".st-key-head_lines .token", ".st-key-head_lines .stage"],
    "many-heads": [".st-key-head_grid .grid"],
    "cross-attention": [".st-key-head_lines .stage", ".st-key-head_lines .row .token >> text=bank"],
    "decoding": [
        ".st-key-stepper .token >> nth=-1",
        ".st-key-next_token button[aria-label='Fork: Write “He” here instead']",
    ],
    "scores": [".st-key-bert_box textarea", ".st-key-bert_try_2 button"],
    "errors": ["[class*='st-key-errors_table'] [data-testid=stDataFrame]"],
    "three-words": [".st-key-head_lines .stage", ".st-key-head_lines .row .token >> text=scarf"],
}
"""Of each stop, what its page is looked at for, and in it what the task asks for."""
TAUGHT = {
    "tokens": [".st-key-token_chips .row >> nth=1"],
    "cross-attention": [".st-key-head_lines .column .block >> nth=-1"],
}
"""What else is whole on a projector: the turn that docs/teaching.md asks about, the last turn with its text."""
FOLDED = {
    "tokens": "tokens_of",
    "masks": "mask_token_choice",
    "one-head": "layer_choice",
    "three-words": "shows",
}
"""Keys of the controls that tasks need and a projector folds away."""
PANEL = ".st-key-lesson"


def expect_stop(page: Page, stop: str, number: int, of: int = 10, more: Sequence[str] = ()) -> None:
    """Wait until a stop is open, and its pictures, and some more, are whole on the screen above the panel."""
    expect(page).to_have_url(re.compile(f"[?&]lesson={stop}(&|$)"))
    expect(page.locator(PANEL)).to_contain_text(f"stop {number} of {of}")
    for selector in (*PICTURES[stop], *more):
        picture = page.locator(selector).first
        expect(picture).to_be_visible(timeout=FIRST_TOKENS)
        expect(picture).to_be_in_viewport(ratio=0.99)  # whole, also in a box that scrolls
        assert comes_above(picture, page.locator(PANEL), 30), f"{stop}: the panel hides {selector}"
    wait_for_app(page)


def key(page: Page, name: str) -> None:
    page.keyboard.press(name)
    wait_for_app(page)


def expect_done(page: Page) -> None:
    expect(page.locator(PANEL).get_by_text("Done.", exact=True)).to_be_visible()
    wait_for_app(page)


def expect_readable(page: Page, stop: str) -> None:
    """Check the type of all on the page, and that a control that the task needs comes with the key that is named."""
    assert small_texts(page, ["[class*=st-key-]"]) == [], stop
    expect(page.locator(PANEL)).to_contain_text("(f shows the controls.)")
    if stop in FOLDED:
        control = page.locator(f".st-key-{FOLDED[stop]}").first
        expect(control).to_be_hidden()
        page.keyboard.press("f")
        expect(control).to_be_in_viewport(ratio=0.99)
        assert comes_above(control, page.locator(PANEL), 30), stop
        page.keyboard.press("f")
        expect(control).to_be_hidden()


@pytest.mark.parametrize("size", [(1280, 720), pytest.param((1920, 1080), marks=pytest.mark.slow)])
def test_a_talk_on_a_projector_by_keys_alone(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/lessons?projector=on")
    start = page.get_by_role("button", name="Start: 45 minutes")
    expect(start).to_be_visible()
    wait_for_app(page)
    for _ in range(80):
        if start.evaluate("node => node === document.activeElement"):
            break
        page.keyboard.press("Tab")
    key(page, "Enter")
    for number, stop in enumerate(PICTURES, 1):
        expect_stop(page, stop, number, more=TAUGHT.get(stop, ()))
        expect_readable(page, stop)
        expect(page).to_have_url(re.compile("[?&]projector=on"))
        assert page.locator(PANEL).bounding_box()["height"] < 0.36 * size[1]
        if number == 2:
            key(page, "PageUp")
            expect_stop(page, "tokens", 1)
            key(page, "PageDown")
            expect_stop(page, stop, number)
        key(page, "PageDown")
    expect(page).to_have_url(re.compile(r"/lessons\?projector=on(&example=[a-z-]+)?$"))
    expect(page.locator(PANEL)).to_have_count(0)
    expect(page.get_by_role("heading", name="Learn it step by step")).to_be_in_viewport()


def own_text(page: Page) -> None:
    press(page, "tokens_of", "A text of your own")
    fill(page, "A text of your own; press Ctrl + Enter when it is done", "Zoë likes photosynthesis.")


def second_head(page: Page) -> None:
    choose(page, "layer_choice", "2")
    choose(page, "head", "9")


def another_head(page: Page) -> None:
    page.locator(".st-key-head_grid").get_by_role("button", name="Layer 2, head 3").click()


def bank(page: Page) -> None:
    page.locator(".st-key-head_lines .side.row .token", has_text="bank").click()


def he(page: Page) -> None:
    row = page.locator(".st-key-next_token tbody tr", has=page.locator(".word", has_text=re.compile("He$")))
    row.get_by_role("button").click()


def not_coming(page: Page) -> None:
    click_cell(page, 150, 5)
    summary = page.locator(".st-key-summary_check .summary")
    assert comes_above(summary, page.locator(PANEL), 30)  # "read its summary beside its dialogue"


def three_words(page: Page) -> None:
    for shown in ("Norms", "Value zeroing"):
        control = page.locator(".st-key-shows")
        assert comes_above(control, page.locator(PANEL), 30)
        choose(page, "shows", shown)
        expect(page.locator(".st-key-head_lines .stage")).to_be_visible()


TASKS: dict[str, Callable[[Page], None]] = {
    "tokens": own_text,
    "positions": lambda page: press(page, "pos_view", "Test it"),
    "masks": lambda page: choose(page, "mask_token_choice", "4 · wallet"),
    "one-head": second_head,
    "many-heads": another_head,
    "cross-attention": bank,
    "decoding": he,
    "scores": lambda page: page.locator(".st-key-bert_try_0").get_by_role("button").first.click(),
    "errors": not_coming,
    "three-words": three_words,
}
"""Of each stop, what its text asks for."""


def test_every_task_can_be_done_as_its_text_says_and_is_remembered(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("/lessons")
    page.get_by_role("button", name="1 · Tokens").click(timeout=60_000)
    wait_for_app(page)
    for number, (stop, task) in enumerate(TASKS.items(), 1):
        expect_stop(page, stop, number)
        expect(page.locator(PANEL).get_by_text("Do.", exact=True)).to_be_visible()
        task(page)
        expect_done(page)
        page.locator(PANEL).get_by_role("button", name=re.compile("Next|Finish")).click()
        wait_for_app(page)
    expect(page.get_by_text("10 of 10 stops done.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("10 of 10 stops done.")).to_be_visible()
    wait_for_app(page)
    page.get_by_role("button", name="Forget what is done").click()
    page.wait_for_function("() => localStorage.getItem('dialoscope-lessons') === null")
    page.reload()
    expect(page.get_by_text("0 of 10 stops done.")).to_be_visible()


def test_back_leads_to_the_stop_before_and_a_closed_lesson_gives_the_keys_back(page: Page) -> None:
    page.goto("/attention?see=heads&kind=encoder&lesson=many-heads")
    expect_stop(page, "many-heads", 5)
    key(page, "PageDown")
    expect_stop(page, "cross-attention", 6)
    key(page, "PageDown")
    expect_stop(page, "decoding", 7)
    page.go_back()
    expect_stop(page, "cross-attention", 6)
    key(page, "PageUp")
    expect_stop(page, "many-heads", 5)
    page.go_back()
    expect_stop(page, "cross-attention", 6)
    page.go_forward()
    expect_stop(page, "many-heads", 5)
    page.locator(PANEL).get_by_role("button", name="Fold").click()
    expect(page.locator(PANEL).get_by_role("button", name="Unfold")).to_be_visible()
    wait_for_app(page)
    assert page.locator(PANEL).bounding_box()["height"] < 60
    page.locator(PANEL).get_by_role("button", name="Close").click()
    expect(page.locator(PANEL)).to_have_count(0)
    wait_for_app(page)
    expect(page).not_to_have_url(re.compile("lesson"))
    key(page, "PageDown")
    expect(page).to_have_url(re.compile("see=heads"))


def test_the_three_words_stand_above_the_panel_and_their_guess_is_answered(page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{load().stops['three-words'].place.address}&lesson=three-words")
    expect_stop(page, "three-words", 10)
    page.locator(PANEL).locator("button", has_text="Turn 5").click()
    expect(page.locator(PANEL)).to_contain_text("It is: Turn 2.")


def test_everybody_can_use_the_panel_on_every_screen(page: Page) -> None:
    page.goto("/masks?lesson=masks")
    expect(page.locator(PANEL).get_by_text("Predict.")).to_be_visible(timeout=FIRST_TOKENS)
    expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0, timeout=FIRST_TOKENS)
    wait_for_app(page, 240)
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # half-way, colours have less contrast
        page.set_viewport_size({"width": width, "height": 844})
        expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)
        wait_for_app(page)
        assert sideways(page, "") == [] and violations(page) == [], scheme
    box = page.locator(PANEL).bounding_box()
    assert box["height"] <= 0.46 * 844 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.emulate_media(color_scheme="light")
