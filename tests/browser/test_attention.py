"""The Attention page in a real browser; what its components do by themselves is in tests/components."""

import re

import pytest
from playwright.sync_api import Page, expect

from core import checkpoints
from core.explain.catalogue import Catalogue
from tests.browser.attention import address, lines, locked, open_attention, press, rows, see, shown
from tests.browser.helpers import choose, paste_here, wait_for_app

SHAPE = checkpoints.read_config("dialoscope")
"""Shape of the checkpoint that opens first."""
CATALOGUE = Catalogue.from_dict(checkpoints.read_heads("dialoscope") or {})
CROSS = [head for head in CATALOGUE.heads if head.place[0] == "cross"]
COPYING = next(head for head in CROSS if CATALOGUE.labels()[head.place].startswith("copy"))
"""One of its heads that copies."""
PLACES = ("harbour", "bakery", "library", "station", "museum", "garden", "theatre", "market", "castle", "bridge")
LONG = "\n".join(
    f"{('Ines', 'Karol', 'Ada')[turn % 3]}: On day {turn + 1} we met at the {PLACES[turn % 10]} and spoke about trains."
    for turn in range(65)
)
"""65 turns of 12 words and a name: 845 words."""


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def titled(page: Page, text: str) -> None:
    """Wait until the matrix is of this head."""
    expect(page.locator(".st-key-head_matrix .title")).to_have_text(text)


def test_from_all_heads_to_a_token_inside_one_and_back(page, open_page, app_url):
    open_attention(page, "?see=heads")
    expect(page.locator(".st-key-head_grid .tile")).to_have_count(SHAPE.decoder_layers * SHAPE.num_heads)
    page.locator(".st-key-head_grid").get_by_role("button", name="Layer 2, head 3").click()
    shown(page, "head")
    titled(page, "Cross-attention, layer 2, head 3")
    for part in ("see=head", "layer=2", "head=3"):
        address(page, part)
    page.go_back()
    shown(page, "heads")
    page.go_forward()
    shown(page, "head")
    rows(page).nth(2).click()
    address(page, "token=3")
    rows(page).nth(5).click(modifiers=["Shift"])
    address(page, "to=6")
    press(page, "by", "Word")
    expect(lines(page).locator(".side.row .locked").first).to_be_visible()
    press(page, "by", "Token")
    other = open_page(app_url)
    open_attention(other, page.url.split("/attention")[1])
    titled(other, "Cross-attention, layer 2, head 3")
    assert locked(other) == locked(page) == [2, 3, 4, 5]
    other.close()
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("token="))
    canvas = page.locator(".st-key-head_matrix canvas")
    canvas.scroll_into_view_if_needed()
    canvas.click(position={"x": 8, "y": 8})
    address(page, "token=1")
    expect(lines(page).locator(".side.row .locked")).to_have_count(1)
    fifth = rows(page).nth(4).inner_text().strip()
    see(page, "inside")
    stage = page.locator(".st-key-inside_stages .stage")
    expect(stage).to_have_count(6)
    stage.nth(2).locator(".cell").nth(1).click()
    expect(page.locator(".st-key-inside_stages .panel")).to_contain_text("Locked")
    choose(page, "inside_token", f"5 · {fifth}")
    address(page, "token=5")
    page.reload()
    shown(page, "inside")
    expect(page.locator(".st-key-inside_stages .title")).to_contain_text(f"query “{fifth}”")


@pytest.mark.slow
def test_the_catalogue_opens_a_head_another_sends_little_and_a_long_dialogue_works(page):
    open_attention(page, "?see=catalogue")
    expect(page.get_by_text("Over 200 dialogues, entropy, normalised")).to_be_visible()
    chart = page.locator(".st-key-head_map")
    heads = SHAPE.num_heads
    expect(chart.locator(".scatterlayer text")).to_have_count(SHAPE.decoder_layers * heads)
    choose(page, "measure", "Weight on speaker tags")
    expect(page.get_by_text("Over 200 dialogues, weight on speaker tags")).to_be_visible()
    layer, head = max(CROSS, key=lambda each: each.scores.speakers).place[1:]
    highest = f"Over 200 dialogues.*highest in layer {layer + 1}, head {head + 1} "
    expect(page.get_by_text(re.compile(highest))).to_be_visible()
    address(page, "measure=speakers")
    chart.scroll_into_view_if_needed()
    box = page.locator(".st-key-head_map .nsewdrag").bounding_box()
    _, layer, head = COPYING.place
    across, down = (head + 0.5) / heads, (layer + 0.5) / SHAPE.decoder_layers
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    shown(page, "head")
    titled(page, f"Cross-attention, layer {layer + 1}, head {head + 1}")
    kind, stands = CATALOGUE.nearest(COPYING).type_text, CATALOGUE.outstanding(COPYING).text
    said = f"Over 200 dialogues of .*{re.escape(kind)}.*stands out by {re.escape(stands)}"
    expect(page.get_by_text(re.compile(said))).to_be_visible()

    sizes = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    page.reload()
    shown(page, "head")
    sizes.clear()
    for head in ("1", "3"):
        choose(page, "head", head)
        titled(page, f"Cross-attention, layer {layer + 1}, head {head}")
        expect(lines(page).locator(".chip[aria-pressed='true']")).to_have_text([f"Head {head}"])
        wait_for_app(page)
    assert 1_000 < sum(sizes) / 2 < 500_000
    paste_here(page, LONG)
    for kind, name in (("Encoder self", "Encoder"), ("Decoder self", "Decoder")):
        press(page, "kind", kind)
        expect(page.locator(".st-key-head_matrix .title")).to_contain_text(name)
        assert 0 < int(lines(page).locator(".count").inner_text().split(" of ")[0].replace(",", "")) <= 1500
        for view in ("heads", "turns", "head"):
            see(page, view)
            expect(page.get_by_test_id("stAlert")).to_have_count(0)
