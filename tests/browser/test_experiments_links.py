"""Links to the Experiments page and its files, the history, other pages, narrow windows, in a real browser."""

import csv
import io
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, open_attention, press, wide
from tests.browser.experiments import (
    SLOW,
    VIEWS,
    compared,
    dark,
    expect_diff,
    open_experiments,
    order,
    row,
    see,
    shown,
    switch,
    tool,
)
from tests.browser.helpers import expect_step, open_decoding, wait_for_app

EVERYTHING = (
    "?example=cat-sitter&experiment=words&control=shuffled&off=cross1.2-encoder2.3&ablation=mean"
    "&turns=3.1m.2s1&word=4&lens_color=rank"
)
PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def go(page: Page, name: str) -> None:
    """Open another page by the menu."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()
    wait_for_app(page)


def test_a_link_reopens_everything_in_a_fresh_session(page):
    open_experiments(page, EVERYTHING)
    page.locator(".st-key-instead").get_by_role("combobox").click()
    page.get_by_role("option").nth(1).click()
    expect(page).to_have_url(re.compile(r"instead=\d+"))
    wait_for_app(page)
    for part in EVERYTHING[1:].split("&"):
        assert re.search(rf"[?&]{re.escape(part)}(&|$)", page.url), part
    expect(page.locator(".st-key-word_map .summary .chosen")).to_have_attribute("data-place", "3")
    expect(page.get_by_text("minus log p of the other token")).to_be_visible()
    see(page, "turns")
    numbers = order(page)  # the deleted ones stand where the shuffled dialogue has them
    assert [turn for turn in numbers if turn < 4] == [3, 1, 2] and {*numbers} == set(range(1, 11))
    expect(row(page, 1)).to_contain_text("masked")
    expect(row(page, 2)).to_contain_text("said by Hanna")
    expect(row(page, 4)).to_contain_text("deleted")
    see(page, "heads")
    assert dark(page) == ["encoder.1.2", "cross.0.1"]
    expect(page.get_by_text(re.compile(r"Mean output over all positions of \d+ dialogues"))).to_be_visible()
    see(page, "lenses")
    expect(page.locator(".st-key-logit_lens_picture")).to_contain_text("rank of the written token (log scale)")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)  # what the control is


def test_back_and_forward_walk_through_what_was_done(page):
    open_experiments(page, "?lens_color=rank")  # an address that asks for nothing would leave everything as it is
    tool(page, "Delete turn 2")
    address(page, "turns=1.3.4.5.6.7.8.9.10")
    see(page, "heads")
    switch(page, "Cross-attention, layer 1, head 1: on")
    address(page, "off=cross1.1")
    page.go_back()
    shown(page, "heads")
    expect(page).not_to_have_url(re.compile("off="))
    assert dark(page) == []
    page.go_back()
    shown(page, "turns")
    expect(row(page, 2)).to_contain_text("deleted")
    page.go_back()
    expect(row(page, 2)).not_to_contain_text("deleted")
    page.go_forward()
    expect(row(page, 2)).to_contain_text("deleted")
    page.go_forward()
    page.go_forward()
    shown(page, "heads")
    address(page, "off=cross1.1")
    assert dark(page) == ["cross.0.0"]


def test_back_to_another_dialogue_brings_its_turns(page):
    open_experiments(page, "?example=cat-sitter&turns=2.3")
    before = compared(page)
    page.get_by_role("button", name="Dialogue:").click()
    page.locator(".st-key-example").get_by_role("combobox").click()
    page.get_by_role("option").first.click()
    expect(page).not_to_have_url(re.compile("example="))
    page.keyboard.press("Escape")
    shown(page, "turns")
    assert "turns=" not in page.url
    page.go_back()
    expect(row(page, 1)).to_contain_text("deleted")
    shown(page, "turns")
    address(page, "turns=2.3")
    assert compared(page) == before


def test_changes_survive_other_pages_and_a_reload(page):
    open_experiments(page, "?experiment=heads&off=cross3.1")
    see(page, "turns")
    tool(page, "Mask turn 2: it keeps its place, unseen")
    before = compared(page)
    go(page, "Summarize")
    expect(page.locator(".st-key-summary_tokens .token").first).to_be_visible()
    assert "turns=" not in page.url
    go(page, "Experiments")
    expect(row(page, 2)).to_contain_text("masked")
    address(page, "off=cross3.1")
    assert compared(page) == before
    page.reload()
    expect(row(page, 2)).to_contain_text("masked")
    shown(page, "turns")
    assert compared(page) == before


def test_attention_leads_to_the_ablation_of_its_head(page):
    open_attention(page, "?see=head&kind=decoder&layer=2&head=3")
    page.get_by_role("button", name="Test it: ablate this head").click()
    shown(page, "heads")
    address(page, "off=decoder2.3")
    assert dark(page) == ["decoder.1.2"]
    expect(page.get_by_text("Without head 3 of layer 2 (decoder self-attention)", exact=True)).to_be_visible()
    page.go_back()
    title = page.locator(".st-key-head_matrix .title")
    expect(title).to_have_text("Decoder self-attention, layer 2, head 3", timeout=SLOW)
    address(page, "see=head")


def test_decoding_leads_to_what_a_token_depended_on(page):
    open_decoding(page, "?step=6&example=cat-sitter")
    expect_step(page, 6)
    token = page.locator(".st-key-stepper .token").nth(5).inner_text().strip()
    page.get_by_role("button", name="What did this token depend on?").click()
    shown(page, "words")
    address(page, "word=6")
    address(page, "example=cat-sitter")
    expect(page.locator(".st-key-word_map .summary .chosen")).to_have_text(token)


def test_a_link_that_asks_too_much_says_so_and_works(page):
    notes = page.locator(".st-key-notes")
    for link, said in (
        ("?turns=<script>&off=cross99.1", "turns that cannot be arranged so"),
        ("?experiment=heads&off=<script>", "heads that cannot be ablated"),
        ("?experiment=words&word=9999", r"asks for word 9999, which does not exist here"),
        ("?experiment=xyz&control=xyz", "experiment=xyz.*control=xyz"),
    ):
        open_experiments(page, link.replace("experiment=xyz", "experiment=%78yz"))
        expect(notes).to_contain_text(re.compile(said, re.S))
    open_experiments(page, "?experiment=lenses&turns=abc")
    expect(notes).to_have_count(0)  # nobody has asked for them yet
    see(page, "turns")
    expect(notes).to_contain_text("turns that cannot be arranged so")
    page.get_by_role("button", name="Got it").click()
    expect(notes).to_have_count(0)


def opener(page: Page, key: str) -> Locator:
    """The button "Save" below a chart or a component."""
    return page.locator(f".st-key-{key}").locator("xpath=following::button[contains(., 'Save')][1]")


def save(page: Page, key: str, label: str) -> tuple[str, bytes]:
    """Press a button for a file in a menu, which may close after each: its name and content."""
    button = page.get_by_test_id("stPopoverBody").get_by_role("button", name=label)
    page.wait_for_timeout(400)
    if not button.is_visible():
        opener(page, key).click()
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def files(page: Page, key: str) -> dict[str, bytes]:
    """Every file of a chart or component, by its ending; they all have the same name."""
    labels = ("SVG picture", "PNG picture", "Web page that works offline", "CSV table")
    found = [save(page, key, label) for label in labels]
    page.keyboard.press("Escape")
    wait_for_app(page)
    assert len({name.split(".")[0] for name, _ in found}) == 1
    return {name.split(".")[1]: content for name, content in found}


@pytest.mark.parametrize(
    ("link", "key", "words", "columns", "count"),
    [
        ("", "turn_drops", "noise floor|random stretch", ["Turn", "Speaker", "Text", "Effect (nats)"], 10),
        ("?turns=1.3.4", "turn_changes", "Effect", ["Position", "Token"], 30),
        ("?experiment=heads", "head_switches", "Cross", ["Attention", "Layer", "Head", "Effect (nats a token)"], 4),
        ("?experiment=words&word=6", "word_map", "suitcase", ["Side", "Token", "Turn", "Effect (nats)"], 150),
        ("?experiment=lenses", "decoder_lens_picture", "embed-", ["Word", "First"], 22),
    ],
)
def test_the_files_of_charts_and_components_arrive_and_are_valid(page, link, key, words, columns, count):
    open_experiments(page, link)
    if key == "head_switches":
        page.get_by_role("button", name="Ablate each head alone").click()
        expect(page.locator(".st-key-head_switches .switch:not(.unmeasured)").first).to_be_visible(timeout=SLOW)
        page.locator(".st-key-stop_heads").get_by_role("button").click()
        expect(page.get_by_role("button", name=re.compile("Go on with"))).to_be_visible(timeout=SLOW)
        wait_for_app(page)
    got = files(page, key)
    root = ElementTree.fromstring(got["svg"].decode())
    assert root.tag == f"{SVG}svg" and re.search(words, "".join(root.itertext()))
    assert got["png"].startswith(PNG) and len(got["png"]) > 5_000
    html = got["html"].decode()
    assert html.startswith("<!doctype html>") and "<p" in html
    rows = list(csv.reader(io.StringIO(got["csv"].decode())))
    assert rows[0][: len(columns)] == columns and len(rows) - 1 >= count


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_on_a_screen_and_on_a_phone(open_page: Callable[..., Page], app_url, scheme):
    page = open_page(app_url, color_scheme=scheme)
    open_experiments(page, "?off=cross3.2-encoder1.1&turns=1.3.4m.2s1.6.7.9.10")
    for view in VIEWS:
        page.set_viewport_size({"width": 1280, "height": 900})
        see(page, view)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            wait_for_app(page)
            assert wide(page) == [], (view, width)
    ground = page.locator("[data-testid='stApp']").evaluate("node => getComputedStyle(node).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 18, 24)"}[scheme]


def test_a_phone_can_touch_everything(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True)
    open_experiments(page)
    page.locator(".st-key-turn_bench").get_by_role("button", name="Delete turn 2", exact=True).tap()
    address(page, "turns=1.3.4.5.6.7.8.9.10")
    press(page, "experiment", "Heads")
    shown(page, "heads")
    page.locator(".st-key-head_switches").get_by_role("button", name="Encoder self-attention, layer 1, head 1").tap()
    address(page, "off=encoder1.1")
    assert expect_diff(page, "ablation_diff", page.get_by_test_id("stText").nth(0).inner_text())
    assert wide(page) == []
