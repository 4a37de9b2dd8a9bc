"""The Decoding page in a real browser: walks through its steps, its views, its links and its files."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from core import checkpoints
from tests.browser.helpers import (
    click,
    click_mark,
    expect_step,
    expect_written,
    open_decoding,
    paste_here,
    sideways,
    view,
    wait_for_app,
    written,
)
from tests.components.svg import unreadable

MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>"
LONG = "\n".join(f"{('Mira', 'Tom')[turn % 2]}: Yes, {turn + 1}." for turn in range(400))


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def press(page: Page, name: str) -> None:
    page.locator(".st-key-stepper").get_by_role("button", name=name, exact=True).click()


def tokens(page: Page) -> list[str]:
    return [text.strip() for text in page.locator(".st-key-stepper .token").all_inner_texts()]


def widths(page: Page, column: str) -> list[float]:
    """The lengths of a column's bars in the table, in percent."""
    bars = page.locator(f".st-key-next_token td.{column} .fill")
    return bars.evaluate_all("nodes => nodes.map(node => parseFloat(node.style.width))")


def fork(page: Page) -> None:
    """Press Fork beside the best token but the written one."""
    before = page.url
    page.locator(".st-key-next_token tbody button").first.click()
    expect(page).not_to_have_url(before)
    wait_for_app(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()
    wait_for_app(page)


def cards(page: Page) -> Locator:
    """The names of the branches."""
    return page.locator("[class*='st-key-branch_'] [data-testid='stMarkdown'] strong")


def save(page: Page, opener: Locator, label: str) -> bytes:
    """Press a button for a file in a menu, which may close after each; the file."""
    button = page.get_by_role("button", name=label, exact=True)
    if not button.is_visible():
        opener.click()
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.path().read_bytes()


def test_steps_are_walked_looked_at_forked_and_typed(page):
    sizes = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
    open_decoding(page)
    expect_step(page, 1)
    sizes.clear()
    for step in (2, 3, 4):
        page.keyboard.press("ArrowRight")
        expect_step(page, step)
    wait_for_app(page)
    assert 1_000 < sum(sizes) / 3 < 200_000  # a step sends little
    page.get_by_role("slider", name="Step", exact=True).fill("7")
    expect_step(page, 7)
    for _ in range(2):  # the same bar again
        click_mark(page, "surprise", 8)
        expect_step(page, 9)
        press(page, "Forward")
        expect_step(page, 10)
    wait_for_app(page)  # the bars of another step may be more
    heading = page.get_by_role("heading", name="token by token")
    most = heading.inner_text()
    bars = page.locator(".st-key-looks_at .js-plotly-plot .points path").evaluate_all(
        "bars => bars.map(bar => bar.getBoundingClientRect().width)"
    )
    for place in sorted(range(len(bars)), key=lambda place: -bars[place]):
        click_mark(page, "looks_at", place)  # the widest may be the opened one, or that of no turn
        if heading.inner_text() != most:
            break
    other = heading.inner_text()
    expect(page).to_have_url(re.compile(f"turn={re.findall(r'[0-9]+', other)[0]}"))
    page.get_by_role("slider", name="Step", exact=True).fill("6")
    expect_step(page, 6)
    assert other != most
    expect(heading).to_have_text(other)
    click(page, "Follow the most attention")
    expect(page.get_by_role("button", name="Follow the most attention")).to_have_count(0)
    before, bars = tokens(page), widths(page, "before")
    page.get_by_role("slider", name="Temperature").press("End")
    expect(page.locator(".st-key-next_token .label", has_text="÷ 2")).to_be_visible()
    for _ in range(3):
        page.get_by_role("slider", name="Top k").press("ArrowRight")
    expect(page.locator(".st-key-next_token .sum")).to_contain_text(
        f"3 of {checkpoints.read_config('dialoscope').target_vocabulary:,} tokens kept"
    )
    assert sum(width > 0 for width in widths(page, "after")) == 3 and widths(page, "before") == bars
    row = page.locator(".st-key-next_token tbody tr:has(button)").first
    word = row.locator(".word").inner_text().strip("·")
    row.get_by_role("button").click()
    expect(page.locator(".st-key-stepper .token.forced")).to_have_count(6)
    expect_step(page, 6)
    assert tokens(page)[:6] == [*before[:5], word] and tokens(page) != before
    choose(page, "Branch", "Original")
    expect(page.locator(".st-key-stepper .token.forced")).to_have_count(0)
    page.get_by_role("textbox", name="Or type what stands at step").fill("parrot zzqxj")
    click(page, "Write it here")
    expect(page.get_by_test_id("stAlert")).to_contain_text(re.compile("“parrot zzqxj” is not one token .* written as"))
    wait_for_app(page)
    assert tokens(page)[:5] == before[:5] and "parrot zzqxj" in written(page)
    page.get_by_role("heading", name="What could stand here").click()
    page.keyboard.press("ArrowLeft")
    expect_step(page, 5)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_branches_are_named_and_survive_back_links_and_files(page, open_page, app_url, tmp_path):
    open_decoding(page, "?step=3")
    first = written(page)
    fork(page)
    second = written(page)
    page.keyboard.press("ArrowRight")
    expect_step(page, 4)
    page.go_back()
    expect_step(page, 3)
    page.go_forward()
    expect_step(page, 4)
    view(page, "Branches")
    expect(cards(page)).to_have_text(["Original", "Branch 1"])
    page.locator(".st-key-branch_1").get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name")
    name.fill("<b>Bold</b> *idea*")
    name.press("Enter")
    expect(page.locator(".st-key-branch_1")).to_contain_text("<b>Bold</b> *idea*: leaves Original at step 3")
    page.keyboard.press("Escape")
    difference = page.locator(".st-key-compare_diff")
    for parts, text in (("span, del", first), ("span, ins", second)):
        shown = difference.locator(parts).all_inner_texts()
        assert re.sub(r"\s", "", "".join(shown)) == re.sub(r"\s", "", text)
    page.locator(".st-key-branch_1").get_by_role("button", name="Step through it").click()
    expect_step(page, 3)
    expect_written(page, second)
    file = tmp_path / "run.zip"
    file.write_bytes(save(page, page.get_by_role("button", name="Save or open"), "Save all branches (.zip)"))
    page.keyboard.press("Escape")
    # The files of a chart.
    opener = page.locator("[data-testid='stVerticalBlock']", has=page.locator("> .st-key-surprise"))
    opener = opener.locator("> [data-testid='stLayoutWrapper']").get_by_role("button", name="Save").nth(-2)
    svg = save(page, opener, "SVG picture").decode()
    assert svg.startswith("<svg") and "Token of the summary" in svg and unreadable(svg) == []
    assert save(page, opener, "PNG picture").startswith(b"\x89PNG\r\n\x1a\n")
    # A link carries the branch to another browser, a file carries its name, too.
    other = open_page(app_url)
    open_decoding(other, page.url.removeprefix(app_url).removeprefix("/decoding"))
    for _ in range(2):
        expect_step(other, 3)
        expect_written(other, second)
        other.reload()
        expect(other.locator(".st-key-stepper .token").first).to_be_visible()
    other.get_by_role("button", name="Save or open").click()
    other.locator("input[type=file]").set_input_files(file)
    expect(other.locator(".st-key-opened")).to_contain_text("saved run run.zip")
    wait_for_app(other)
    other.keyboard.press("Escape")
    choose(other, "Branch", "<b>Bold</b> *idea*")
    expect_written(other, second)
    other.get_by_role("button", name="Close it").click()
    expect(other.locator(".st-key-opened")).to_have_count(0)


def test_a_beam_and_a_finished_summary_are_gone_on_from(page):
    open_decoding(page)
    first = written(page)
    view(page, "Beam tree")
    chosen = page.locator(".st-key-beam_chosen")
    for number in (60, 70, 80):  # one of them parts from the summary
        click_mark(page, "beam_picture", number)
        expect(chosen).to_contain_text("log-probability")
        words = chosen.get_by_test_id("stText").inner_text()
        if not first.startswith(words):
            break
    chosen.get_by_role("button", name="Go on from here").click()
    expect(page.locator(".st-key-stepper .token.forced").first).to_be_visible()
    expect(page).to_have_url(re.compile("branch="))
    wait_for_app(page)
    assert written(page).startswith(words.removesuffix("[EOS]").strip()) and written(page) != first
    choose(page, "Branch", "Original")
    view(page, "Beam tree")
    rows = page.locator(".st-key-endings table")
    before = rows.text_content()
    page.get_by_role("slider", name="Length penalty a of this list").press("Home")
    expect(page.get_by_text(re.compile("Only this list is sorted anew"))).to_contain_text("With a = 0 ")
    expect(page).to_have_url(re.compile("rerank=0"))
    expect(rows).not_to_have_text(before)
    wait_for_app(page)  # the table is drawn anew, and a click on the old one is lost
    box = page.get_by_test_id("stDataFrame").locator("canvas").first.bounding_box()
    ending = page.locator(".st-key-ending")
    for rank in (1, 2):  # one of them is the summary of the search
        page.mouse.click(box["x"] + 18, box["y"] + 35 * rank + 17)
        expect(ending).to_contain_text(f"Rank {rank}")
        wait_for_app(page)
        if ending.get_by_text("It is the summary of the search.").count() == 0:
            break
    click(page, "Make it a branch")
    expect(page.locator(".st-key-stepper .token.forced").first).to_be_visible()


@pytest.mark.slow
def test_unusual_and_long_dialogues_are_shown_whole_on_a_phone_in_the_dark_too(open_page, app_url):
    page = open_page(app_url, width=1280, height=900, has_touch=True, color_scheme="dark")
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_decoding(page, "?look_top_k=3")
    paste_here(page, MARKUP)
    expect_step(page, 1)
    drawn = page.locator(".st-key-looks_at svg text")
    for line in MARKUP.splitlines():
        expect(drawn.filter(has_text=re.compile(re.escape(line[:16]))).first).to_be_attached()
    assert dialogs == [] and page.locator(".stPlotlyChart img, .stPlotlyChart foreignObject").count() == 0
    paste_here(page, LONG)
    expect_step(page, 1)
    for turn in ("Yes, 1.", "Yes, 400."):
        expect(drawn.filter(has_text=turn).first).to_be_attached()
    expect(drawn.filter(has_text="Yes, 200.")).to_have_count(0)  # the middle was left out
    frame = page.locator(".st-key-looks_at_frame")
    assert frame.evaluate("node => node.scrollHeight > node.clientHeight && node.clientHeight <= 720")
    bottom, beside = page.locator(".st-key-next_token").bounding_box(), frame.bounding_box()
    assert beside["y"] + beside["height"] < bottom["y"] + bottom["height"] + 600  # no empty column beside it
    assert sideways(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert sideways(page) == []
    fork(page)
    assert sideways(page) == []
    for name in ("Branches", "Beam tree", "Compare strategies"):
        view(page, name)
        expect(page.locator(".stPlotlyChart").first).to_be_visible(timeout=60_000)
        assert sideways(page) == [], name
