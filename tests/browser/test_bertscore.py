"""The BERTScore page in a browser: rings on the matrix, an edit that moves the score, an encoder that is not here."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import FIRST_TOKENS, sideways, unfold, wait_for_app

pytestmark = pytest.mark.browser


def open_bertscore(page: Page, link: str = "") -> None:
    """Open the page and wait until the model and the encoder are read."""
    page.goto(f"/bertscore{link}")
    expect(page.locator(".st-key-bert_view")).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def press(page: Page, key: str, name: str) -> None:
    """Press a button or a segment."""
    page.locator(f".st-key-{key}").get_by_text(name, exact=True).click()
    wait_for_app(page)


def f1(page: Page) -> float:
    """F1 on the view that edits."""
    return float(page.get_by_test_id("stMetricValue").nth(2).inner_text())


def test_candidates_one_pair_and_an_edit(page, page_errors):
    open_bertscore(page, "?bert_candidate=human&bert_reference=1")
    marks = page.locator(".st-key-bertscore_candidates_picture .points path")
    expect(marks).to_have_count(3 * 7)  # precision, recall and F1 of seven candidates
    expect(page.get_by_text(re.compile("DialogSum test split .500 dialogues."))).to_be_visible()

    press(page, "bert_view", "One pair")
    matrix = page.locator(".st-key-bertscore_matrix_picture")
    expect(matrix.locator(".heatmaplayer image")).to_have_count(2)
    rings = matrix.locator(".scatterlayer .points path").count()
    tokens = page.get_by_text(re.compile(r"tokens of the candidate and \d+ of the reference count")).inner_text()
    assert rings == sum(map(int, re.findall(r"\d+(?= tokens| of)", tokens)[:2]))
    expect(page.locator(".katex").first).to_be_visible()
    unfold(page, "Why can a score be negative?")
    expect(page.get_by_text(re.compile("There is no lower bound"))).to_be_visible()

    press(page, "bert_view", "Edit it")
    before = f1(page)
    box = page.get_by_role("textbox", name="Edit the candidate")
    text = box.input_value()
    box.fill(text + " <b>Zanzibar</b>")
    box.press("Control+Enter")
    expect(page.locator(".st-key-bertscore_edit_picture")).to_be_visible()
    wait_for_app(page)
    assert f1(page) < before
    expect(page).to_have_url(re.compile("bert_edit="))
    page.reload()
    expect(box).to_have_value(text + " <b>Zanzibar</b>", timeout=FIRST_TOKENS)
    wait_for_app(page)
    press(page, "bert_undo", "Undo the edits")
    assert f1(page) == before
    page.locator(".st-key-bert_try_0 button").first.click()
    wait_for_app(page)
    assert 0 < abs(f1(page) - before) < 0.05  # two speakers exchanged, and the score barely moves
    assert page_errors == []


def test_a_narrow_window_and_an_encoder_that_is_not_here(open_page, app_url):
    page = open_page(app_url, width=390, color_scheme="dark")
    for view in ("scores", "matrix", "edit"):
        open_bertscore(page, f"?bert_view={view}&bert_candidate=turns&bert_encoder=roberta-large")
        expect(page.get_by_text("roberta-large is not on this machine.")).to_be_visible()
        assert sideways(page) == [], view
