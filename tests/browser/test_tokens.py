"""The Tokens page in a real browser: a token marks its place in the text, is locked and comes back."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import FIRST_TOKENS, caption, click, open_page_at, sideways, wait_for_app

OWN = {
    "checkpoint": "dialoscope-scratch",
    "tokens_of": "own",
    "tokens_text": "Zoë: An unbelievable café 😀\nTom: <img src=x onerror=alert(1)>",
}
CHIPS = ".st-key-token_chips"


def chip(page: Page, text: str, line: int = 0) -> Locator:
    """Return the first chip of a line that reads so."""
    exact = page.locator(".word", has_text=re.compile(f"^{re.escape(text)}$"))
    return page.locator(f"{CHIPS} .chip[data-place^='{line} ']").filter(has=exact).first


def expect_locked(page: Page, text: str) -> None:
    expect(page.locator(f"{CHIPS} .chip.locked .word")).to_have_text(text, timeout=60_000)


def test_a_token_marks_its_place_is_locked_and_comes_back(page: Page) -> None:
    open_page_at(page, "tokens", "Teacher forcing", **OWN)
    expect(page.locator(f"{CHIPS} .text").nth(1)).to_have_text("Tom: <img src=x onerror=alert(1)>")
    marked = page.locator(f"{CHIPS} .segment.marked")
    chip(page, "·An").hover()
    expect(marked).to_have_text(["An"])
    tip = re.compile(r"“·An” · token 2, id \d+ · characters 6–7")
    expect(page.locator(f"{CHIPS} .tip")).to_contain_text(tip)
    chip(page, "[UNK]", 1).click()
    wait_for_app(page)
    expect(page).to_have_url(re.compile("tokens_line=word.*tokens_place=1|tokens_place=1.*tokens_line=word"))
    page.mouse.move(5, 5)
    expect(marked).to_have_text(["Zoë"])
    expect(page.locator(f"{CHIPS} .state")).to_contain_text("Locked: “[UNK]”, id 3")
    page.keyboard.press("Escape")
    wait_for_app(page)
    expect(page).not_to_have_url(re.compile("tokens_place"))
    expect(marked).to_have_count(0)
    chip(page, "#Person1#").focus()
    page.keyboard.press("ArrowRight")
    expect(chip(page, "·An")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_app(page)
    expect(page).to_have_url(re.compile("tokens_place=2"))
    page.reload()
    expect_locked(page, "·An")
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_app(page)
    assert sideways(page) == []
    click(page, "Its embedding")
    caption(page, r"The row of “·An”", FIRST_TOKENS)
    assert sideways(page) == []
    page.go_back()
    expect_locked(page, "·An")
