"""Branches, beams, bench and files of the Decoding page in a real browser."""

import csv
import io
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import (
    click_mark,
    expect_step,
    expect_written,
    open_decoding,
    sideways,
    view,
    wait_for_app,
    written,
)

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def fork(page: Page, number: int = 0) -> None:
    """Press Fork beside the best token but `number` at the shown step."""
    before = page.url
    page.locator(".st-key-next_token tbody button").nth(number).click()
    expect(page).not_to_have_url(before)
    wait_for_app(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()
    wait_for_app(page)


def cards(page: Page) -> list[str]:
    """The names of the branches."""
    wait_for_app(page)
    return page.locator("[class*='st-key-branch_'] [data-testid='stMarkdown'] strong").all_inner_texts()


def test_branches_are_named_compared_pruned_and_brought_back(page):
    open_decoding(page, "?step=4")
    first = written(page)
    fork(page)
    second = written(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect_step(page, 6)
    fork(page, 1)
    view(page, "Branches")
    assert cards(page) == ["Original", "Branch 1", "Branch 2"]
    page.locator(".st-key-branch_1").get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name")
    name.fill("<b>Bold</b> *idea*")
    name.press("Enter")
    expect(page.locator(".st-key-branch_1")).to_contain_text("<b>Bold</b> *idea*: leaves Original at step 4")
    page.keyboard.press("Escape")
    choose(page, "Shown", "<b>Bold</b> *idea*")
    choose(page, "Compared with", "Original")
    difference = page.locator(".st-key-compare_diff")
    kept, new = "span, del", "span, ins"
    for parts, text in ((kept, first), (new, second)):
        shown = difference.locator(parts).all_inner_texts()
        assert re.sub(r"\s", "", "".join(shown)) == re.sub(r"\s", "", text)
    added = difference.locator("ins").all_inner_texts()
    page.get_by_role("button", name="Swap").click()
    wait_for_app(page)
    assert difference.locator("del").all_inner_texts() == added
    page.locator(".st-key-branch_1").get_by_role("button", name="Prune").click()
    expect(page.locator(".st-key-branch_1")).to_have_count(0)
    assert cards(page) == ["Original"]  # what leaves the pruned branch goes with it
    page.get_by_role("button", name="Bring back what was pruned").click()
    expect(page.locator(".st-key-branch_2")).to_be_visible()
    assert cards(page) == ["Original", "<b>Bold</b> *idea*", "Branch 2"]
    page.locator(".st-key-branch_1").get_by_role("button", name="Step through it").click()
    expect_step(page, 4)
    expect_written(page, second)


def test_a_beam_is_read_and_gone_on_from(page):
    open_decoding(page)
    first = written(page)
    view(page, "Beam tree")
    chosen = page.locator(".st-key-beam_chosen")
    for number in (60, 70, 80):  # one of them parts from the summary
        click_mark(page, "beam_picture", number)
        expect(chosen).to_contain_text("log-probability")
        words = chosen.get_by_test_id("stText").inner_text()
        if not first.startswith(words):
            break
    chosen.get_by_role("button", name="Go on from here").click()
    expect(page.locator(".st-key-stepper .token.forced").first).to_be_visible()
    wait_for_app(page)
    assert written(page).startswith(words.removesuffix("[EOS]").strip()) and written(page) != first
    expect(page).to_have_url(re.compile("branch="))


def test_the_finished_list_is_sorted_anew(page):
    open_decoding(page)
    view(page, "Beam tree")
    caption = page.get_by_text(re.compile("Only this list is sorted anew"))
    expect(caption).to_contain_text("With a = 1 ")
    canvas = page.get_by_test_id("stDataFrame").locator("canvas").first
    rows = page.locator(".st-key-endings table")
    before = rows.text_content()
    page.get_by_role("slider", name="Length penalty a of this list").press("Home")
    expect(caption).to_contain_text("With a = 0 ")
    expect(page).to_have_url(re.compile("rerank=0"))
    wait_for_app(page)
    expect(rows).not_to_have_text(before)
    page.get_by_text("log P ÷ ((5 + length) ÷ 6)ᵃ").click()
    expect(page).to_have_url(re.compile("formula=gnmt"))
    wait_for_app(page)  # the table is drawn anew, and a click on the old one is lost
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 35 + 17)
    expect(page.locator(".st-key-ending")).to_contain_text("Place 2")
    page.get_by_role("button", name="Make it a branch").click()
    expect(page.locator(".st-key-stepper .token.forced").first).to_be_visible()


def test_the_bench_runs_again_with_another_seed(page):
    open_decoding(page)
    view(page, "Bench")
    expect(page.get_by_text("Plain sampling", exact=True).last).to_be_visible(timeout=60_000)
    wait_for_app(page)
    before = page.get_by_test_id("stMain").inner_text()
    page.get_by_role("spinbutton", name="Seed").fill("3")
    page.get_by_role("button", name="Run the bench").click()
    expect(page.get_by_text("is done")).to_have_count(0, timeout=60_000)
    wait_for_app(page)
    assert page.get_by_test_id("stMain").inner_text() != before
    page.get_by_role("button", name="Decode like this on every page").last.click()
    expect(page).to_have_url(re.compile("strategy=sample.*seed=3|seed=3.*strategy=sample"))
    expect(page.get_by_test_id("stSidebar").get_by_role("spinbutton", name="Seed")).to_have_value("3")


def save(page: Page, opener: Locator, label: str) -> bytes:
    """Press a button for a file in a menu, which may close after each; the file."""
    button = page.get_by_role("button", name=label, exact=True)
    page.wait_for_timeout(400)
    if not button.is_visible():
        opener.click()
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.path().read_bytes()


def test_the_files_of_a_chart_arrive_and_are_valid(page):
    open_decoding(page)
    opener = page.locator("[data-testid='stVerticalBlock']", has=page.locator("> .st-key-surprise"))
    opener = opener.locator("> [data-testid='stLayoutWrapper']").get_by_role("button", name="Save").nth(-2)
    svg = save(page, opener, "SVG picture").decode()
    assert svg.startswith("<svg") and "Token of the summary" in svg
    assert save(page, opener, "PNG picture").startswith(PNG)
    html = save(page, opener, "Web page that works offline").decode()
    assert html.startswith("<!doctype html>") and "Plotly.newPlot" in html and len(html) > 1_000_000
    rows = list(csv.reader(io.StringIO(save(page, opener, "CSV table").decode())))
    count = page.locator(".st-key-stepper .token").count()
    assert len(rows) == count + 1
    with np.load(io.BytesIO(save(page, opener, "NumPy arrays (.npz)")), allow_pickle=False) as arrays:
        assert set(arrays) == set(rows[0]) and all(len(arrays[name]) == count for name in arrays)


def test_a_saved_run_opens_elsewhere_with_its_branches(page, open_page, app_url, tmp_path):
    open_decoding(page, "?step=3")
    fork(page)
    second = written(page)
    file = tmp_path / "run.zip"
    opener = page.get_by_role("button", name="Save or open")
    file.write_bytes(save(page, opener, "Save all branches (.zip)"))
    other = open_page(app_url)
    open_decoding(other, "?example=cat-sitter")
    other.get_by_role("button", name="Save or open").click()
    other.locator("input[type=file]").set_input_files(file)
    expect(other.locator(".st-key-opened")).to_contain_text("saved run run.zip")
    wait_for_app(other)
    other.keyboard.press("Escape")
    choose(other, "Branch", "Branch 1")
    expect_written(other, second)
    other.get_by_role("button", name="Close it").click()
    expect(other.locator(".st-key-opened")).to_have_count(0)
    wait_for_app(other)
    assert written(other) != second
    other.get_by_role("button", name="Save or open").click()
    other.locator("input[type=file]").set_input_files(
        {"name": "x.npz", "mimeType": "application/zip", "buffer": b"PK\x03\x04 not a file"}
    )
    expect(other.get_by_test_id("stAlert").first).to_be_visible()
    expect(other.locator(".st-key-stepper .token").first).to_be_visible()


def test_every_view_fits_on_a_phone(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True)
    open_decoding(page, "?step=4&look_top_k=3")
    assert sideways(page) == []
    fork(page)
    assert sideways(page) == []
    for name in ("Branches", "Beam tree", "Bench"):
        view(page, name)
        expect(page.locator(".stPlotlyChart").first).to_be_visible(timeout=60_000)
        assert sideways(page) == [], name
