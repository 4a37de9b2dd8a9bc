"""One head of the Attention page in a real browser: its lines from token to token, and its matrix."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.attention import address, choose, count, facts, lines, locked, open_attention, press, rows
from tests.browser.helpers import wait_for_app

HEAD = "?see=head&layer=1&head=1"
CELL = re.compile(r"^(.+) looks at (.+)\. Layer (\d), head (\d): (under )?(0|[01]\.\d{3}), rank (\d+) of (\d+)\.$")


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def says(page: Page, text: str) -> None:
    """Wait for what the line under the lines says."""
    expect(lines(page).locator(".state")).to_contain_text(text)


def on(page: Page) -> list[str]:
    """The heads whose lines are drawn."""
    return lines(page).locator(".chip[aria-pressed='true']").all_inner_texts()


def read_out(page: Page) -> re.Match:
    """The cell that the matrix reads out."""
    line = page.locator(".st-key-head_matrix .line")
    expect(line).to_have_text(CELL)
    return CELL.match(line.inner_text())


def at(canvas: Locator, row: int, column: int) -> dict[str, float]:
    """Where a cell of the matrix stands."""
    down, across = map(int, re.search(r"(\d+) rows, (\d+) columns", canvas.get_attribute("aria-label")).groups())
    box = canvas.bounding_box()
    return {"x": (column + 0.5) * box["width"] / across, "y": (row + 0.5) * box["height"] / down}


def test_a_click_locks_extends_and_releases(page):
    open_attention(page, HEAD)
    says(page, "Nothing is locked")
    everything = count(page)
    rows(page).nth(2).click()
    says(page, "Locked: “#Person1# · 3”. Esc, a second click or a click on empty space releases it")
    assert locked(page) == [2] and 0 < count(page) < everything
    address(page, "token=3")
    rows(page).nth(5).click(modifiers=["Shift"])
    says(page, "4 in all. Esc or a click on empty space releases them")
    assert locked(page) == [2, 3, 4, 5]
    address(page, "to=6")
    assert "These 4, on average, look most at" in facts(page)
    page.keyboard.press("Escape")
    says(page, "locked")
    expect(lines(page).locator(".side.row .locked")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("token="))
    rows(page).nth(1).click()
    address(page, "token=2")
    page.get_by_role("heading", name="From token to token").click()  # empty space
    expect(lines(page).locator(".side.row .locked")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("token="))
    rows(page).nth(1).click()
    address(page, "token=2")
    rows(page).nth(1).click()
    expect(lines(page).locator(".side.row .locked")).to_have_count(0)
    page.mouse.move(5, 5)
    says(page, "Nothing is locked")
    expect(page).not_to_have_url(re.compile("token="))
    assert count(page) == everything


def test_keys_lock_and_extend(page):
    open_attention(page, HEAD)
    rows(page).first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    says(page, "Locked: “tells”")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    says(page, "3 in all")
    assert locked(page) == [1, 2, 3]
    page.keyboard.press("Shift+ArrowUp")
    says(page, "2 in all")
    assert locked(page) == [1, 2]
    address(page, "to=3")
    page.keyboard.press("Escape")
    expect(lines(page).locator(".side.row .locked")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("token="))


def test_a_preview_returns_to_the_lock(page):
    open_attention(page, HEAD)
    rows(page).nth(3).click()
    address(page, "token=4")
    page.mouse.move(5, 5)
    expect(lines(page).locator(".who")).to_have_text("“#Person2# · 4” looks most at")
    kept = facts(page)
    rows(page).nth(7).hover()
    expect(lines(page).locator(".who")).to_have_text("“stuck” looks most at")
    assert facts(page) != kept and locked(page) == [3]
    page.mouse.move(5, 5)
    expect(lines(page).locator(".who")).to_have_text("“#Person2# · 4” looks most at")
    assert facts(page) == kept
    key = lines(page).locator(".side.column .token:not(.faded)").first
    key.hover()
    expect(lines(page).locator(".facts")).to_contain_text(re.compile(r"looks at .+0\.\d{3}, rank \d+ of 197", re.S))
    page.mouse.move(5, 5)
    expect(lines(page).locator(".who")).to_have_text("“#Person2# · 4” looks most at")


def test_heads_alone_together_and_never_none(page):
    open_attention(page, "?see=head&layer=2")
    assert on(page) == ["Head 1", "Head 2", "Head 3", "Head 4"]
    together = count(page)
    page.get_by_role("button", name="Only head 3").click()
    expect(lines(page).locator(".chip[aria-pressed='true']")).to_have_count(1)
    assert on(page) == ["Head 3"]
    expect(lines(page).locator(".count")).to_have_text(re.compile(f"of {rows(page).count() * 197:,} lines"))
    assert count(page) != together
    lines(page).get_by_role("button", name="Head 3", exact=True).click()
    says(page, "The last head stays on.")
    assert on(page) == ["Head 3"]
    lines(page).get_by_role("button", name="Head 1", exact=True).click()
    expect(lines(page).locator(".chip[aria-pressed='true']")).to_have_count(2)
    lines(page).get_by_role("button", name="All", exact=True).click()
    expect(lines(page).locator(".chip[aria-pressed='true']")).to_have_count(4)
    wait_for_app(page)
    assert count(page) == together


def test_a_smaller_share_draws_fewer_lines(page):
    open_attention(page, HEAD)
    slider = lines(page).get_by_role("slider")
    found = [count(page)]
    for value, said in (("50", "50"), ("10", "10"), ("100", "100")):
        slider.fill(value)
        expect(lines(page).locator(".value")).to_have_text(f"{said}\u00a0%")
        found.append(count(page))
    assert 30 <= found[2] < found[1] < found[0]  # at least one a row
    assert found[3] < found[0]
    says(page, "lines between words are too many to tell apart. These go from word to turn")
    slider.fill("30")
    address(page, "share=30")
    assert slider.input_value() == "30"


def test_rolled_up_to_words_turns_and_speakers(page):
    open_attention(page, HEAD)
    title = page.locator(".st-key-head_matrix canvas")
    names = {}
    for unit, columns in (("Word", r"1[0-9]{2}"), ("Turn", "11"), ("Speaker", "3")):
        press(page, "by", unit)
        expect(title).to_have_attribute("aria-label", re.compile(rf"\d+ rows, {columns} columns"))
        names[unit] = lines(page).locator(".side.column .token").all_inner_texts()
        assert 0 < count(page)
    assert "suitcase" in names["Word"] and "suitcase" not in names["Turn"]
    assert names["Turn"][:2] == ["turn 1", "turn 2"] and len(names["Turn"]) == 11
    assert {"#Person1#", "#Person2#"} < set(names["Speaker"])
    rows(page).nth(1).click()
    address(page, "token=2")
    press(page, "by", "Turn")
    assert locked(page) == [1]


def test_the_matrix_reads_a_cell_and_picks_its_row(page):
    open_attention(page, HEAD)
    canvas = page.locator(".st-key-head_matrix canvas")
    canvas.scroll_into_view_if_needed()
    canvas.click(position=at(canvas, 4, 20))
    address(page, "token=5")
    assert locked(page) == [4]
    query, key, layer, head, _, _, rank, of = read_out(page).groups()
    assert (query, layer, head, of) == ("“'s”", "1", "1", "197") and 1 <= int(rank) <= 197 and key
    expect(page.locator(".st-key-head_matrix .tip")).to_contain_text(f"{query} looks at {key}")
    choose(page, "head", "4")
    address(page, "head=4")
    canvas.focus()
    for name in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(name)
    assert read_out(page).group(1, 3, 4) == ("“suitcase”", "1", "4")
    page.keyboard.press("Enter")
    address(page, "token=6")
    expect(lines(page).locator(".side.row .locked")).to_have_text(["suitcase"])
    first = read_out(page)[2]
    page.keyboard.press("End")
    assert read_out(page)[2] != first
    page.get_by_role("button", name="Each row's maximum").click()
    expect(page.locator(".st-key-head_matrix .legend")).to_contain_text("rows cannot be compared by shade")


def test_matrix_and_lines_say_the_same(page):
    open_attention(page, HEAD + "&token=3")
    expect(lines(page).locator(".who")).to_have_text("“#Person1# · 3” looks most at")
    name, value = re.search(r"Head 1\s*(.+?) (0\.\d{3}) ·", facts(page)).groups()
    key = lines(page).locator(f".side.column .token[aria-label='{name}']")
    key.hover()
    expect(lines(page).locator(".facts")).to_contain_text(f"{value}, rank 1 of 197")
    place = int(key.get_attribute("data-index"))
    canvas = page.locator(".st-key-head_matrix canvas")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position=at(canvas, 2, place))
    assert read_out(page).group(1, 2, 6, 7) == ("“#Person1# · 3”", name, value, "1")


def test_what_is_masked_is_hatched_and_said(page):
    open_attention(page, "?see=head&kind=decoder&layer=1&head=1")
    canvas = page.locator(".st-key-head_matrix canvas")
    expect(page.locator(".st-key-head_matrix .legend")).to_contain_text("masked: not written yet")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position=at(canvas, 3, 9))
    expect(page.locator(".st-key-head_matrix .line")).to_contain_text("Masked: it is not written yet.")
    canvas.hover(position=at(canvas, 9, 3))
    assert read_out(page)[8] == "10"


def test_sinks_left_out(page):
    open_attention(page, HEAD + "&token=3")
    before = lines(page).locator(".facts").text_content()
    press(page, "sinks", "Left out")
    address(page, "sinks=without")
    expect(lines(page).locator(".facts")).not_to_have_text(before)
    canvas = page.locator(".st-key-head_matrix canvas")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position=at(canvas, 2, 0))  # a speaker tag
    found = read_out(page)
    assert found[2].startswith("“#Person1#") and found[6] == "0"
    press(page, "sinks", "Shown")
    expect(lines(page).locator(".facts")).to_have_text(before)
