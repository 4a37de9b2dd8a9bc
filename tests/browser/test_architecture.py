"""The Architecture page in a real browser: report A's shapes, clicks on boxes, sizes, costs, files, phones."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, choose, press, wide
from tests.browser.helpers import FIRST_TOKENS, wait_for_app

SVG = "{http://www.w3.org/2000/svg}"
REPORT_A = "Preset “report-b”: course reports A and B, one network"
SLOW = 120_000
"""Milliseconds for a network that is built, on a busy machine."""


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def open_architecture(page: Page, link: str = "") -> None:
    """Open the page and wait for its diagram and its table."""
    page.goto(f"/architecture{link}")
    expect(page.locator(".st-key-stack_diagram .unit").first).to_be_visible(timeout=FIRST_TOKENS)
    expect(page.locator(".st-key-tensors canvas").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def box(page: Page, path: str) -> Locator:
    """A box of the diagram, or the number of a layer."""
    return page.locator(f'.st-key-stack_diagram [data-place="{path}"]')


def click(page: Page, path: str) -> None:
    """Click a box or the number of a layer."""
    box(page, path).click()
    wait_for_app(page)


def table(page: Page) -> list[list[str]]:
    """The first rows of the table of tensors, as its accessible twin has them: name, shape, axes."""
    page.locator(".st-key-tensors").scroll_into_view_if_needed()
    rows = page.locator(".st-key-tensors canvas table tbody tr").all()
    return [row.locator("td").all_text_contents()[:3] for row in rows]


def text(page: Page) -> str:
    """What stands in captions, with common blanks."""
    return " ".join(page.get_by_test_id("stCaptionContainer").all_inner_texts()).replace("\xa0", " ")


def test_report_as_configuration_and_its_shape_table(page):
    open_architecture(page)
    expect(page.get_by_text("Shown: Checkpoint “dialoscope”")).to_be_visible()
    choose(page, "arch_model", REPORT_A)
    expect(page.get_by_text(f"Shown: {REPORT_A}.")).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("Parameters used: 4,468,464.")).to_be_visible(timeout=SLOW)
    address(page, "arch_model=preset.report-b")
    rows = table(page)
    assert rows[0] == ["source ids", "[2, 12]", "B × S"] and rows[2] == ["embedding × √D", "[2, 12, 128]", "B × S × D"]
    assert ["key of every head", "[2, 2, 12, 128]", "B × H × S × K"] in rows
    attention = box(page, "encoder/block1/self_attention").inner_text()
    assert attention.split("\n")[1:] == ["2 heads of width 128", "131,968"]

    page.get_by_role("spinbutton", name="Source S").fill("5")
    page.get_by_role("spinbutton", name="Source S").press("Enter")
    address(page, "arch_source=5")
    expect(page.get_by_text("with B = 2, S = 5, T = 8")).to_be_visible(timeout=SLOW)
    first = page.locator(".st-key-tensors canvas table tbody tr").first
    expect(first.locator("td").nth(1)).to_have_text("[2, 5]")  # the table is drawn after its caption
    assert ["key of every head", "[2, 2, 5, 128]", "B × H × S × K"] in table(page)


def test_a_click_on_a_box_shows_its_tensors_and_its_lines(page):
    open_architecture(page, "?arch_model=preset.report-b")
    title = page.get_by_test_id("stMain").get_by_role("heading", level=2)
    click(page, "decoder/block2")
    expect(title.last).to_have_text("Decoder layer 2")
    click(page, "decoder/block2/cross_attention")
    expect(title.last).to_have_text("Cross-attention of decoder layer 2")
    address(page, "arch_part=decoder%2Fblock2%2Fcross_attention")
    assert table(page)[0][:2] == ["key: x W_K + b_K", "[2, 12, 256]"]
    code = page.get_by_test_id("stCode")
    expect(code.filter(has_text="def attention_weights")).to_contain_text("# → [2, 2, 8, 12]")
    assert re.search(r"\d+\s+scores = ops\.matmul", " ".join(code.all_inner_texts()))
    assert box(page, "decoder/block2/cross_attention").get_attribute("aria-pressed") == "true"

    page.reload()
    expect(title.last).to_have_text("Cross-attention of decoder layer 2", timeout=SLOW)
    box(page, "decoder/block2/cross_attention").focus()
    page.keyboard.press("Escape")
    wait_for_app(page)
    expect(title.last).to_have_text("The whole pass")
    expect(code).to_have_count(0)


def test_the_diagram_follows_the_configuration(page):
    open_architecture(page)
    names = page.locator(".st-key-stack_diagram .stack").first.locator(".unit .name")
    assert names.all_inner_texts()[4:7] == ["Norm", "Self-attention", "Add"]
    kinds = page.locator(".st-key-stack_diagram .arrows path").evaluate_all("n => n.map(p => p.getAttribute('class'))")
    assert kinds.count("memory") == 2 and kinds.count("shared") == 1 and kinds.count("residual") == 3
    choose(page, "arch_model", "Preset “tutorial-transformer”: tutorial’s Transformer example")
    expect(box(page, "encoder/block7")).to_be_visible(timeout=SLOW)
    wait_for_app(page)
    assert names.all_inner_texts()[4:7] == ["Self-attention", "Add", "Norm"]
    expect(box(page, "copy_head")).to_have_count(0)


def test_parameters_costs_and_printed_tables(page):
    open_architecture(page)
    press(page, "arch_view", "Parameters")
    expect(page.locator(".st-key-parameter_shares_picture .barlayer path").first).to_be_visible(timeout=SLOW)
    assert "7,710,465 parameters" in text(page) and "the paper prints 65 million" in text(page)
    press(page, "arch_view", "Cost")
    expect(page.locator(".st-key-memory_picture .scatterlayer path").first).to_be_visible(timeout=SLOW)
    assert "passes the feed-forward network at 1,024 source tokens" in text(page)
    page.get_by_role("spinbutton", name="Source length").fill("1024")
    page.get_by_role("spinbutton", name="Source length").press("Enter")
    address(page, "arch_length=1024")
    press(page, "arch_view", "Printed tables")
    expect(page.get_by_text("13 of 13 printed shapes are ours, too.")).to_be_visible(timeout=SLOW)


def test_the_diagram_is_saved_with_its_lines(page, tmp_path: Path):
    open_architecture(page, "?arch_model=preset.report-b")
    page.locator(".st-key-stack_diagram").locator("xpath=following::button[contains(., 'Save')][1]").click()
    with page.expect_download() as download:
        page.get_by_test_id("stPopoverBody").get_by_role("button", name="SVG picture").click()
    assert download.value.suggested_filename == "architecture.svg"
    download.value.save_as(tmp_path / "architecture.svg")
    root = ElementTree.parse(tmp_path / "architecture.svg").getroot()
    words = "".join(root.itertext())
    assert "Masked self-attention" in words and "no table is shared" in words and "Click a box" not in words
    sizes = [page.locator(f".st-key-stack_diagram {name}").bounding_box() for name in (".arrows", ".stacks")]
    assert sizes[0]["height"] == sizes[1]["height"]  # lines outside their picture would be cut off in the file
    edges = len(page.locator(".st-key-stack_diagram .arrows path").all())
    assert len(root.findall(f".//{SVG}svg//{SVG}path")) == edges > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(open_page, app_url, scheme):
    page = open_page(app_url, width=390, height=844, color_scheme=scheme)
    open_architecture(page, "?arch_part=encoder/block1/self_attention")
    assert wide(page) == []
    views = {"Parameters": "parameter_bars_picture", "Cost": "work_picture", "Printed tables": "printed_2"}
    for name, shown in views.items():
        press(page, "arch_view", name)
        expect(page.locator(f".st-key-{shown}")).to_be_visible(timeout=SLOW)
        wait_for_app(page)
        assert wide(page) == []
