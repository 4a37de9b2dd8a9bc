"""The Summarize page in a real browser."""

import re

from playwright.sync_api import Page, expect

from core.trace import Summary
from tests.browser.helpers import FIRST_TOKENS, click, saved, sideways, wait_for_app

UNSEEN = (
    "Nora: The goat has eaten the timetable again.\n"
    "Pim: Then how do we know when the ferry leaves?\n"
    "Nora: <script>alert(1)</script> <img src=x onerror=alert(2)> $x$ :red[y]\n"
    "Pim: # x [a](http://b) ![i](http://c)"
)
LONG = "\n".join(f"{('Mira', 'Tom')[turn % 2]}: Yes, {turn + 1}." for turn in range(400))


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
    for folded in page.get_by_text("Change the text, or paste another one").all():
        folded.click()
    page.get_by_label("Your dialogue, one turn a line").fill(text)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".bubble")).to_have_count(len(text.splitlines()))
    settle(page)


def summary(page: Page) -> str:
    return page.locator(".st-key-summary_tokens .text").inner_text()


def test_a_pasted_dialogue_is_summarized_edited_and_saved(page: Page) -> None:
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
    expect(page.locator(".st-key-change")).to_contain_text("What your edit changed")
    expect(page.locator("ins, del").first).to_be_visible()
    wait_for_app(page)
    assert page.locator(".edited").count() == 1 and summary(page) != before
    click(page, "Restore the original")
    expect(page.locator(".st-key-change")).to_have_count(0)
    wait_for_app(page)
    assert summary(page) == before
    # A file of it, and dialogues out of files.
    page.get_by_test_id("stPopoverButton").filter(has_text="Download").click()
    trace = Summary.from_bytes(saved(page, "Trace with every attention weight (.npz)")[1])
    assert trace.text and before.startswith(trace.text)
    page.keyboard.press("Escape")
    page.get_by_text("Upload", exact=True).click()
    for name, content in (("talk.txt", b"Anna: Hi!\nBen: Hello."), ("![i](c.png).txt", bytes(range(256)) * 50)):
        file = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.locator("input[type=file]").set_input_files(file)
        expect(page.locator(".bubble")).to_have_count(2 if name == "talk.txt" else 0)
    alert = page.get_by_test_id("stAlert").first
    expect(alert).to_contain_text("'![i](c.png).txt' is a binary file")
    assert alert.locator("img").count() == 0
    page.get_by_role("button", name="Back to the dialogue before").click()
    expect(page.locator(".bubble")).to_have_count(2)  # nothing is lost by the second


def test_dialogue_and_decoding_survive_reload_and_back(page: Page) -> None:
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
    paste(page, UNSEEN)
    written = summary(page)
    page.reload()
    settle(page)
    expect(page.locator(".bubble")).to_have_count(4)
    assert summary(page) == written and "strategy=greedy" in page.url and "t=" in page.url
    paste(page, UNSEEN + "\nNora: And bring the goat.")
    page.go_back()
    expect(page.locator(".bubble")).to_have_count(4)
    settle(page)
    assert summary(page) == written


def test_long_dialogues_scroll_in_their_place_and_nothing_sideways_on_a_phone(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True, color_scheme="dark")
    arrive(page)
    assert sideways(page) == []
    paste(page, "Nora: " + "goat" * 60 + "\nPim: Yes.")
    expect(page.locator(".st-key-summary_tokens .text")).to_be_in_viewport()
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
    expect(page.get_by_test_id("stAlert").filter(has_text=f"left out {omitted} of 400 turns")).to_be_visible()
    expect(page.locator(".cut")).to_have_text([f"{omitted} turns not read by the model", "Read from here on"])
    box = page.locator(".turns")
    assert box.evaluate("node => node.clientHeight <= 0.8 * innerHeight && node.scrollHeight > node.clientHeight")
    page.get_by_role("heading", name="Dialogue", exact=True).scroll_into_view_if_needed()
    expect(page.locator(".bubble").first).to_be_in_viewport()


def test_a_reset_asks_takes_place_and_is_taken_back(page: Page) -> None:
    arrive(page)
    first = page.locator(".bubble").count()
    paste(page, UNSEEN)
    click(page, "Reset everything")
    question = page.get_by_role("dialog")
    expect(question.get_by_text("your own dialogue")).to_be_visible()
    question.get_by_role("button", name="Keep everything").click()
    expect(question).to_have_count(0)
    wait_for_app(page)
    expect(page.locator(".bubble")).to_have_count(4)
    click(page, "Reset everything")
    question.get_by_role("button", name="Reset", exact=True).click()
    expect(question).to_have_count(0)
    expect(page.locator(".bubble")).to_have_count(first)
    settle(page)
    click(page, "Undo the reset")
    expect(page.locator(".bubble")).to_have_count(4)
    click(page, "Redo the reset")
    expect(page.locator(".bubble")).to_have_count(first)


def test_on_paper_stands_what_the_page_shows_without_menu_and_settings(page: Page) -> None:
    arrive(page)
    page.emulate_media(media="print")
    expect(page.locator(".token").first).to_be_visible()
    for left_out in ("stSidebar", "stHeader"):
        expect(page.get_by_test_id(left_out)).to_be_hidden()
    page.emulate_media(media="screen")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
