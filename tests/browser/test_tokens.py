"""The Tokens page in a real browser: a token marks its place in the text, and every view answers."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import FIRST_TOKENS, sideways, wait_for_app

OWN = {"tokens_of": "own", "tokens_text": "Zoë: An unbelievable café 😀\nTom: Yes!"}
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
    """The first chip of a line that reads so."""
    exact = page.locator(".word", has_text=re.compile(f"^{re.escape(text)}$"))
    return page.locator(f".st-key-token_chips .chip[data-place^='{line} ']").filter(has=exact).first


def marked(page: Page) -> str:
    """What is marked in the text."""
    return "".join(page.locator(".st-key-token_chips .segment.marked").all_inner_texts())


def caption(page: Page, text: str) -> Locator:
    """Wait for a sentence on the page."""
    found = page.get_by_test_id("stMain").locator("p", has_text=re.compile(text)).first
    expect(found).to_be_visible(timeout=FIRST_TOKENS)
    return found


def test_the_first_text_is_there_before_the_model(page):
    page.goto("/tokens")
    expect(chip(page, "[EOS]")).to_be_attached(timeout=60_000)
    expect(page.locator(".st-key-token_chips .row")).to_have_count(10)


def test_a_token_marks_its_place_and_can_be_locked(page):
    arrive(page, **OWN)
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


def test_parts_of_a_character_and_its_place_belong_together(page):
    arrive(page, **OWN)
    chip(page, "9F").hover()
    assert "😀" in marked(page)
    segment = page.locator(".st-key-token_chips .segment", has_text="😀")
    segment.hover()
    assert page.locator(".st-key-token_chips .chip.marked").count() >= 3


def test_tokens_can_be_walked_and_locked_by_keyboard(page):
    arrive(page, **OWN)
    chip(page, "#Person1#").focus()
    page.keyboard.press("ArrowRight")
    expect(chip(page, "·An")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_app(page)
    expect(page).to_have_url(re.compile("tokens_place=2"))
    expect(page.locator(".st-key-token_chips .chip.locked")).to_have_count(1)


def test_a_link_reopens_the_locked_token_elsewhere(open_page, app_url):
    page = open_page(app_url)
    arrive(page, **OWN, tokens_place=2)
    expect(page.locator(".st-key-token_chips .chip.locked .word")).to_have_text("·An")
    page.get_by_role("button", name="Its embedding").click()
    caption(page, r"The row of “·An”")
    expect(page.locator(".st-key-neighbours_picture .js-plotly-plot")).to_be_visible()


def test_a_typed_word_is_merged_step_by_step(page):
    arrive(page, tokens_view="merges")
    box = page.get_by_label("Word", exact=True)
    box.fill("Größe")
    box.press("Enter")
    caption(page, r"8 bytes, \d merges, \d tokens?:")
    caption(page, "asked for this word, gives the same")
    texts = page.locator(".st-key-merges_picture .yaxislayer-above .ytick, .st-key-merges_picture .ytick")
    expect(texts.first).to_have_text("bytes")
    expect(page).to_have_url(re.compile("merged_word="))


def test_a_shorter_length_loses_turns_and_a_longer_one_is_padded(page):
    arrive(page, tokens_view="length", pad_to=60, cut_at="end")
    caption(page, r"of 10 turns are left out")
    box = page.get_by_label("Length (places)")
    box.fill("600")
    box.press("Enter")
    caption(page, "All 10 turns fit")
    caption(page, "The model has 512 source positions")
    expect(page).to_have_url(re.compile("pad_to=600"))


def test_the_loss_of_a_reference_is_shown_position_by_position(page):
    arrive(page, tokens_view="forcing", forced=1)
    said = caption(page, "The mean loss of").inner_text()
    mean, perplexity = re.search(r"is (\d+\.\d+)\snats, a perplexity of e\^\S+ = ([\d.,]+);", said).groups()
    assert abs(2.718281828 ** float(mean) / float(perplexity.replace(",", "")) - 1) < 0.02
    expect(page.locator(".st-key-forcing_picture .js-plotly-plot")).to_be_visible()


def test_markup_stays_text(page):
    arrive(page, tokens_of="own", tokens_text="Eve: <img src=x onerror=alert(1)>\nDov: <b>no</b>")
    expect(page.locator(".st-key-token_chips .text").first).to_have_text("Eve: <img src=x onerror=alert(1)>")
    assert page.locator(".st-key-token_chips .text img, .st-key-token_chips .text b").count() == 0


def test_the_chips_are_saved_with_their_sentence(page, tmp_path):
    arrive(page, **OWN)
    expect(chip(page, "[EOS]")).to_be_visible()
    page.get_by_role("button", name="Save").first.click()
    with page.expect_download() as started:
        page.get_by_text("SVG picture").first.click()
    started.value.save_as(tmp_path / "tokens.svg")
    text = (tmp_path / "tokens.svg").read_text("utf-8")
    assert "#Person1#" in text and "characters each" in text


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_shows_every_view_without_scrolling_sideways(view, open_page, app_url):
    page = open_page(app_url, width=390, height=844)
    arrive(page, **OWN, tokens_view=view)
    if view in ("embedding", "forcing"):
        caption(page, "The row of|The mean loss of")
    assert sideways(page) == []
