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
COPYING = next(
    head.place for head in CATALOGUE.heads if head.place[0] == "cross" and "copy" in CATALOGUE.labels()[head.place][:4]
)
"""One of its heads that copies."""
LONG = "\n".join(
    f"{('Ines', 'Karol', 'Ada')[turn % 3]}: On day {turn + 1} we met at the harbour and spoke about {turn} trains."
    for turn in range(65)
)
"""65 turns of 12 words and a name."""


def titled(page: Page, text: str) -> None:
    """Wait until the matrix is of this head."""
    expect(page.locator(".st-key-head_matrix .title")).to_have_text(text)


def test_from_all_heads_to_a_token_inside_one_and_back(page: Page) -> None:
    open_attention(page, "?see=heads")
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
    page.reload()
    shown(page, "head")
    titled(page, "Cross-attention, layer 2, head 3")
    assert locked(page) == [2, 3, 4, 5]
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("token="))
    canvas = page.locator(".st-key-head_matrix canvas")
    canvas.scroll_into_view_if_needed()
    canvas.click(position={"x": 8, "y": 8})
    address(page, "token=1")
    expect(lines(page).locator(".side.row .locked")).to_have_count(1)
    fifth = rows(page).nth(4).inner_text().strip()
    see(page, "inside")
    page.locator(".st-key-inside_stages .stage").nth(2).locator(".cell").nth(1).click()
    expect(page.locator(".st-key-inside_stages .panel")).to_contain_text("Locked")
    choose(page, "inside_token", f"5 · {fifth}")
    address(page, "token=5")
    expect(page.locator(".st-key-inside_stages .title")).to_contain_text(f"query “{fifth}”")


@pytest.mark.slow
def test_the_catalogue_opens_a_head_another_sends_little_and_a_long_dialogue_works(page: Page) -> None:
    open_attention(page, "?see=catalogue&measure=speakers")
    chart = page.locator(".st-key-head_map")
    heads = SHAPE.num_heads
    expect(chart.locator(".scatterlayer text")).to_have_count(SHAPE.decoder_layers * heads)
    chart.scroll_into_view_if_needed()
    box = page.locator(".st-key-head_map .nsewdrag").bounding_box()
    _, layer, head = COPYING
    across, down = (head + 0.5) / heads, (layer + 0.5) / SHAPE.decoder_layers
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    shown(page, "head")
    titled(page, f"Cross-attention, layer {layer + 1}, head {head + 1}")

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
        for view in ("heads", "turns", "head"):
            see(page, view)
            expect(page.get_by_test_id("stAlert")).to_have_count(0)
