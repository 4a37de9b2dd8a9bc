"""The BERTScore page in a browser: rings on the matrix, and an edit that a reload keeps."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import press
from tests.browser.helpers import FIRST_TOKENS, SLOW, unfold, wait_for_app


@pytest.mark.slow
def test_one_pair_and_an_edit(page: Page) -> None:
    page.goto("/bertscore?bert_candidate=human&bert_reference=1&bert_view=matrix")
    matrix = page.locator(".st-key-bertscore_matrix_picture")
    expect(matrix.locator(".heatmaplayer image")).to_have_count(2, timeout=FIRST_TOKENS)
    rings = matrix.locator(".scatterlayer .points path").count()
    wait_for_app(page)
    unfold(page, "The formulas with these numbers")
    tokens = page.get_by_text(re.compile(r"tokens of the candidate and \d+ of the reference count")).inner_text()
    assert rings == sum(map(int, re.findall(r"\d+(?= tokens| of)", tokens)[:2]))
    expect(page.locator(".katex").first).to_be_visible()

    press(page, "bert_view", "Edit it")
    score = page.get_by_test_id("stMetricValue").nth(2)
    before = score.inner_text()
    box = page.get_by_role("textbox", name="Edit the candidate")
    edited = box.input_value() + " <b>Zanzibar</b>"
    box.fill(edited)
    box.press("Control+Enter")
    expect(page.locator(".st-key-bertscore_edit_picture")).to_be_visible()
    wait_for_app(page)
    assert float(score.inner_text()) < float(before)
    page.reload()
    expect(box).to_have_value(edited, timeout=SLOW)
    wait_for_app(page)
    press(page, "bert_undo", "Undo the edits")
    expect(score).to_have_text(before)
