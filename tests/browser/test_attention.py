"""The Attention page in a real browser; what its components do by themselves is in tests/components."""

import re

from playwright.sync_api import Page, expect

from core import checkpoints
from tests.browser.attention import VIEWS, address, press, shown
from tests.browser.helpers import FIRST_TOKENS, MARK_AT_REST, choose, unfold

SHAPE = checkpoints.read_config("dialoscope")
"""Shape of the checkpoint that opens first."""
LAYER, HEAD = SHAPE.decoder_layers - 1, 1
"""One of its heads, from 0."""


def titled(page: Page, text: str) -> None:
    """Wait until the matrix is of this head."""
    expect(page.locator(".st-key-head_matrix .title")).to_have_text(text)


def test_from_all_heads_to_a_token_of_one_and_back(page: Page) -> None:
    sizes = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    page.goto("/attention?see=heads")
    shown(page, "heads", FIRST_TOKENS)
    rows, locked = page.locator(VIEWS["head"]), page.locator(".st-key-head_lines .side.row .locked")
    page.locator(".st-key-head_grid").get_by_role("button", name="Layer 2, head 3").click()
    shown(page, "head")
    titled(page, "Cross-attention, layer 2, head 3")
    for part in ("see=head", "layer=2", "head=3"):
        address(page, part)
    page.go_back()
    shown(page, "heads")
    page.go_forward()
    shown(page, "head")
    rows.nth(2).click()
    address(page, "token=3")
    rows.nth(5).click(modifiers=["Shift"])
    address(page, "to=6")
    page.reload()
    shown(page, "head")
    titled(page, "Cross-attention, layer 2, head 3")
    assert locked.evaluate_all("nodes => nodes.map(n => Number(n.dataset.index))") == [2, 3, 4, 5]
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("token="))
    unfold(page, "As a matrix")
    canvas = page.locator(".st-key-head_matrix canvas")
    canvas.scroll_into_view_if_needed()
    canvas.click(position={"x": 8, "y": 8})
    address(page, "token=1")
    expect(locked).to_have_count(1)
    # A head of the catalogue's chart is opened by a click; another head sends little.
    press(page, "see", "Catalogue")
    shown(page, "catalogue")
    chart = page.locator(".st-key-head_map")
    expect(chart.locator(".scatterlayer text")).to_have_count(SHAPE.decoder_layers * SHAPE.num_heads)
    page.evaluate(MARK_AT_REST, [".st-key-head_map .nsewdrag", 0])
    box = chart.locator(".nsewdrag").bounding_box()
    across, down = (HEAD + 0.5) / SHAPE.num_heads, (LAYER + 0.5) / SHAPE.decoder_layers
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    shown(page, "head")
    titled(page, f"Cross-attention, layer {LAYER + 1}, head {HEAD + 1}")
    sizes.clear()
    choose(page, "head", "1")
    titled(page, f"Cross-attention, layer {LAYER + 1}, head 1")
    assert 1_000 < sum(sizes) < 500_000
