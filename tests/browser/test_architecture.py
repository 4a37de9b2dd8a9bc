"""The Architecture page in a real browser: a box leads to its lines of code; its sizes are in tests/pages."""

import re
from xml.etree import ElementTree

from playwright.sync_api import Page, expect

from tests.browser.attention import address
from tests.browser.helpers import FIRST_TOKENS, SLOW, fill, open_menu, saved, wait_for_app
from tests.components.svg import SVG
from tests.components.test_saving import words as words_of


def test_a_box_leads_to_its_lines_and_the_diagram_is_saved(page: Page) -> None:
    page.goto("/architecture?arch_model=preset.report-b")
    diagram = page.locator(".st-key-stack_diagram")
    box = diagram.locator('[data-place="decoder/block2/cross_attention"]')
    expect(page.locator(".st-key-tensors canvas").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    fill(page, "Source S", "5")
    expect(page.get_by_text("with B = 2, S = 5, T = 8")).to_be_visible(timeout=SLOW)
    title = page.get_by_test_id("stMain").get_by_role("heading", level=2)
    for each in (diagram.locator('[data-place="decoder/block2"]'), box):  # the first unfolds its parts
        each.click()
        wait_for_app(page)
    expect(title.last).to_have_text("Cross-attention of decoder layer 2")
    address(page, "arch_part=decoder%2Fblock2%2Fcross_attention")
    code = page.get_by_test_id("stCode")
    expect(code.filter(has_text="def attention_weights")).to_contain_text("# → [2, 2, 8, 5]")
    assert re.search(r"\d+\s+scores = ops\.cast\(ops\.matmul", " ".join(code.all_inner_texts()))
    page.reload()
    expect(title.last).to_have_text("Cross-attention of decoder layer 2", timeout=SLOW)
    wait_for_app(page)
    expect(box).to_have_attribute("aria-pressed", "true")
    box.focus()
    page.keyboard.press("Escape")
    wait_for_app(page)
    expect(title.last).to_have_text("The whole pass")

    open_menu(page, "stack_diagram")
    name, content = saved(page, "SVG picture")
    root = ElementTree.fromstring(content)
    said = words_of(root)
    assert name == "architecture.svg" and "Maskedself-attention" in said and "Clickabox" not in said
    sizes = [diagram.locator(part).bounding_box() for part in (".arrows", ".stacks")]
    assert sizes[0]["height"] == sizes[1]["height"]  # lines outside their picture would be cut off in the file
    edges = diagram.locator(".arrows path").count()
    assert len(root.findall(f".//{SVG}g[@transform]/{SVG}path")) == edges > 20
