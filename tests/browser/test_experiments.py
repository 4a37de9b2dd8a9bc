"""The Experiments page in a real browser: three walks, through its views, its links and the pages that lead to it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from core import checkpoints
from tests.browser.attention import address, press
from tests.browser.helpers import (
    FIRST_TOKENS,
    SLOW,
    click,
    click_mark,
    expect_step,
    open_decoding,
    open_menu,
    paste_here,
    saved,
    sideways,
    unfold,
    wait_for_app,
)

VIEWS = {
    "turns": ("Turns", ".st-key-turn_bench .row"),
    "heads": ("Heads", ".st-key-head_switches .switch"),
    "words": ("Words", ".st-key-word_map .summary"),
}
"""For each view, its name on the page and something that only it shows."""
SHAPE = checkpoints.read_config("dialoscope")
HEADS = SHAPE.num_heads * (SHAPE.encoder_layers + 2 * SHAPE.decoder_layers)
"""All heads of the checkpoint that opens first."""
MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>\nEve: done"


def open_experiments(page: Page, link: str = "") -> None:
    """Open the page and wait for its view; `link` stands after the path, "?word=3" for instance."""
    page.goto(f"/experiments{link}")
    found = re.search("experiment=([a-z]+)", link)
    shown(page, found[1] if found else "turns", FIRST_TOKENS)


def shown(page: Page, name: str, timeout: int = SLOW) -> None:
    """Wait until a view is drawn, and whatever it measures by itself is measured."""
    expect(page.locator(VIEWS[name][1]).first).to_be_visible(timeout=timeout)
    if name == "turns":
        expect(page.get_by_text(re.compile(r"All \d+ turns are done"))).to_be_visible()
    wait_for_app(page)


def see(page: Page, name: str) -> None:
    press(page, "experiment", VIEWS[name][0])
    shown(page, name)


def row(page: Page, number: int) -> Locator:
    """A turn on the bench, by its number."""
    count = page.locator(".count", has_text=re.compile(rf"^{number}$"))
    return page.locator(".st-key-turn_bench .row").filter(has=count)


def push(page: Page, component: str, name: str, *, exact: bool = True) -> None:
    """Press a button of a component and wait for what comes of it."""
    page.locator(f".st-key-{component}").get_by_role("button", name=name, exact=exact).click()
    wait_for_app(page)


def measured(page: Page) -> list[str]:
    """The effects of the heads that were ablated, with the places of the heads: "cross.0.1"."""
    cells = page.locator(".st-key-head_switches .switch:not(.unmeasured)")
    return cells.evaluate_all("nodes => nodes.map(node => node.dataset.place + node.innerText)")


def dark(page: Page) -> list[str]:
    """The heads that are off, by where they stand."""
    cells = page.locator(".st-key-head_switches .switch[aria-pressed='false']")
    return cells.evaluate_all("nodes => nodes.map(n => n.dataset.place)")


def test_turns_are_deleted_clicked_masked_swapped_and_moved(page: Page) -> None:
    open_experiments(page)
    values = [float(text.replace("−", "-")) for text in page.locator(".st-key-turn_bench .number").all_inner_texts()]
    worst = values.index(max(values)) + 1
    push(page, "turn_bench", f"Delete turn {worst}")
    expect(row(page, worst)).to_contain_text("deleted")
    push(page, "turn_bench", f"Bring turn {worst} back")
    expect(page.get_by_text("With the change", exact=True)).to_have_count(0)
    # A bar is clicked again and again.
    unfold(page, "Leave each turn out once")
    for mark, turns in ((1, "1.3.4.5.6.7.8"), (1, ""), (1, "1.3.4.5.6.7.8"), (3, "1.3.5.6.7.8")):
        page.wait_for_timeout(500)  # the chart is drawn anew after each
        click_mark(page, "turn_drops", mark)
        expect(page).to_have_url(re.compile(rf"turns={re.escape(turns)}$" if turns else "experiments$"))
        wait_for_app(page)
    # Another dialogue, shown as it was typed.
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    paste_here(page, MARKUP)
    shown(page, "turns")
    push(page, "turn_bench", "Mask turn 1: it keeps its place, unseen")
    push(page, "turn_bench", "Let Eve say turn 2")
    push(page, "turn_bench", "Move turn 3 up")
    address(page, "turns=1m.3.2s1")
    assert page.locator(".st-key-turn_bench .count").all_inner_texts() == ["1", "3", "2"]
    said = {line.split(": ", 1)[1] for line in MARKUP.splitlines()}
    assert set(page.locator(".st-key-turn_bench .text").all_inner_texts()) == said
    assert dialogs == [] and page.locator(".stPlotlyChart img, .stPlotlyChart foreignObject").count() == 0
    page.reload()
    shown(page, "turns")
    expect(row(page, 1)).to_contain_text("masked")


@pytest.mark.slow
def test_heads_are_measured_until_a_stop_and_a_token_has_its_map(open_page, app_url: str) -> None:
    page = open_page(app_url, has_touch=True)
    open_experiments(page, "?experiment=heads&example=cat-sitter")  # no other test has measured its heads
    assert measured(page) == []
    page.get_by_role("button", name="Ablate each head alone").click()
    expect(page.locator(".st-key-head_switches .switch:not(.unmeasured)").first).to_be_visible()
    page.locator(".st-key-stop_heads").get_by_role("button").click()
    expect(page.get_by_role("button", name=re.compile(r"Go on with the other \d+"))).to_be_visible()
    wait_for_app(page)
    kept = measured(page)
    assert 4 <= len(kept) < HEADS
    page.wait_for_timeout(1000)
    assert measured(page) == kept  # nothing goes on behind the page's back
    page.set_viewport_size({"width": 390, "height": 844})
    push(page, "head_switches", "Encoder self-attention, layer 1, head 1: on", exact=False)
    address(page, "off=encoder1.1")
    assert dark(page) == ["encoder.0.0"]
    last = SHAPE.decoder_layers
    layer = f"Cross-attention, layer {last}: switch all its heads off"
    page.locator(".st-key-head_switches").get_by_role("button", name=layer).tap()  # by a finger
    address(page, f"off={'-'.join(f'cross{last}.{head}' for head in range(1, SHAPE.num_heads + 1))}-encoder1.1")
    assert sideways(page, "") == []
    page.set_viewport_size({"width": 1280, "height": 900})
    see(page, "words")
    page.locator(".st-key-word_map .summary .token[role=button]").nth(4).click()
    address(page, "word=5")
    open_menu(page, "word_map")
    name, content = saved(page, "CSV table")
    lines = content.decode().splitlines()
    assert name == "gradient-times-input.csv" and lines[0] == "Side,Token,Turn,Effect (nats)" and len(lines) > 150


def test_a_link_reopens_everything_and_back_and_forward_walk_through_what_was_done(page: Page) -> None:
    open_experiments(page, "?example=cat-sitter&control=shuffled&off=cross1.2-encoder2.3&turns=3.1m.2s1&word=4")
    for turn, mark in ((1, "masked"), (2, "said by Hanna"), (4, "deleted")):
        expect(row(page, turn)).to_contain_text(mark)
    press(page, "control", "The model")
    shown(page, "turns")
    click(page, "Put everything back")
    expect(page).not_to_have_url(re.compile("turns="))
    wait_for_app(page)
    push(page, "turn_bench", "Delete turn 2")
    address(page, "turns=1.3.4.5.6.7.8.9.10")
    see(page, "heads")
    assert dark(page) == ["encoder.1.2", "cross.0.1"]
    for step, there in ((page.go_back, True), (page.go_back, False), (page.go_forward, True)):
        step()
        shown(page, "turns")
        if there:
            expect(row(page, 2)).to_contain_text("deleted")
        else:
            expect(row(page, 2)).not_to_contain_text("deleted")
    # Another page leads here, and Back leads to it.
    open_decoding(page, "?step=6&example=cat-sitter")
    expect_step(page, 6)
    token = page.locator(".st-key-stepper .token").nth(5).inner_text().strip()
    click(page, "What did this token depend on?")
    shown(page, "words")
    address(page, "word=6")
    expect(page.locator(".st-key-word_map .summary .chosen")).to_have_text(token)
    page.go_back()
    expect_step(page, 6)


def test_a_phone_shows_the_lists_of_a_view_before_what_it_runs_on(open_page, app_url) -> None:
    page = open_page(app_url, 390, 844)
    page.goto("/experiments?experiment=methods&method=random")
    expect(page.locator(".st-key-word")).to_be_visible()
    wait_for_app(page)
    ends = {key: page.locator(f".st-key-{key}").bounding_box() for key in ("method", "word", "control")}
    assert ends["method"]["x"] + ends["method"]["width"] < ends["word"]["x"] < 390 < ends["control"]["x"]
