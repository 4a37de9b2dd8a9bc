"""The report in a real browser, opened as a file without a network."""

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from core.report.page import CONTENTS, to_html
from core.service import Summarizer
from tests.browser.axe import violations
from tests.browser.helpers import FIRST_TOKENS, saved, wait_for_app
from tests.report.conftest import EXAMPLE, of
from tests.report.test_page import HOSTILE, USUAL

SHEET = 718
"""Pixels between the margins of a sheet of A4."""
WORDS = "p, li, td, th, h2, h3, dt, dd, caption, figcaption, svg"
"""Elements that hold what a report says."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tiny: Summarizer) -> dict[str, Path]:
    """Reports of an example and of a hostile dialogue."""
    folder = tmp_path_factory.mktemp("reports")
    reports = {"example": of(tiny, references=EXAMPLE.references), "hostile": of(tiny, HOSTILE)}
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(to_html(report), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


@pytest.fixture
def read(browser: Browser, files: dict[str, Path]):
    """Open a report in a context of its own without a network; nothing may go wrong or be asked for."""
    opened, wrong = [], []

    def open_one(name: str = "example", width: int = 1280, **options) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 844}, accept_downloads=True, **options)
        context.set_offline(True)
        page = context.new_page()
        address = files[name].as_uri()
        page.on(
            "request", lambda asked: asked.url.startswith("data:") or asked.url == address or wrong.append(asked.url)
        )
        page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.goto(address)
        opened.append(context)
        return page

    yield open_one
    for context in opened:
        context.close()
    assert wrong == []


def data(page: Page) -> dict:
    """What the report carries."""
    return json.loads(page.locator("#data").text_content())


def heaviest_turn(found: dict, choice: int, token: int) -> int:
    """The turn that a token of the summary reads most, from 0."""
    turns = np.array(found["turns"])
    weights = np.frombuffer(base64.b64decode(found["choices"][choice][1]), "<u2").reshape(-1, len(turns))[token]
    return max(set(found["turns"]), key=lambda turn: int(weights[turns == turn].sum()))


def test_pointer_keys_and_choice_light_what_a_token_reads(read):
    page = read()
    found = data(page)
    tokens, lit = page.locator("[data-token]"), page.locator(".turn.lit")
    panel = page.locator(".panel")
    expect(panel).to_contain_text("The least certain token")
    expect(lit).to_have_count(0)
    before = page.locator(".share").all_inner_texts()
    tokens.nth(4).hover()
    expect(lit).to_have_id(f"turn-{heaviest_turn(found, 0, 4) + 1}")
    expect(panel).to_contain_text(f"Reads most, {found['choices'][0][0]}")
    expect(page.locator("[data-spot].lit").first).to_be_attached()
    page.mouse.move(2, 2)
    expect(lit).to_have_count(0)
    assert page.locator(".share").all_inner_texts() == before

    tokens.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tokens.nth(1)).to_be_focused()
    expect(tokens.nth(1)).to_have_class(re.compile("shown"))
    page.keyboard.press("Enter")
    expect(tokens.nth(1)).to_have_attribute("aria-pressed", "true")
    last = len(found["choices"]) - 1
    page.get_by_label("Cross-attention of").select_option(str(last))
    expect(panel).to_contain_text(f"Reads most, {found['choices'][last][0]}")
    expect(lit).to_have_id(f"turn-{heaviest_turn(found, last, 1) + 1}")
    page.keyboard.press("Escape")
    expect(lit).to_have_count(0)
    tokens.nth(2).click()
    expect(tokens.nth(2)).to_have_attribute("aria-pressed", "true")


def test_the_theme_follows_the_system_until_it_is_switched(read):
    for scheme, ground, other in (
        ("light", "rgb(255, 255, 255)", "rgb(13, 18, 24)"),
        ("dark", "rgb(13, 18, 24)", "rgb(255, 255, 255)"),
    ):
        page = read(color_scheme=scheme)
        expect(page.locator("body")).to_have_css("background-color", ground)
        switch = page.get_by_role("button", name="Dark")
        expect(switch).to_have_attribute("aria-pressed", str(scheme == "dark").lower())
        switch.press("Enter")
        expect(page.locator("body")).to_have_css("background-color", other)
        expect(switch).to_have_attribute("aria-pressed", str(scheme != "dark").lower())


def test_everybody_can_read_it_on_every_screen(read):
    for name, width, scheme in (("example", 1280, "light"), ("hostile", 390, "dark")):
        page = read(name, width, color_scheme=scheme)
        page.locator("[data-token]").nth(3).click()
        for details in page.locator("details").all():
            details.locator("summary").click()
        assert violations(page) == [], (name, scheme)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, (name, width)


def test_a_hostile_dialogue_runs_nothing_and_is_all_there(read):
    page = read("hostile")
    said = page.locator(".said").all_inner_texts()
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in said[0]
    assert page.locator(".said img, .said script, .said b, .said a, [onerror], [onload]").count() == 0
    expect(page.locator(".said").nth(1)).to_have_css("direction", "rtl")


def test_nothing_is_lost_on_paper(read):
    page = read(width=SHEET)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("table.heat").last).to_be_visible()
    lost = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter((node) => {
          const box = node.getBoundingClientRect();
          return box.width && (box.right > innerWidth + 1 || box.left < -1);
        }).map((node) => `${node.localName}.${node.getAttribute("class")}`)"""
    )
    assert lost == []
    hidden = page.locator(f"main :is({WORDS}):not(.script, .script *, :visible)").all()
    assert [node.evaluate("node => node.outerHTML.slice(0, 80)") for node in hidden] == []
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_its_contents_lead_to_each_section_and_the_dialogue_can_be_saved(read):
    page = read()
    contents = page.get_by_role("navigation")
    expect(contents.get_by_role("link")).to_have_count(len(USUAL))  # no explanation was asked for
    for anchor in USUAL:
        contents.get_by_role("link", name=CONTENTS[anchor], exact=True).click()
        expect(page.locator(f"#{anchor}")).to_be_in_viewport()
    assert saved(page, "Save the dialogue as a file") == ("dialogue.txt", EXAMPLE.dialogue.encode())


def test_the_app_saves_a_report(page, tmp_path, browser):
    page.goto("/?example=lost-suitcase")
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    shown = page.locator(".st-key-summary_tokens .text").inner_text()
    page.get_by_test_id("stPopoverButton").filter(has_text="Download").click()
    name, content = saved(page, "Report: a web page that works offline")
    page.keyboard.press("Escape")
    file = tmp_path / name
    file.write_bytes(content)
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.goto(file.as_uri())
    assert re.sub(r"\s", "", opened.locator(".strip").inner_text()) == re.sub(r"\s", "", shown)
    context.close()
