"""The Attention lab in a real browser: editing cells, and links."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, press
from tests.browser.helpers import FIRST_TOKENS, choose, unfold, wait_for_app

HEADER, ROW, COLUMN = 36, 28, 62
"""Pixels of an editor's first row, of the others and of a column."""


def cell(page: Page, place: str) -> Locator:
    """A cell on the board, "weights.1.2"."""
    return page.locator(f".st-key-lab_board .cell[data-cell='{place}']")


def expect_numbers(page: Page, **texts: str) -> None:
    """Wait for numbers on the board, by matrix, row and column: weights_1_2."""
    for place, text in texts.items():
        name, row, column = place.rsplit("_", 2)
        expect(cell(page, f"{name}.{row}.{column}").locator(".number")).to_have_text(text, timeout=FIRST_TOKENS)


def type_in(page: Page, name: str, row: int, column: int, text: str) -> None:
    """Type into a cell of the editor of a matrix, "query"; rows and columns from 0."""
    canvas = page.locator(f"[class*='st-key-lab_'][class*='_{name}_'] canvas").first
    wait_for_app(page)
    editor = page.locator("details", has=page.locator("summary", has_text="Edit Q · K · V · Mask"))
    if editor.get_attribute("open") is None:
        unfold(page, "Edit Q · K · V · Mask")
    expect(canvas).to_be_visible()
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.dblclick(box["x"] + COLUMN * (column + 1.5), box["y"] + HEADER + ROW * (row + 0.5))
    entry = page.locator("#portal input")
    entry.fill(text)
    entry.press("Enter")
    expect(entry).to_have_count(0)
    wait_for_app(page)


def test_cells_are_edited_linked_and_locked(page):
    page.goto("/attention_lab")
    expect_numbers(page, weights_1_1="0.250", output_1_1="0.500")
    type_in(page, "query", 0, 0, "2")
    expect_numbers(page, query_1_1="2", scores_1_1="2", weights_1_1="0.297", output_1_1="0.406")  # e ÷ (3e + 1)
    expect(cell(page, "weights.1.1").locator(".printed")).to_have_text("0.25 ✗")
    page.wait_for_url(re.compile("lab_matrices=2_0_0_0~"))
    type_in(page, "query", 0, 1, "3")
    expect_numbers(page, query_1_1="2", query_1_2="3")
    page.wait_for_url(re.compile("lab_matrices=2_3_0_0~"))
    page.reload()
    expect_numbers(page, query_1_2="3", query_1_1="2")
    page.go_back()
    expect_numbers(page, query_1_2="0", query_1_1="2")

    unfold(page, "Edit Q · K · V · Mask")
    press(page, "lab_matrices_which", "Mask")
    type_in(page, "mask", 0, 0, "0")
    expect(cell(page, "masked.1.1")).to_have_class(re.compile("masked"))
    choose(page, "lab_preset", "Self-attention of 5 × 4")
    choose(page, "lab_preset", "Masked attention, 3 × 5")  # brings its own matrices
    expect_numbers(page, query_1_1="0")
    cell(page, "key.1.1").click()
    address(page, r"lab_cell=key\.1\.1")
    type_in(page, "key", 0, 0, "4")  # a click on a cell of K chose it in the editor
    expect_numbers(page, scores_2_1="5")
