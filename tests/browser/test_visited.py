"""What was visited: a long pasted dialogue, steps and an ablation come back, by name and out of a file."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.helpers import FIRST_TOKENS, expect_step, fill, go, paste_here, saved, sideways, wait_for_app

TEXT = "Nora: " + " ".join(str(number * 7919 % 100_003) for number in range(1_600))
"""A dialogue that no link can carry."""


def back_to(page, name: str) -> None:
    page.get_by_role("button", name=name).click()
    expect(page).not_to_have_url(re.compile("/visited"))
    wait_for_app(page)


@pytest.mark.slow
def test_what_was_looked_at_is_named_returned_to_and_saved(page, tmp_path):
    page.goto("/decoding")
    expect(page.locator(".st-key-stepper .token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    for step in (2, 3, 4):
        page.keyboard.press("ArrowRight")
        expect_step(page, step)
    go(page, "Tokens")
    paste_here(page, TEXT)
    assert not re.search("[?&]t=", page.url)
    go(page, "Visited")
    rows = page.locator("[class*='st-key-visit_']")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("Nora: 0 7919")
    expect(rows.nth(2)).to_contain_text("step by step, step 4")
    assert violations(page) == []
    page.get_by_role("button", name="Edit", exact=True).nth(2).click()
    fill(page, "Name", "The <b>fourth</b> step")
    assert violations(page, "[data-testid='stPopoverBody']") == []
    page.keyboard.press("Escape")
    back_to(page, "The <b>fourth</b> step")
    expect_step(page, 4)
    page.go_back()
    expect(rows).to_have_count(3)
    wait_for_app(page)
    file = tmp_path / "visited.json"
    file.write_bytes(saved(page, "Save the list (.json)")[1])
    assert TEXT in json.loads(file.read_text())["dialogues"]
    page.reload()
    expect(page.get_by_text("Nothing yet.")).to_be_visible()
    wait_for_app(page)
    page.get_by_role("button", name="Open a saved list").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(rows).to_have_count(3)
    wait_for_app(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_app(page)
    assert sideways(page) == [] and violations(page) == []
    back_to(page, "Nora: 0 7919")
    expect(page.get_by_role("button", name="Dialogue: Nora: 0 7919")).to_be_visible()
