"""The Architecture page in a real browser: sizes, clicks on boxes, source lines, files, printed tables."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, press
from tests.browser.helpers import FIRST_TOKENS, wait_for_app
from tests.components.svg import SVG
from tests.components.test_saving import words as words_of

SLOW = 120_000
"""Milliseconds for a network that is built, on a busy machine."""


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def open_architecture(page: Page, link: str) -> None:
    """Open the page and wait for its diagram and its table."""
    page.goto(f"/architecture{link}")
    expect(page.locator(".st-key-stack_diagram .unit").first).to_be_visible(timeout=FIRST_TOKENS)
    expect(page.locator(".st-key-tensors canvas").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def box(page: Page, path: str) -> Locator:
    """A box of the diagram, or the number of a layer."""
    return page.locator(f'.st-key-stack_diagram [data-place="{path}"]')


def test_from_a_size_to_a_box_its_lines_and_a_saved_diagram(page, tmp_path):
    open_architecture(page, "?arch_model=preset.report-b")
    attention = box(page, "encoder/block1/self_attention").inner_text()
    assert attention.split("\n")[1:] == ["2 heads of width 128", "131,968"]
    field = page.get_by_role("spinbutton", name="Source S")
    field.fill("5")
    field.press("Enter")
    address(page, "arch_source=5")
    expect(page.get_by_text("with B = 2, S = 5, T = 8")).to_be_visible(timeout=SLOW)
    page.locator(".st-key-tensors").scroll_into_view_if_needed()
    first = page.locator(".st-key-tensors canvas table tbody tr").first.locator("td")
    expect(first.nth(1)).to_have_text("[2, 5]")  # the table is drawn after its caption
    assert first.all_text_contents()[:3] == ["source ids", "[2, 5]", "B × S"]

    title = page.get_by_test_id("stMain").get_by_role("heading", level=2)
    for path, words in (("", "Decoder layer 2"), ("/cross_attention", "Cross-attention of decoder layer 2")):
        box(page, f"decoder/block2{path}").click()
        wait_for_app(page)
        expect(title.last).to_have_text(words)
    address(page, "arch_part=decoder%2Fblock2%2Fcross_attention")
    code = page.get_by_test_id("stCode")
    expect(code.filter(has_text="def attention_weights")).to_contain_text("# → [2, 2, 8, 5]")
    assert re.search(r"\d+\s+scores = ops\.cast\(ops\.matmul", " ".join(code.all_inner_texts()))
    page.reload()
    expect(title.last).to_have_text("Cross-attention of decoder layer 2", timeout=SLOW)
    expect(box(page, "decoder/block2/cross_attention")).to_have_attribute("aria-pressed", "true")
    box(page, "decoder/block2/cross_attention").focus()
    page.keyboard.press("Escape")
    wait_for_app(page)
    expect(title.last).to_have_text("The whole pass")
    expect(code).to_have_count(0)

    page.locator(".st-key-stack_diagram").locator("xpath=following::button[contains(., 'Save')][1]").click()
    with page.expect_download() as download:
        page.get_by_test_id("stPopoverBody").get_by_role("button", name="SVG picture").click()
    assert download.value.suggested_filename == "architecture.svg"
    download.value.save_as(tmp_path / "architecture.svg")
    page.keyboard.press("Escape")
    root = ElementTree.parse(tmp_path / "architecture.svg").getroot()
    said = words_of(root)
    assert "Maskedself-attention" in said and "notableisshared" in said and "Clickabox" not in said
    sizes = [page.locator(f".st-key-stack_diagram {name}").bounding_box() for name in (".arrows", ".stacks")]
    assert sizes[0]["height"] == sizes[1]["height"]  # lines outside their picture would be cut off in the file
    edges = page.locator(".st-key-stack_diagram .arrows path").count()
    assert len(root.findall(f".//{SVG}g[@transform]/{SVG}path")) == edges > 20
    press(page, "arch_view", "Published shapes")
    expect(page.get_by_text("13 of 13 shapes are the same as published.")).to_be_visible(timeout=SLOW)
