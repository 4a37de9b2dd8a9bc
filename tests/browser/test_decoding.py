"""The Decoding page in a real browser: walks through its steps, its views, its links and its files."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import (
    click_mark,
    expect_step,
    expect_written,
    open_decoding,
    paste_here,
    saved,
    sideways,
    unfold,
    view,
    wait_for_app,
    written,
)
from tests.components.svg import unreadable

MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>"
LONG = "\n".join(f"{('Mira', 'Tom')[turn % 2]}: Yes, {turn + 1}." for turn in range(400))


def fork(page: Page) -> None:
    """Press Fork beside the best token but the written one."""
    before = page.url
    page.locator(".st-key-next_token tbody button").first.click()
    expect(page).not_to_have_url(before)
    wait_for_app(page)


def choose(page: Page, label: str, option: str) -> None:
    box = page.get_by_role("combobox", name=label)
    box.scroll_into_view_if_needed()
    wait_for_app(page)
    box.click()
    page.get_by_role("option", name=option, exact=True).click()
    wait_for_app(page)


def test_steps_are_walked_and_looked_at(page: Page) -> None:
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
    for tap in range(40):  # a lecture walks faster than the page can follow
        page.keyboard.press("ArrowRight" if tap < 20 else "ArrowLeft")
        page.wait_for_timeout(50 + 37 * tap % 60)
    page.keyboard.press("Home")
    expect_step(page, 1)
    expect(page.get_by_text("Connection error")).to_have_count(0)
    unfold(page, "How sure the model is")
    for _ in range(2):  # the same bar again
        click_mark(page, "surprise", 8)
        expect_step(page, 9)
        page.locator(".st-key-stepper").get_by_role("button", name="Forward", exact=True).click()
        expect_step(page, 10)
    wait_for_app(page)  # the bars of another step may be more
    unfold(page, "One turn, token by token")
    heading = page.locator(".st-key-opened_turn strong")
    most = heading.inner_text()
    bars = page.locator(".st-key-looks_at .js-plotly-plot .points path").evaluate_all(
        "bars => bars.map(bar => bar.getBoundingClientRect().width)"
    )
    for place in sorted(range(len(bars)), key=lambda place: -bars[place]):
        click_mark(page, "looks_at", place)  # the widest may be the opened one, or that of no turn
        if heading.inner_text() != most:
            break
    other = heading.inner_text()
    assert other != most
    expect(page).to_have_url(re.compile(f"turn={re.findall(r'[0-9]+', other)[0]}"))
    page.get_by_role("slider", name="Step", exact=True).fill("6")
    expect_step(page, 6)
    expect(heading).to_have_text(other)


def test_branches_are_named_and_survive_back_links_and_files(page: Page, tmp_path: Path) -> None:
    open_decoding(page, "?step=3")
    first = written(page)
    fork(page)
    second = written(page)
    page.keyboard.press("ArrowRight")
    expect_step(page, 4)
    page.go_back()
    expect_step(page, 3)
    view(page, "Branches")
    branch = page.locator(".st-key-branch_1")
    branch.get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name")
    name.fill("<b>Bold</b> *idea*")
    name.press("Enter")
    expect(branch).to_contain_text("<b>Bold</b> *idea*: leaves Original at step 3")
    page.keyboard.press("Escape")
    difference = page.locator(".st-key-compare_diff")
    for parts, text in (("span, del", first), ("span, ins", second)):
        shown = difference.locator(parts).all_inner_texts()
        assert re.sub(r"\s", "", "".join(shown)) == re.sub(r"\s", "", text)
    branch.get_by_role("button", name="Step through it").click()
    expect_step(page, 3)
    expect_written(page, second)
    page.get_by_role("button", name="Save or open").click()
    file = tmp_path / "run.zip"
    file.write_bytes(saved(page, "Save all branches (.zip)")[1])
    page.keyboard.press("Escape")
    # The files of a chart.
    unfold(page, "How sure the model is")
    page.locator("details", has=page.locator(".st-key-surprise")).get_by_role("button", name="Save").click()
    svg = saved(page, "SVG picture")[1].decode()
    assert svg.startswith("<svg") and "Token of the summary" in svg and unreadable(svg) == []
    page.keyboard.press("Escape")
    # The address carries the branch, a file carries its name, too.
    page.reload()
    expect_step(page, 3)
    expect_written(page, second)
    page.get_by_role("button", name="Save or open").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".st-key-opened")).to_contain_text("saved run run.zip")
    wait_for_app(page)
    page.keyboard.press("Escape")
    choose(page, "Branch", "<b>Bold</b> *idea*")
    expect_written(page, second)
    page.get_by_role("button", name="Close it").click()
    expect(page.locator(".st-key-opened")).to_have_count(0)


@pytest.mark.slow
def test_unusual_and_long_dialogues_are_shown_whole_on_a_phone_in_the_dark_too(open_page, app_url: str) -> None:
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
    for name, key in (("Branches", "branch_tree"), ("Beam tree", "beam_picture"), ("Compare strategies", "strategies")):
        view(page, name)
        expect(page.locator(f".st-key-{key}")).to_be_visible()
        wait_for_app(page)
        assert sideways(page) == [], name
