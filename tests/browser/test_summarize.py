"""The Summarize page in a real browser."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from core.trace import Summary
from tests.browser.conftest import serve
from tests.browser.helpers import FIRST_TOKENS, click, sideways, wait_for_app

UNSEEN = (
    "Nora: The goat has eaten the timetable again.\n"
    "Pim: Then how do we know when the ferry leaves?\n"
    "Nora: <script>alert(1)</script> <img src=x onerror=alert(2)> $x$ :red[y]\n"
    "Pim: # x [a](http://b) ![i](http://c)"
)
LONG = "\n".join(f"{('Mira', 'Tom')[turn % 2]}: Yes, {turn + 1}." for turn in range(400))


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def arrive(page: Page, path: str = "/summarize") -> None:
    """Open an address and wait for its summary."""
    page.goto(path)
    settle(page)


def settle(page: Page) -> None:
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def paste(page: Page, text: str) -> None:
    page.get_by_text("Paste", exact=True).click()
    wait_for_app(page)  # a form takes the keys that send it once its button is there
    page.get_by_label("Your dialogue, one turn a line").fill(text)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".bubble")).to_have_count(len(text.splitlines()))
    settle(page)


def summary(page: Page) -> str:
    return page.locator(".st-key-summary_tokens .text").inner_text()


def test_the_dialogue_is_there_before_the_model(open_page, tmp_path):
    with serve(tmp_path / "app.log") as url:
        page = open_page(url)
        page.goto("/summarize?example=cat-sitter")
        expect(page.locator(".bubble").first).to_contain_text("looking after Biscuit", timeout=60_000)
        expect(page.locator(".st-key-loading")).to_contain_text("The model is getting ready")
        expect(page.locator(".token")).to_have_count(0)
        page.locator(".turn").first.hover()
        page.get_by_label("Edit turn 1", exact=True).click()
        page.get_by_label("Text of turn 1", exact=True).fill("Edited while the model loads.")
        page.keyboard.press("Enter")
        expect(page.locator(".bubble").first).to_have_text("Edited while the model loads.")
        page.close()  # before the server goes away


def test_a_pasted_dialogue_is_summarised_edited_and_saved(page, tmp_path):
    dialogs, requests = [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    arrive(page)
    assert summary(page).strip()
    paste(page, UNSEEN)
    before = summary(page)
    said = [line.split(": ", 1)[1] for line in UNSEEN.splitlines()]
    assert len(before) > 5 and page.locator(".bubble").all_inner_texts() == said
    assert page.locator(".turns b, .turns img, .turns a, .turns script, .text b, .text img").count() == 0
    assert dialogs == [] and not [url for url in requests if re.match(r"https?://[bc](/|$)", url)]
    assert page.locator(".token").count() == int(page.get_by_test_id("stMetricValue").first.inner_text())
    page.locator(".turn").first.hover()
    page.get_by_label("Edit turn 1", exact=True).click()
    page.get_by_label("Text of turn 1", exact=True).fill("My parrot flew out of the window in Lisbon.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".st-key-change")).to_contain_text("What your edit changed", timeout=60_000)
    expect(page.locator("ins, del").first).to_be_visible()
    wait_for_app(page)
    assert page.locator(".edited").count() == 1 and summary(page) != before
    click(page, "Restore the original")
    expect(page.locator(".st-key-change")).to_have_count(0)
    wait_for_app(page)
    assert summary(page) == before
    # Its files, and dialogues out of files.
    files = {}
    for label in ("Text", "JSON with tokens and settings", "Trace with every attention weight (.npz)"):
        if not page.get_by_role("button", name=label, exact=True).is_visible():
            page.get_by_test_id("stPopoverButton").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).click()
        files[label[:4]] = waiting.value.path().read_bytes()
    saved = files["Text"].decode().strip()
    document, trace = json.loads(files["JSON"]), Summary.from_bytes(files["Trac"])
    assert saved and before.startswith(saved) and document["summary"] == trace.text == saved
    assert (
        document["checkpoint"].startswith("dialoscope@") and len(document["tokens"]) == page.locator(".token").count()
    )
    page.keyboard.press("Escape")
    page.get_by_text("Upload", exact=True).click()
    for name, content in (("talk.txt", b"Anna: Hi!\nBen: Hello."), ("![i](c.png).txt", bytes(range(256)) * 50)):
        file = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.locator("input[type=file]").set_input_files(file)
        expect(page.locator(".bubble")).to_have_count(2)  # nothing is lost by the second
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("'![i](c.png).txt' is a binary file")
    assert alert.locator("img").count() == 0


def test_dialogue_and_decoding_survive_reload_and_back(page):
    sidebar = page.get_by_test_id("stSidebar")
    arrive(page)
    sidebar.get_by_text("Greedy", exact=True).click()
    expect(page).to_have_url(re.compile("strategy=greedy"))
    settle(page)
    written = summary(page)
    page.go_back()  # to a bare address, which loses nothing
    expect(page).to_have_url(re.compile("strategy=greedy"))  # the address follows the session again
    settle(page)
    assert summary(page) == written
    expect(sidebar.get_by_text("Always takes the most probable token.")).to_be_visible()
    paste(page, UNSEEN)
    written = summary(page)
    assert "strategy=greedy" in page.url and "t=" in page.url
    page.reload()
    settle(page)
    expect(page.locator(".bubble")).to_have_count(4)
    assert summary(page) == written and "strategy=greedy" in page.url
    paste(page, UNSEEN + "\nNora: And bring the goat.")
    page.go_back()
    expect(page.locator(".bubble")).to_have_count(4)
    settle(page)
    assert summary(page) == written and "strategy=greedy" in page.url
    page.go_forward()
    expect(page.locator(".bubble")).to_have_count(5)


def test_the_token_under_the_pointer_or_with_the_focus_marks_the_turn_that_it_reads(page):
    arrive(page)
    tokens, reads, marked = page.locator(".token"), page.locator(".reads"), page.locator(".turn.read")
    expect(marked).to_have_count(0)
    found = set()
    tokens.first.focus()
    for _ in range(tokens.count() - 1):
        page.keyboard.press("ArrowRight")
        expect(marked).to_have_count(1)
        number = re.match(r"Turn (\d+) ", reads.inner_text())[1]
        assert marked.get_attribute("data-turn") == str(int(number) - 1)
        assert marked.locator(".bubble").inner_text()[:40] in reads.inner_text()
        found.add(number)
    assert len(found) > 1, "the summary reads more than one turn"
    page.get_by_role("heading", name="Dialogue", exact=True).click()
    tokens.nth(3).hover()
    expect(marked).to_have_count(1)
    page.mouse.move(5, 5)
    expect(marked).to_have_count(0)


def test_long_dialogues_scroll_in_their_place_and_nothing_sideways_on_a_phone(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True, color_scheme="dark")
    arrive(page)
    assert sideways(page) == []
    paste(page, "Nora: " + "goat" * 60 + "\nPim: Yes.")
    assert sideways(page) == []
    token, state = page.locator(".token").first, page.locator(".panel .state")
    token.tap()
    expect(state).to_contain_text("Locked: token 1")
    token.tap()
    expect(state).not_to_contain_text("Locked")
    page.set_viewport_size({"width": 1280, "height": 900})
    paste(page, LONG)
    omitted = page.locator(".turn.omitted").count()
    assert omitted > 0
    expect(page.get_by_test_id("stAlert")).to_contain_text(f"left out {omitted} of 400 turns")
    expect(page.locator(".cut")).to_have_text([f"{omitted} turns not read by the model", "Read from here on"])
    box = page.locator(".turns")
    assert box.evaluate("node => node.clientHeight <= 0.8 * innerHeight && node.scrollHeight > node.clientHeight")
    page.get_by_role("heading", name="Dialogue", exact=True).scroll_into_view_if_needed()
    expect(page.locator(".bubble").first).to_be_in_viewport()
