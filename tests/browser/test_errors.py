"""The Errors page in a browser: a file with broken rows, a hint that is confirmed and exported, two runs compared."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import FIRST_TOKENS, sideways, unfold, wait_for_app

pytestmark = pytest.mark.browser

TALKS = """id,dialogue,summary,prediction
keys,"Anna: I lost my keys at the station.
Ben: Did you ask the guard?",Anna lost her keys.,Anna asks Zelda for 3 keys.
empty,,Nothing,Nobody speaks.
wide,"A: One.",two,three,four
train,"Cleo: The train leaves at nine.
Dan: Then we have an hour.",Dan has an hour.,Cleo and Dan have an hour.
mute,"   ",Silence,Silence.
"""
"""Five rows, three of them broken: two without a dialogue, one with a field too many."""


def open_errors(page: Page, link: str = "") -> None:
    """Open the page and wait until the bundled dialogues are summarised."""
    page.goto(f"/errors{link}")
    overview = page.locator(".st-key-errors_overview")
    expect(overview.get_by_text("25", exact=True).first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def test_a_file_with_broken_rows_a_confirmed_hint_and_its_export(page, page_errors):
    open_errors(page)
    page.get_by_role("button", name="Bring your own").click()
    file = {"name": "talks.csv", "mimeType": "text/csv", "buffer": TALKS.encode()}
    page.locator(".stFileUploader input[type=file]").set_input_files(file)
    expect(page.get_by_text("3 rows could not be used.")).to_be_visible()
    wait_for_app(page)
    page.keyboard.press("Escape")
    unfold(page, "Which, and why")
    for line, reason in ((4, "dialogue is empty"), (5, "5 fields where the header has 4"), (8, "dialogue is empty")):
        expect(page.get_by_text(f"line {line}: {reason}")).to_be_visible()

    page.locator(".st-key-err_view").get_by_text("Spread", exact=True).click()
    wait_for_app(page)
    page.locator(".st-key-errors_scatter_picture .points path").first.click(force=True)
    check = page.locator(".st-key-summary_check")
    expect(check.locator(".summary")).to_have_text("Anna asks Zelda for 3 keys.")
    wait_for_app(page)
    check.locator(".summary .name-new").click()
    expect(check.locator(".hint.lit .kind")).to_have_text("New name")
    expect(check.locator(".turn")).to_have_count(2)
    hint = check.locator(".hint", has_text="New name")
    hint.locator("button.verdict.right").click()
    expect(hint.locator("button.verdict.right")).to_have_attribute("aria-pressed", "true")
    wait_for_app(page)

    page.locator(".st-key-err_view").get_by_text("Examples", exact=True).click()
    wait_for_app(page)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="What was said (JSONL").click()
    (said,) = map(json.loads, waiting.value.path().read_text(encoding="utf-8").splitlines())
    assert said["id"] == "keys" and said["labels"] == [{"type": "invented", "text": "Zelda"}]
    assert said["hints"][0]["verdict"] == "confirmed"
    page.keyboard.press("Escape")

    page.locator(".st-key-err_view").get_by_text("Spread", exact=True).click()
    wait_for_app(page)
    page.locator(".st-key-open_attention button").click()
    expect(page.get_by_role("heading", name="See every head")).to_be_visible(timeout=60_000)
    wait_for_app(page)
    expect(page.get_by_role("button", name="Dialogue: Anna: I lost my keys at the")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Find what went wrong")).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile("view=spread"))  # as it was left
    expect(page.locator(".st-key-errors_scatter_picture")).to_be_visible()
    assert page_errors == []


def test_beam_against_greedy_on_the_bundled_dialogues(page, page_errors):
    open_errors(page, "?err_view=compare&err_against=greedy%3Adialoscope")
    chart = page.locator(".st-key-errors_paired_picture:not([data-retained='true'])")  # the one that is going may stay
    expect(chart).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile("on average over 25 dialogues"))).to_be_visible(timeout=60_000)
    wait_for_app(page)
    bars = chart.locator(".barlayer .point path")
    expect(bars).to_have_count(25)
    bars.first.click(force=True)
    check = page.locator(".st-key-summary_check")
    expect(check.locator(".turn").first).to_be_visible()
    wait_for_app(page)
    expect(page.locator(".st-key-errors_diff")).to_be_visible()
    expect(page).to_have_url(re.compile("err_row="))
    assert page_errors == []


def test_a_narrow_window_has_nothing_beside_it(open_page, app_url):
    page = open_page(app_url, width=390, color_scheme="dark")
    open_errors(page, "?err_row=lost-suitcase")
    for view in ("Examples", "Spread", "Slices", "Hints", "Calibration"):
        page.locator(".st-key-err_view").get_by_text(view, exact=True).click()
        wait_for_app(page)
        expect(page.locator(".st-key-summary_check .turn").first).to_be_visible(timeout=60_000)
        assert sideways(page) == [], view
