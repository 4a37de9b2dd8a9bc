"""The Tokens page in a real browser: a token marks its place in the text, and every view answers."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import FIRST_TOKENS, sideways, wait_for_app

OWN = {"tokens_of": "own", "tokens_text": "Zoë: An unbelievable café 😀\nTom: <img src=x onerror=alert(1)>"}
VIEWS = ("tokens", "merges", "length", "embedding", "forcing")


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def arrive(page: Page, **link: str | int) -> None:
    """Open the page by a link and wait for its view, not for the model."""
    page.goto(f"/tokens?{urlencode(link)}")
    expect(page.get_by_role("radio", name="Teacher forcing")).to_be_visible(timeout=60_000)
    wait_for_app(page)


def chip(page: Page, text: str, line: int = 0) -> Locator:
    """Return the first chip of a line that reads so."""
    exact = page.locator(".word", has_text=re.compile(f"^{re.escape(text)}$"))
    return page.locator(f".st-key-token_chips .chip[data-place^='{line} ']").filter(has=exact).first


def marked(page: Page) -> str:
    """Return what is marked in the text."""
    return "".join(page.locator(".st-key-token_chips .segment.marked").all_inner_texts())


def caption(page: Page, text: str) -> Locator:
    """Wait for a sentence on the page."""
    found = page.get_by_test_id("stMain").locator("p", has_text=re.compile(text)).first
    expect(found).to_be_visible(timeout=FIRST_TOKENS)
    return found


def test_a_token_marks_its_place_is_locked_and_comes_back(page, tmp_path):
    arrive(page, **OWN)
    expect(page.locator(".st-key-token_chips .text").nth(1)).to_have_text("Tom: <img src=x onerror=alert(1)>")
    chip(page, "9F").hover()
    assert "😀" in marked(page)
    page.locator(".st-key-token_chips .segment", has_text="😀").hover()
    assert page.locator(".st-key-token_chips .chip.marked").count() >= 3
    chip(page, "·An").hover()
    expect(page.locator(".st-key-token_chips .segment.marked")).to_have_count(1)
    assert marked(page) == "An"
    tip = page.locator(".st-key-token_chips .tip")
    expect(tip).to_contain_text(re.compile(r"“·An” · token 2, id \d+ · characters 6–7"))
    chip(page, "[UNK]", 1).click()
    wait_for_app(page)
    expect(page).to_have_url(re.compile("tokens_line=word.*tokens_place=1|tokens_place=1.*tokens_line=word"))
    page.mouse.move(5, 5)
    assert marked(page) == "Zoë"
    expect(page.locator(".st-key-token_chips .state")).to_contain_text("Locked: “[UNK]”, id 3")
    page.keyboard.press("Escape")
    wait_for_app(page)
    expect(page).not_to_have_url(re.compile("tokens_place"))
    assert marked(page) == ""
    chip(page, "#Person1#").focus()
    page.keyboard.press("ArrowRight")
    expect(chip(page, "·An")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_app(page)
    expect(page).to_have_url(re.compile("tokens_place=2"))
    page.get_by_role("button", name="Save").first.click()
    with page.expect_download() as started:
        page.get_by_text("SVG picture").first.click()
    started.value.save_as(tmp_path / "tokens.svg")
    text = (tmp_path / "tokens.svg").read_text("utf-8")
    assert "#Person1#" in text and "characters each" in text
    page.reload()
    expect(page.locator(".st-key-token_chips .chip.locked .word")).to_have_text("·An", timeout=60_000)
    page.get_by_role("button", name="Its embedding").click()
    caption(page, r"The row of “·An”")
    expect(page.locator(".st-key-neighbours_picture .js-plotly-plot")).to_be_visible()
    page.go_back()
    expect(page.locator(".st-key-token_chips .chip.locked .word")).to_have_text("·An", timeout=60_000)


def test_every_view_answers(page):
    page.goto("/tokens")
    expect(chip(page, "[EOS]")).to_be_attached(timeout=60_000)  # before the model
    expect(page.locator(".st-key-token_chips .row")).to_have_count(10)
    page.get_by_role("radio", name="Merges").click()
    box = page.get_by_label("Word", exact=True)
    box.fill("Größe")
    box.press("Enter")
    caption(page, r"8 bytes, \d merges, \d tokens?:")
    expect(page.locator(".st-key-merges_picture .ytick").first).to_have_text("bytes")
    page.get_by_role("radio", name="Length").click()
    length = page.get_by_label("Length (positions)")
    for value, said in (("60", r"of 10 turns are left out"), ("600", "All 10 turns fit")):
        length.fill(value)
        length.press("Enter")
        caption(page, said)
    caption(page, "The model has 512 source positions")
    page.get_by_role("radio", name="Embedding").click()
    caption(page, "The row of “·evening”")
    caption(page, "“·morning” .* point most nearly the way of “·evening”")
    caption(page, r"Over 246 pairs of words of one kind the mean cosine is 0\.34; with all other tokens it is 0\.10")
    page.get_by_role("radio", name="Teacher forcing").click()
    said = caption(page, "The mean loss of").inner_text()
    mean, perplexity = re.search(r"is (\d+\.\d+)\snats, a perplexity of e\^\S+ = ([\d.,]+);", said).groups()
    assert abs(2.718281828 ** float(mean) / float(perplexity.replace(",", "")) - 1) < 0.02
    expect(page.get_by_text("The model wrote this summary itself")).to_have_count(0)  # it is a reference


def test_a_phone_in_the_dark_shows_every_view_without_scrolling_sideways(open_page, app_url):
    page = open_page(app_url, width=390, height=844, color_scheme="dark")
    for view in VIEWS:
        arrive(page, **OWN, tokens_view=view)
        if view in ("embedding", "forcing"):
            caption(page, "The row of|The mean loss of")
        assert sideways(page) == [], view
