"""The Summarize page in a real browser."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from core.trace import Summary
from tests.browser.conftest import serve
from tests.browser.helpers import FIRST_TOKENS, sideways, wait_for_app

UNSEEN = (
    "Nora: The goat has eaten the timetable again.\n"
    "Pim: Then how do we know when the ferry leaves?\n"
    "Nora: I wrote it on my hand. Twenty past four.\n"
    "Pim: Great, I will bring the sandwiches."
)
MARKUP = (
    "Eve: <script>alert(1)</script><b>x</b>\n"
    "Bob: # x [a](http://b) ![i](http://c)\n"
    "Eve: <img src=x onerror=alert(2)> $x$ :red[y]"
)
LONG = "\n".join(f"{('Mira', 'Tom')[turn % 2]}: Yes, {turn + 1}." for turn in range(400))


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def arrive(page: Page, path: str = "/") -> None:
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
    wait_for_app(page)


def summary(page: Page) -> str:
    return page.locator(".st-key-summary_tokens .text").inner_text()


def spoken(page: Page) -> list[str]:
    return page.locator(".bubble").all_inner_texts()


def test_the_dialogue_is_there_before_the_model(open_page, tmp_path):
    with serve(tmp_path / "app.log") as url:
        page = open_page(url)
        page.goto("/?example=cat-sitter")
        expect(page.locator(".bubble").first).to_contain_text("looking after Biscuit", timeout=60_000)
        expect(page.locator(".st-key-loading")).to_contain_text("The model is getting ready")
        expect(page.locator(".token")).to_have_count(0)
        page.locator(".turn").first.hover()
        page.get_by_label("Edit turn 1", exact=True).click()
        page.get_by_label("Text of turn 1", exact=True).fill("Edited while the model loads.")
        page.keyboard.press("Enter")
        expect(page.locator(".bubble").first).to_have_text("Edited while the model loads.")
        page.close()  # before the server goes away


def test_a_pasted_dialogue_is_summarised_edited_and_restored(page):
    arrive(page)
    assert summary(page).strip()
    paste(page, UNSEEN)
    expect(page.locator(".bubble")).to_have_count(4)
    settle(page)
    before = summary(page)
    assert len(before) > 5 and spoken(page)[0] == "The goat has eaten the timetable again."
    assert page.locator(".token").count() == int(page.get_by_test_id("stMetricValue").first.inner_text())
    page.locator(".turn").first.hover()
    page.get_by_label("Edit turn 1", exact=True).click()
    page.get_by_label("Text of turn 1", exact=True).fill("Never mind")
    page.keyboard.press("Escape")
    expect(page.locator(".bubble").first).to_have_text("The goat has eaten the timetable again.")
    expect(page.get_by_label("Edit turn 1", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_label("Text of turn 1", exact=True).fill("My parrot flew out of the window in Lisbon.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".st-key-change")).to_contain_text("What your edit changed", timeout=60_000)
    expect(page.locator(".edited")).to_have_count(1)
    expect(page.locator("ins, del").first).to_be_visible()
    wait_for_app(page)
    assert spoken(page)[0].startswith("My parrot") and summary(page) != before
    page.get_by_role("button", name="Restore the original").click()
    expect(page.locator(".st-key-change")).to_have_count(0)
    wait_for_app(page)
    assert summary(page) == before


def test_a_token_shows_its_alternatives_and_what_was_copied(page):
    arrive(page)
    tokens, panel = page.locator(".token"), page.locator(".panel")
    expect(panel.locator(".state")).to_contain_text("the least certain one")
    tokens.nth(1).hover()
    expect(panel.locator(".head")).to_have_text(tokens.nth(1).inner_text())
    expect(panel.locator(".row")).to_have_count(11)
    shares = [float(text.strip("<> \u00a0%")) for text in panel.locator(".share").all_inner_texts()]
    assert sum(shares) == pytest.approx(100, abs=4)
    expect(panel.locator(".row.rest")).to_contain_text("all other tokens")
    amounts = "nodes => nodes.map(node => node.style.getPropertyValue('--amount'))"
    before = tokens.evaluate_all(amounts)
    page.locator(".switch").get_by_role("button", name="Copied").click()
    assert tokens.evaluate_all(amounts) != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shade_leaves_the_text_readable(open_page, app_url, scheme):
    page = open_page(app_url, color_scheme=scheme)
    arrive(page)
    ratios = page.locator(".token").first.evaluate(
        """node => {
          const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
          const channels = color => {
            canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => {
              value /= 255;
              return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            });
          };
          const light = color => channels(color).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
          return ["0%", "50%", "100%"].map(amount => {
            node.style.setProperty("--amount", amount);
            const style = getComputedStyle(node);
            const [one, two] = [light(style.color), light(style.backgroundColor)];
            return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
          });
        }"""
    )
    assert min(ratios) >= 4.5 and len(set(ratios)) == 3


def test_dialogue_and_decoding_survive_reload_and_back(page):
    arrive(page)
    page.get_by_test_id("stSidebar").get_by_text("Greedy", exact=True).click()
    settle(page)
    paste(page, UNSEEN)
    expect(page.locator(".bubble")).to_have_count(4)
    settle(page)
    written = summary(page)
    assert "strategy=greedy" in page.url and "t=" in page.url
    page.reload()
    settle(page)
    expect(page.locator(".bubble")).to_have_count(4)
    assert summary(page) == written and "strategy=greedy" in page.url
    paste(page, UNSEEN + "\nNora: And bring the goat.")
    expect(page.locator(".bubble")).to_have_count(5)
    settle(page)
    page.go_back()
    expect(page.locator(".bubble")).to_have_count(4)
    settle(page)
    assert summary(page) == written and "strategy=greedy" in page.url
    page.go_forward()
    expect(page.locator(".bubble")).to_have_count(5)


def test_going_back_to_a_bare_address_loses_nothing(page):
    arrive(page)
    page.get_by_test_id("stSidebar").get_by_text("Greedy", exact=True).click()
    expect(page).to_have_url(re.compile("strategy=greedy"))
    settle(page)
    written = summary(page)
    page.go_back()
    expect(page).to_have_url(re.compile("strategy=greedy"))  # the address follows the session again
    settle(page)
    assert summary(page) == written
    expect(page.get_by_test_id("stSidebar").get_by_text("Always takes the most probable token.")).to_be_visible()


def test_downloads_arrive_and_can_be_read(page, tmp_path):
    arrive(page)
    text = summary(page)
    files = {}
    for label in ("Text", "JSON with tokens and settings", "Trace with every attention weight (.npz)"):
        if not page.get_by_role("button", name=label, exact=True).is_visible():
            page.get_by_test_id("stPopoverButton").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).click()
        files[label[:4]] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(files[label[:4]])
    saved = files["Text"].read_text(encoding="utf-8").strip()
    assert saved and text.startswith(saved)
    document = json.loads(files["JSON"].read_text(encoding="utf-8"))
    assert document["summary"] == saved and document["checkpoint"].startswith("dialoscope@")
    assert len(document["tokens"]) == page.locator(".token").count()
    trace = Summary.from_bytes(files["Trac"].read_bytes())
    assert trace.text == saved and trace.attention.cross.ndim == 4


def test_markup_is_shown_as_it_was_typed(page):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    arrive(page)
    paste(page, MARKUP)
    expect(page.locator(".bubble")).to_have_count(3)
    settle(page)
    assert spoken(page) == [line.split(": ", 1)[1] for line in MARKUP.splitlines()]
    assert page.locator(".turns b, .turns img, .turns a, .turns script, .text b, .text img").count() == 0
    assert dialogs == [] and not [url for url in requests if re.match(r"https?://[bc](/|$)", url)]


def test_uploads_are_read_or_refused(page):
    arrive(page)
    page.get_by_text("Upload", exact=True).click()
    for name, content in (("talk.txt", UNSEEN.encode()), ("![i](c.png).txt", bytes(range(256)) * 50)):
        file = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.locator("input[type=file]").set_input_files(file)
        expect(page.locator(".bubble")).to_have_count(4)  # nothing is lost by the second
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("'![i](c.png).txt' is a binary file")
    assert alert.locator("img").count() == 0


def test_a_dialogue_of_400_turns_scrolls_in_its_place_and_says_what_was_left_out(page):
    arrive(page)
    paste(page, LONG)
    expect(page.locator(".bubble")).to_have_count(400)
    settle(page)
    omitted = page.locator(".turn.omitted").count()
    assert omitted > 0
    expect(page.get_by_test_id("stAlert")).to_contain_text(f"left out {omitted} of 400 turns")
    expect(page.locator(".cut")).to_have_text([f"{omitted} turns not read by the model", "Read from here on"])
    box = page.locator(".turns")
    assert box.evaluate("node => node.clientHeight <= 0.8 * innerHeight && node.scrollHeight > node.clientHeight")
    page.get_by_role("heading", name="Dialogue", exact=True).scroll_into_view_if_needed()
    expect(page.locator(".bubble").first).to_be_in_viewport()


def test_a_phone_in_the_dark_never_scrolls_sideways(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True, color_scheme="dark")
    arrive(page)
    assert sideways(page) == []
    paste(page, "Nora: " + "goat" * 60 + "\nPim: Yes.")
    expect(page.locator(".bubble")).to_have_count(2)
    settle(page)
    assert sideways(page) == []
    page.locator(".token").first.tap()
    expect(page.locator(".panel .state")).to_contain_text("Locked: token 1")
    page.locator(".token").first.tap()
    expect(page.locator(".panel .state")).not_to_contain_text("Locked")
