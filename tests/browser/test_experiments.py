"""The Experiments page in a real browser: five walks, through its views, its links and the pages that lead to it."""

import csv
import io
import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from core import checkpoints
from tests.browser.attention import address, open_attention, press, wide
from tests.browser.helpers import FIRST_TOKENS, click, click_mark, expect_step, open_decoding, paste_here, wait_for_app

VIEWS = {
    "turns": ("Turns", ".st-key-turn_rewrites .js-plotly-plot"),
    "heads": ("Heads", ".st-key-head_switches .switch"),
    "words": ("Words", ".st-key-turn_gradients .js-plotly-plot"),
    "lenses": ("Lenses", ".st-key-logit_lens_picture .js-plotly-plot"),
}
"""For each view, its name on the page and something that only it shows."""
SHAPE = checkpoints.read_config("dialoscope")
HEADS = SHAPE.num_heads * (SHAPE.encoder_layers + 2 * SHAPE.decoder_layers)
"""All heads of the checkpoint that opens first."""
SLOW = 120_000
"""Milliseconds for what compiles a graph, on a busy machine."""
MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>\nEve: done"
EVERYTHING = (
    "?example=cat-sitter&experiment=words&control=shuffled&off=cross1.2-encoder2.3&ablation=mean"
    "&turns=3.1m.2s1&word=4&lens_color=rank"
)


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def open_experiments(page: Page, link: str = "") -> None:
    """Open the page and wait for its view; `link` stands after the path, "?word=3" for instance."""
    page.goto(f"/experiments{link}")
    found = re.search("experiment=([a-z]+)", link)
    shown(page, found[1] if found else "turns", FIRST_TOKENS)


def shown(page: Page, name: str, timeout: int = SLOW) -> None:
    """Wait until a view is drawn, and whatever it measures by itself is measured."""
    expect(page.locator(VIEWS[name][1]).first).to_be_visible(timeout=timeout)
    if name == "turns":
        expect(page.get_by_text(re.compile(r"All \d+ turns are measured"))).to_be_visible(timeout=SLOW)
    wait_for_app(page)


def see(page: Page, name: str) -> None:
    press(page, "experiment", VIEWS[name][0])
    shown(page, name)


def row(page: Page, number: int) -> Locator:
    """A turn on the bench, by its number."""
    count = page.locator(".count", has_text=re.compile(rf"^{number}$"))
    return page.locator(".st-key-turn_bench .row").filter(has=count)


def order(page: Page) -> list[int]:
    """The numbers of the turns on the bench, from the top."""
    return [int(text) for text in page.locator(".st-key-turn_bench .count").all_inner_texts()]


def push(page: Page, component: str, name: str, *, exact: bool = True) -> None:
    """Press a button of a component and wait for what comes of it."""
    page.locator(f".st-key-{component}").get_by_role("button", name=name, exact=exact).click()
    wait_for_app(page)


def measured(page: Page) -> dict[str, float]:
    """The effect of the heads that were ablated, by where they stand: "cross.0.1"."""
    cells = page.locator(".st-key-head_switches .switch:not(.unmeasured)")
    found = cells.evaluate_all("nodes => nodes.map(n => [n.dataset.place, n.innerText.replace('−', '-')])")
    return {place: float(text) for place, text in found}


def dark(page: Page) -> list[str]:
    """The heads that are off, by where they stand."""
    cells = page.locator(".st-key-head_switches .switch[aria-pressed='false']")
    return cells.evaluate_all("nodes => nodes.map(n => n.dataset.place)")


def effect(page: Page) -> float:
    """Nats a token that the untouched summary loses by the change, from the table."""
    toolbar = page.locator("button[aria-label*='Mean log-probability']")
    frame = page.get_by_test_id("stDataFrame").filter(has=toolbar)
    frame.scroll_into_view_if_needed()
    rows = frame.locator("tbody tr")
    expect(rows).to_have_count(2)
    return float(rows.first.locator("td, th").last.text_content())


def untouched(page: Page) -> str:
    """The summary before the change."""
    card = page.get_by_test_id("stColumn").filter(has=page.get_by_text("Untouched", exact=True))
    return card.get_by_test_id("stText").inner_text()


def differs(page: Page, key: str, before: str) -> bool:
    """Check that a word diff starts from a text; return whether it leads to another one."""
    view = page.locator(f".st-key-{key}")
    expect(view.locator("del, ins").first).to_be_visible()
    texts = ["".join("".join(view.locator(parts).all_text_contents()).split()) for parts in ("span, del", "span, ins")]
    assert texts[0] == "".join(before.split())
    return texts[0] != texts[1]


def caption(page: Page, part: str) -> str:
    """The sentence with these words."""
    return page.get_by_text(re.compile(part)).last.inner_text().replace("\xa0", " ")


def test_turns_are_deleted_clicked_masked_swapped_and_moved(page):
    open_experiments(page)
    values = [float(text.replace("−", "-")) for text in page.locator(".st-key-turn_bench .number").all_inner_texts()]
    worst = values.index(max(values)) + 1
    assert f"depends most on turn {worst} " in caption(page, "The summary depends most")
    push(page, "turn_bench", f"Delete turn {worst}")
    expect(row(page, worst)).to_contain_text("deleted")
    assert differs(page, "turn_diff", untouched(page))
    points = page.locator(".st-key-turn_changes .barlayer .trace").first.locator(".point")
    expect(points.first).to_be_attached()
    assert effect(page) * points.count() == pytest.approx(max(values), abs=0.05)  # the same as among all of them
    push(page, "turn_bench", f"Bring turn {worst} back")
    expect(page.get_by_text("With the change", exact=True)).to_have_count(0)
    # A bar is clicked again and again.
    for mark, turns in ((1, "1.3.4.5.6.7.8"), (1, ""), (1, "1.3.4.5.6.7.8"), (3, "1.3.5.6.7.8")):
        page.wait_for_timeout(500)  # the chart is drawn anew after each
        click_mark(page, "turn_drops", mark)
        expect(page).to_have_url(re.compile(rf"turns={re.escape(turns)}$" if turns else "experiments$"))
        wait_for_app(page)
    expect(page.get_by_text(re.compile(r"Turns 2 and 4: alone −?[\d.]+ and −?[\d.]+ nats, together"))).to_be_visible()
    # Another dialogue, shown as it was typed.
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    paste_here(page, MARKUP)
    shown(page, "turns")
    push(page, "turn_bench", "Mask turn 1: it keeps its place, unseen")
    push(page, "turn_bench", "Let Eve say turn 2")
    push(page, "turn_bench", "Move turn 3 up")
    address(page, "turns=1m.3.2s1")
    assert order(page) == [1, 3, 2]
    expect(row(page, 1)).to_contain_text("masked")
    title = "With turn 1 masked, with turn 2 said by Eve and with the turns in another order"
    expect(page.get_by_text(title, exact=True)).to_be_visible()
    said = {line.split(": ", 1)[1] for line in MARKUP.splitlines()}
    assert set(page.locator(".st-key-turn_bench .text").all_inner_texts()) == said
    assert dialogs == [] and page.locator(".stPlotlyChart img, .stPlotlyChart foreignObject").count() == 0
    click(page, "Put everything back")
    expect(page).not_to_have_url(re.compile("turns="))


def test_heads_are_measured_until_a_stop_and_ablated(page):
    open_experiments(page, "?experiment=heads&example=cat-sitter")  # no other test has measured its heads
    expect(page.get_by_text("No head has been ablated alone yet")).to_be_visible()
    assert measured(page) == {}
    page.get_by_role("button", name="Ablate each head alone").click()
    expect(page.locator(".st-key-head_switches .switch:not(.unmeasured)").first).to_be_visible(timeout=SLOW)
    page.locator(".st-key-stop_heads").get_by_role("button").click()
    expect(page.get_by_role("button", name=re.compile(r"Go on with the other \d+"))).to_be_visible(timeout=SLOW)
    wait_for_app(page)
    kept = measured(page)
    assert 4 <= len(kept) < HEADS
    expect(page.get_by_text(f"{len(kept)} of {HEADS} heads", exact=True)).to_be_visible()
    page.wait_for_timeout(1500)
    assert measured(page) == kept  # nothing goes on behind the page's back
    push(page, "head_switches", "Encoder self-attention, layer 1, head 1: on", exact=False)
    address(page, "off=encoder1.1")
    assert dark(page) == ["encoder.0.0"]
    last = SHAPE.decoder_layers
    push(page, "head_switches", f"Cross-attention, layer {last}: switch all its heads off", exact=False)
    address(page, f"off={'-'.join(f'cross{last}.{head}' for head in range(1, SHAPE.num_heads + 1))}-encoder1.1")
    expect(page.get_by_text(f"Without {SHAPE.num_heads + 1} heads").first).to_be_visible()
    assert effect(page) > 0 and differs(page, "ablation_diff", untouched(page))  # a trained model needs these heads
    press(page, "ablation", "Mean: its usual output")
    expect(page.get_by_text(re.compile(r"Mean output over all positions of \d+ dialogues"))).to_be_visible()
    click(page, "Switch all on")
    expect(page.get_by_text("All heads are on.")).to_be_visible()
    expect(page).not_to_have_url(re.compile("off="))


def test_a_token_has_its_gradient_map_which_can_be_saved_and_layers_are_read(page):
    open_experiments(page, "?experiment=words&example=lost-suitcase")
    tokens = page.locator(".st-key-word_map .summary .token[role=button]")
    tokens.filter(has_text="shirt").first.click()
    chosen = page.locator(".st-key-word_map .summary .chosen")
    expect(chosen).to_have_text("shirt")
    expect(page).to_have_url(re.compile(r"word=\d+"))
    wait_for_app(page)
    first = caption(page, "counts most in the dialogue")
    assert first.startswith("Log p of “shirt” is −") and re.search(r"“\S+” in turn \d", first)
    got = {}
    for ending, label in (("svg", "SVG picture"), ("png", "PNG picture"), ("csv", "CSV table")):
        button = page.get_by_test_id("stPopoverBody").get_by_role("button", name=label)
        page.wait_for_timeout(400)
        if not button.is_visible():
            page.locator(".st-key-word_map").locator("xpath=following::button[contains(., 'Save')][1]").click()
        with page.expect_download() as waiting:
            button.click()
        assert waiting.value.suggested_filename == f"gradient-times-input.{ending}"
        got[ending] = waiting.value.path().read_bytes()
    assert "shirt" in "".join(ElementTree.fromstring(got["svg"].decode()).itertext())
    assert got["png"].startswith(b"\x89PNG\r\n\x1a\n") and len(got["png"]) > 5_000
    lines = list(csv.reader(io.StringIO(got["csv"].decode())))
    assert lines[0] == ["Side", "Token", "Turn", "Effect (nats)"] and len(lines) > 150
    page.keyboard.press("Escape")
    number = int(re.search(r"word=(\d+)", page.url)[1])
    chosen.focus()
    for key, offset in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        address(page, f"word={number + offset}")
        expect(chosen).to_have_attribute("data-place", str(number + offset - 1))  # the focus stays
    see(page, "lenses")
    layers = page.locator("[class*='st-key-lens_'][class*='stVerticalBlock']")
    expect(layers).to_have_count(SHAPE.encoder_layers + 1)
    assert differs(page, "lens_diff_0", layers.first.get_by_test_id("stText").inner_text())
    press(page, "lens_color", "Rank")
    expect(page.locator(".st-key-logit_lens_picture")).to_contain_text("rank of the written token (log scale)")


def test_a_link_reopens_everything_and_back_and_forward_walk_through_what_was_done(page):
    open_experiments(page, EVERYTHING)
    expect(page.locator(".st-key-word_map .summary .chosen")).to_have_attribute("data-place", "3")
    see(page, "turns")
    for turn, mark in ((1, "masked"), (2, "said by Hanna"), (4, "deleted")):
        expect(row(page, turn)).to_contain_text(mark)
    expect(page.get_by_test_id("stAlert")).to_have_count(1)  # what the control is
    press(page, "control", "The model")
    shown(page, "turns")
    click(page, "Put everything back")
    expect(page).not_to_have_url(re.compile("turns="))
    wait_for_app(page)
    push(page, "turn_bench", "Delete turn 2")
    address(page, "turns=1.3.4.5.6.7.8.9.10")
    before = effect(page)
    see(page, "heads")
    assert dark(page) == ["encoder.1.2", "cross.0.1"]
    for go, there in ((page.go_back, True), (page.go_back, False), (page.go_forward, True)):
        go()
        shown(page, "turns")
        if there:
            expect(row(page, 2)).to_contain_text("deleted")
        else:
            expect(row(page, 2)).not_to_contain_text("deleted")
    # Another dialogue has other turns; Back, another page and a reload bring them again.
    page.get_by_role("button", name="Dialogue:").click()
    page.locator(".st-key-example").get_by_role("combobox").click()
    page.get_by_role("option").first.click()
    expect(page).not_to_have_url(re.compile("example=|turns="))
    page.keyboard.press("Escape")
    shown(page, "turns")
    page.go_back()
    expect(row(page, 2)).to_contain_text("deleted", timeout=SLOW)
    shown(page, "turns")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Summarize").click()
    expect(page.locator(".st-key-summary_tokens .token").first).to_be_visible()
    assert "turns=" not in page.url
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Experiments").click()
    expect(row(page, 2)).to_contain_text("deleted")
    page.reload()
    shown(page, "turns", FIRST_TOKENS)
    assert effect(page) == before
    # Other pages lead here, and Back leads to them.
    open_attention(page, "?see=head&kind=decoder&layer=2&head=3")
    click(page, "Test it: ablate this head")
    shown(page, "heads")
    address(page, "off=decoder2.3")
    assert dark(page) == ["decoder.1.2"]
    expect(page.get_by_text("Without head 3 of layer 2 (decoder self-attention)", exact=True)).to_be_visible()
    page.go_back()
    title = page.locator(".st-key-head_matrix .title")
    expect(title).to_have_text("Decoder self-attention, layer 2, head 3", timeout=30_000)
    address(page, "see=head")
    open_decoding(page, "?step=6&example=cat-sitter")
    expect_step(page, 6)
    token = page.locator(".st-key-stepper .token").nth(5).inner_text().strip()
    click(page, "What did this token depend on?")
    shown(page, "words")
    address(page, "word=6")
    expect(page.locator(".st-key-word_map .summary .chosen")).to_have_text(token)
    page.go_back()
    expect_step(page, 6)


def test_every_view_fits_on_a_screen_and_on_a_phone_where_a_finger_does_everything(open_page, app_url):
    page = open_page(app_url, width=390, height=844, has_touch=True, color_scheme="dark")
    open_experiments(page)
    page.locator(".st-key-turn_bench").get_by_role("button", name="Delete turn 2", exact=True).tap()
    address(page, "turns=1.3.4.5.6.7.8")
    see(page, "heads")
    layer = f"Cross-attention, layer {SHAPE.decoder_layers}: switch all its heads off"
    page.locator(".st-key-head_switches").get_by_role("button", name=layer).tap()
    address(page, f"off={'-'.join(f'cross{SHAPE.decoder_layers}.{head + 1}' for head in range(SHAPE.num_heads))}")
    assert differs(page, "ablation_diff", untouched(page))
    for view in VIEWS:
        page.set_viewport_size({"width": 1280, "height": 900})
        see(page, view)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            wait_for_app(page)
            assert wide(page) == [], (view, width)
