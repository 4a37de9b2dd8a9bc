"""The Attention page in a real browser: all heads, inside one, the catalogue, links, narrow windows, long dialogues."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import (
    VIEWS,
    address,
    choose,
    count,
    facts,
    lines,
    locked,
    open_attention,
    press,
    rows,
    see,
    shown,
    wide,
)
from tests.browser.helpers import paste_here, wait_for_app

PLACES = ("harbour", "bakery", "library", "station", "museum", "garden", "theatre", "market", "castle", "bridge")
LONG = "\n".join(
    f"{('Ines', 'Karol', 'Ada')[turn % 3]}: On day {turn + 1} we met at the {PLACES[turn % 10]} and spoke about trains."
    for turn in range(65)
)
"""65 turns of 12 words and a name: 845 words."""
PANEL = ".st-key-inside_stages .panel"


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def title(page: Page) -> str:
    """What the matrix is called."""
    return page.locator(".st-key-head_matrix .title").inner_text()


def test_a_click_and_a_key_open_a_head_from_the_grid(page):
    open_attention(page, "?see=heads")
    tiles = page.locator(".st-key-head_grid .tile")
    expect(tiles).to_have_count(12)
    page.locator(".st-key-head_grid").get_by_role("button", name="Layer 2, head 3").click()
    shown(page, "head")
    assert title(page) == "Cross-attention, layer 2, head 3"
    for part in ("see=head", "layer=2", "head=3"):
        address(page, part)
    page.go_back()
    shown(page, "heads")
    see(page, "heads")
    page.locator(".st-key-head_grid").get_by_role("button", name="Layer 1, head 1").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    shown(page, "head")
    assert title(page) == "Cross-attention, layer 2, head 2"


def test_another_head_sends_little(page):
    sizes = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    open_attention(page, "?see=head&layer=1&head=1")
    sizes.clear()
    name = page.locator(".st-key-head_matrix .title")
    for head in ("2", "3", "4", "1", "2"):
        page.locator(".st-key-head").get_by_role("combobox").click()
        option = page.get_by_role("option", name=head, exact=True)
        option.wait_for()
        option.click()
        expect(name).to_have_text(f"Cross-attention, layer 1, head {head}")
        expect(lines(page).locator(".chip[aria-pressed='true']")).to_have_text([f"Head {head}"])
        wait_for_app(page)
    assert 1_000 < sum(sizes) / 5 < 500_000


def test_one_cell_is_followed_through_the_stages(page):
    open_attention(page, "?see=inside&layer=1&head=1&token=3")
    stage = page.locator(".st-key-inside_stages .stage")
    expect(stage).to_have_count(6)
    panel, state = page.locator(PANEL), page.locator(f"{PANEL} .state")
    expect(panel).to_contain_text("in stage 2")
    stage.nth(3).locator(".cell").nth(1).hover()
    expect(panel).to_contain_text(re.compile(r"“.+” in stage 4 · softmax"))
    expect(state).to_contain_text("Preview. Click to lock this token.")
    weight = stage.nth(3).locator(".cell .number").nth(1).inner_text()
    expect(panel.locator(".terms")).to_contain_text(weight)
    cell = stage.nth(2).locator(".cell").nth(1)
    name = re.match("“.+”", cell.get_attribute("aria-label"))[0]
    cell.click()
    expect(state).to_contain_text(f"Locked: {name}. Esc, a click outside or a second click releases it.")
    wait_for_app(page)
    cell.focus()
    for key, said in (("ArrowRight", "4 · softmax"), ("ArrowRight", "5 · "), ("ArrowLeft", "4 · softmax")):
        page.keyboard.press(key)
        expect(panel.locator(".what")).to_have_text(re.compile(re.escape(f"{name} in stage {said}")))
    page.keyboard.press("ArrowDown")
    expect(panel.locator(".what")).not_to_contain_text(name)
    expect(state).to_contain_text("Locked")
    page.keyboard.press("Escape")
    expect(state).not_to_contain_text("Locked")
    choose(page, "inside_token", "5 · 's")
    address(page, "token=5")
    expect(page.locator(".st-key-inside_stages .title")).to_contain_text("query “'s”")


def test_another_measure_and_a_square_that_opens_its_head(page):
    open_attention(page, "?see=catalogue")
    caption = page.get_by_text("Over 200 dialogues, entropy, normalised")
    expect(caption).to_be_visible()
    choose(page, "measure", "Mass on speaker tags")
    expect(page.get_by_text("Over 200 dialogues, mass on speaker tags")).to_be_visible()
    address(page, "measure=speakers")
    wait_for_app(page)
    page.locator(".st-key-head_map").scroll_into_view_if_needed()
    box = page.locator(".st-key-head_map .nsewdrag").bounding_box()
    page.mouse.click(box["x"] + 1.5 * box["width"] / 4, box["y"] + 2.5 * box["height"] / 3)
    shown(page, "head")
    assert title(page) == "Cross-attention, layer 3, head 2"


def test_a_link_reopens_head_and_token_elsewhere_and_back_works(page, open_page, app_url):
    open_attention(page, "?see=head&layer=1&head=1&kind=encoder")
    rows(page).nth(6).click()
    address(page, "token=7")
    choose(page, "layer", "2")
    address(page, "layer=2")
    choose(page, "head", "3")
    address(page, "head=3")
    assert title(page) == "Encoder self-attention, layer 2, head 3" and locked(page) == [6]
    kept = facts(page)
    other = open_page(app_url)
    open_attention(other, page.url.split("/attention")[1])
    expect(lines(other).locator(".side.row .locked")).to_have_count(1)
    assert (title(other), locked(other), facts(other)) == (title(page), [6], kept)
    page.go_back()
    expect(page.locator(".st-key-head_matrix .title")).to_have_text("Encoder self-attention, layer 2, head 1")
    other.close()


@pytest.mark.parametrize("name", VIEWS)
def test_a_phone_shows_every_view_without_scrolling_sideways(name, open_page, app_url):
    page = open_page(app_url, width=390, height=844)
    open_attention(page, f"?see={name}&layer=1&head=1&token=3")
    assert wide(page) == []


def test_a_long_dialogue_works_in_every_view_and_kind(page):
    open_attention(page)
    paste_here(page, LONG)
    for kind, name in (("Cross", "cross"), ("Encoder self", "encoder"), ("Decoder self", "decoder")):
        press(page, "kind", kind)
        for view in VIEWS:
            see(page, view)
            expect(page.get_by_test_id("stAlert")).to_have_count(1 if view == "head" else 0)  # "Open a single head"
        see(page, "head")
        assert 0 < count(page) <= 1500
        assert title(page).startswith({"cross": "Cross", "encoder": "Encoder", "decoder": "Decoder"}[name])
        see(page, "turns")
