"""Branches, beam tree, strategies and files of the Decoding page in a real browser."""

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


def cards(page: Page) -> Locator:
    """The names of the branches."""
    return page.locator("[class*='st-key-branch_'] [data-testid='stMarkdown'] strong")


def save(page: Page, opener: Locator, label: str) -> bytes:
    """Press a button for a file in a menu, which may close after each; the file."""
    button = page.get_by_role("button", name=label, exact=True)
    if not button.is_visible():
        opener.click()
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.path().read_bytes()


def test_branches_are_named_compared_pruned_and_opened_from_a_file(page, open_page, app_url, tmp_path):
    open_decoding(page, "?step=4")
    first = written(page)
    fork(page)
    second = written(page)
    view(page, "Branches")
    expect(cards(page)).to_have_text(["Original", "Branch 1"])
    page.locator(".st-key-branch_1").get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name")
    name.fill("<b>Bold</b> *idea*")
    name.press("Enter")
    expect(page.locator(".st-key-branch_1")).to_contain_text("<b>Bold</b> *idea*: leaves Original at step 4")
    page.keyboard.press("Escape")
    difference = page.locator(".st-key-compare_diff")
    for parts, text in (("span, del", first), ("span, ins", second)):
        shown = difference.locator(parts).all_inner_texts()
        assert re.sub(r"\s", "", "".join(shown)) == re.sub(r"\s", "", text)
    added = difference.locator("ins").all_inner_texts()
    page.get_by_role("button", name="Swap").click()
    expect(difference.locator("del")).to_have_text(added)
    page.locator(".st-key-branch_1").get_by_role("button", name="Prune").click()
    expect(cards(page)).to_have_text(["Original"])
    page.get_by_role("button", name="Bring back what was pruned").click()
    expect(cards(page)).to_have_text(["Original", "<b>Bold</b> *idea*"])
    page.locator(".st-key-branch_1").get_by_role("button", name="Step through it").click()
    expect_step(page, 4)
    expect_written(page, second)
    file = tmp_path / "run.zip"
    file.write_bytes(save(page, page.get_by_role("button", name="Save or open"), "Save all branches (.zip)"))
    other = open_page(app_url)
    open_decoding(other, "?example=cat-sitter")
    other.get_by_role("button", name="Save or open").click()
    other.locator("input[type=file]").set_input_files(file)
    expect(other.locator(".st-key-opened")).to_contain_text("saved run run.zip")
    wait_for_app(other)
    other.keyboard.press("Escape")
    choose(other, "Branch", "<b>Bold</b> *idea*")
    expect_written(other, second)
    other.get_by_role("button", name="Close it").click()
    expect(other.locator(".st-key-opened")).to_have_count(0)
    expect(other.get_by_role("combobox", name="Branch")).to_have_count(0)


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
    expect(page).to_have_url(re.compile("branch="))
    wait_for_app(page)
    assert written(page).startswith(words.removesuffix("[EOS]").strip()) and written(page) != first


def test_the_finished_list_is_sorted_anew(page):
    open_decoding(page, "?view=beam&formula=gnmt")
    caption = page.get_by_text(re.compile("Only this list is sorted anew"))
    expect(caption).to_contain_text("With a = 1 ", timeout=240_000)
    rows = page.locator(".st-key-endings table")
    before = rows.text_content()
    page.get_by_role("slider", name="Length penalty a of this list").press("Home")
    expect(caption).to_contain_text("With a = 0 ")
    expect(page).to_have_url(re.compile("rerank=0"))
    expect(rows).not_to_have_text(before)
    wait_for_app(page)  # the table is drawn anew, and a click on the old one is lost
    box = page.get_by_test_id("stDataFrame").locator("canvas").first.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 35 + 35 + 17)
    expect(page.locator(".st-key-ending")).to_contain_text("Rank 2")
    page.get_by_role("button", name="Make it a branch").click()
    expect(page.locator(".st-key-stepper .token.forced").first).to_be_visible()


def test_strategies_are_compared_and_one_is_used(page):
    open_decoding(page, "?view=bench")
    last = page.locator(".st-key-strategy_5")
    expect(last).to_contain_text("ms", timeout=240_000)
    wait_for_app(page)
    before = last.inner_text()
    page.get_by_test_id("stMain").get_by_role("spinbutton", name="Seed").fill("3")
    page.get_by_role("button", name="Compare").click()
    expect(last).not_to_have_text(before, use_inner_text=True, timeout=60_000)
    wait_for_app(page)
    last.get_by_role("button", name="Decode like this on every page").click()
    expect(page).to_have_url(re.compile("strategy=sample.*seed=3|seed=3.*strategy=sample"))
    expect(page.get_by_test_id("stSidebar").get_by_role("spinbutton", name="Seed")).to_have_value("3")


def test_the_files_of_a_chart_arrive_and_are_valid(page):
    open_decoding(page)
    opener = page.locator("[data-testid='stVerticalBlock']", has=page.locator("> .st-key-surprise"))
    opener = opener.locator("> [data-testid='stLayoutWrapper']").get_by_role("button", name="Save").nth(-2)
    svg = save(page, opener, "SVG picture").decode()
    assert svg.startswith("<svg") and "Token of the summary" in svg
    assert save(page, opener, "PNG picture").startswith(b"\x89PNG\r\n\x1a\n")
    html = save(page, opener, "Web page that works offline").decode()
    assert html.startswith("<!doctype html>") and "Plotly.newPlot" in html and len(html) > 1_000_000
    rows = list(csv.reader(io.StringIO(save(page, opener, "CSV table").decode())))
    count = page.locator(".st-key-stepper .token").count()
    assert len(rows) == count + 1
    with np.load(io.BytesIO(save(page, opener, "NumPy arrays (.npz)")), allow_pickle=False) as arrays:
        assert set(arrays) == set(rows[0]) and all(len(arrays[name]) == count for name in arrays)


def test_every_view_fits_on_a_phone_in_the_dark(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True, color_scheme="dark")
    open_decoding(page, "?step=4&look_top_k=3")
    assert sideways(page) == []
    fork(page)
    assert sideways(page) == []
    for name in ("Branches", "Beam tree", "Compare strategies"):
        view(page, name)
        expect(page.locator(".stPlotlyChart").first).to_be_visible(timeout=60_000)
        assert sideways(page) == [], name
