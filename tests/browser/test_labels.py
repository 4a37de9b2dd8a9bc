"""Labels for research: from an own model and corpus to ten errors, their file and their explanation."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core import checkpoints
from core.evaluation import label_file
from core.evaluation.intake import read
from core.evaluation.rows import RowOrigin
from tests.browser.axe import violations
from tests.browser.helpers import FIRST_TOKENS, choose, click, saved, sideways, wait_for_app
from tests.browser.test_add_model import imported, look  # noqa: F401
from tests.browser.test_errors import bring, opened
from tests.browser.test_picture_first import SCREENS, place, too_late
from tests.importing import peers

COUNT = 10
ROWS = [
    {
        "id": f"row-{number}",
        "dialogue": f"Anna: The train number {number} leaves at nine.\nBen: Then we have {number} minutes.",
        "summary": f"Ben has {number} minutes.",
        "prediction": f"Zelda takes train {number + 1} at nine.",
    }
    for number in range(COUNT)
]
CORPUS = "".join(json.dumps(row) + "\n" for row in ROWS)
FROM_FILE = "from the file mine.jsonl."


def written_by(checkpoint: str, folder: Path) -> str:
    """The same summaries in a file that names the model that wrote them, as `evaluate` does."""
    weights = checkpoints.read_card(folder / checkpoint)["sha256"]["weights.safetensors"]
    rows = read("mine.jsonl", CORPUS.encode()).rows
    written = [replace(row, origin=RowOrigin(checkpoint, weights)).to_dict() for row in rows]
    return "".join(json.dumps(row) + "\n" for row in written)


def words(page: Page, part: str) -> Locator:
    """The words of the summary, or of a turn."""
    return page.locator(f".st-key-summary_check [data-place^='word.{part}.']")


def label_list(page: Page) -> Locator:
    return page.locator(".st-key-summary_check .hints").first


@pytest.mark.slow
def test_an_own_bart_and_an_own_corpus_lead_to_ten_labelled_errors_and_their_explanation(
    page: Page,
    imported: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    page.goto("/errors")
    wait_for_app(page)
    page.get_by_role("button", name="Add a model").click()
    look(page, str(peers.save("bart", tmp_path / "bart-mine")))
    page.get_by_role("dialog").get_by_role("button", name="Add it", exact=True).click()
    expect(page.get_by_test_id("stSidebar").get_by_text("apache-2.0")).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    corpus = written_by("bart-mine", imported)
    bring(page, "mine.jsonl", corpus, FROM_FILE)
    page.get_by_test_id("stMain").get_by_text("The model of the sidebar", exact=True).click()
    expect(page.get_by_text(FROM_FILE)).to_have_count(0, timeout=FIRST_TOKENS)
    expect(page.get_by_text("The summaries come from bart-mine")).to_be_visible(timeout=FIRST_TOKENS)
    expect(page.locator(".st-key-errors_overview").get_by_text(f"{COUNT}", exact=True).first).to_be_visible()
    wait_for_app(page)
    page.get_by_test_id("stMain").get_by_text("The file", exact=True).click()
    expect(page.get_by_text(FROM_FILE)).to_be_visible()
    wait_for_app(page)

    page.keyboard.press("j")
    expect(opened(page)).to_have_text(ROWS[0]["prediction"])
    wait_for_app(page)
    page.get_by_role("textbox", name="Your name").fill("Anna")
    page.keyboard.press("Enter")
    wait_for_app(page)
    page.locator(".st-key-label_bar .line").click()
    page.keyboard.press("m")
    for number in range(COUNT):
        expect(opened(page)).to_have_text(ROWS[number]["prediction"])
        words(page, "-1").nth(0).click()
        words(page, "-1").nth(1).click()
        words(page, "0").nth(1).click()
        page.keyboard.press("1")
        expect(label_list(page)).to_contain_text("“Zelda takes” · turn 1: “train”")
        wait_for_app(page)
        page.keyboard.press("j")
        wait_for_app(page)
    expect(page.locator(".st-key-label_bar .line")).to_contain_text(f"{COUNT} of {COUNT} judged")
    page.get_by_role("button", name="Save or read labels").click()
    kept = saved(page, "Labels (JSONL, as the labelled set)")[1].decode()
    wait_for_app(page)
    page.get_by_role("button", name="Save or read labels").click()
    books, others, changed = label_file.read(kept, read("mine.jsonl", corpus.encode()).rows)
    assert (len(books["Anna"]), others, changed) == (COUNT, 0, [])

    choose(page, "checkpoint", "dialoscope")
    page.locator(".st-key-open_attention button").click()
    expect(page).to_have_url(re.compile(r"/attention\?(?=.*given=Zelda).*checkpoint=bart-mine"))
    expect(page.locator(".st-key-ribbons")).to_contain_text("elda", timeout=FIRST_TOKENS)
    wait_for_app(page)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Decoding", exact=True).click()
    expect(page.locator(".st-key-stepper .text")).to_contain_text("Zelda takes", timeout=FIRST_TOKENS)
    wait_for_app(page)


def test_words_are_chosen_by_keys_on_a_phone_and_a_second_reader_is_compared(open_page, app_url: str) -> None:
    page = open_page(app_url, width=390, height=844)
    page.goto("/errors?err_name=Anna%20%3Cb%3E")
    expect(page.get_by_role("button", name="Bring your own")).to_be_visible(timeout=FIRST_TOKENS)
    bring(page, "mine.jsonl", CORPUS, FROM_FILE)
    page.keyboard.press("j")
    expect(opened(page)).to_have_text(ROWS[0]["prediction"])
    wait_for_app(page)
    page.keyboard.press("m")
    expect(words(page, "-1").first).to_be_focused()
    for key in ("Enter", *["ArrowRight"] * 2, "Enter", "ArrowDown", "Space", *["ArrowLeft"] * 3):
        page.keyboard.press(key)
    expect(page.locator(".st-key-label_bar .said")).to_have_text("An error is set for “Zelda takes train” · “number”")
    assert violations(page, ".st-key-summary_check") == [] and sideways(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-summary_check [aria-selected=true]")).to_have_count(0)
    page.keyboard.press("Enter")
    page.locator(".st-key-summary_check .errors").get_by_text("Invented").click()
    expect(label_list(page)).to_contain_text("Invented")
    expect(label_list(page)).to_contain_text("turn 1: “The”")
    wait_for_app(page)
    page.get_by_role("textbox", name="Your name").fill("Ben")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-label_bar .line")).to_contain_text("0 of 10 judged")
    check = page.locator(".st-key-summary_check")
    expect(check).not_to_contain_text("turn 1: “The”")  # another reader's: nothing leads
    wait_for_app(page)
    page.locator(".st-key-label_bar .line").click()
    page.keyboard.press("n")
    expect(label_list(page)).to_contain_text("Anna <b>")
    wait_for_app(page)
    page.get_by_role("textbox", name="Your name").fill("anna <B>")
    page.keyboard.press("Enter")
    expect(page.get_by_text("If you are somebody else of this name")).to_contain_text("such as Anna <b> (2)")
    page.get_by_role("radio", name="Agreement").evaluate("node => node.click()")
    picture = page.locator(".st-key-errors_agreement_picture")
    expect(picture).to_be_visible()
    click(page, "Got it")
    expect(page.get_by_text("If you are somebody else of this name")).to_have_count(0)
    page.get_by_test_id("stMain").evaluate("node => node.scrollTo(0, 0)")
    assert not too_late(place(page, [".st-key-errors_agreement_picture"]), *SCREENS["phone"])
    expect(page.get_by_text("Anna <b> and Ben judged 1 summary")).to_be_visible()
    assert sideways(page) == []
