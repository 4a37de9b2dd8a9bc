"""What only one component of the Attention page or lab does; what all do is in `test_all` and `test_reading`."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from core.config import END
from core.figures.attention.weights import Weights, labels
from core.trace import Token
from pages.parts.attention.attention_matrix import matrix_data
from pages.parts.attention.head_grid import FULL, POOLED, grid_data
from pages.parts.attention.head_view import view_data
from tests.components.conftest import PHONE
from tests.components.samples import random, source_tokens, target_tokens, weights

KEYS, QUERIES = len(source_tokens()), len(target_tokens())
CELL = re.compile(r"^(.+) looks at (.+)\. Layer 1, head 2: (under )?(0|[01]\.\d{3}), rank (\d+) of (\d+)\.$")


@pytest.fixture
def lines(stage):
    """Four heads of a layer, all on."""
    return stage("attention/head_view")


def rows(lines):
    return lines.find(".side.row .token")


def locked(lines):
    chosen = lines.drawn().find(".side.row .locked")
    return chosen.evaluate_all("nodes => nodes.map(node => Number(node.dataset.index))")


def count(lines):
    return int(lines.drawn().find(".count").inner_text().split(" of ")[0].replace(",", ""))


def on(lines):
    return lines.drawn().find(".chip[aria-pressed='true']").all_inner_texts()


def hover(matrix, row, column, columns=KEYS):
    """Point at a cell of the matrix; return the line that reads it."""
    canvas = matrix.find("canvas")
    box = canvas.bounding_box()
    canvas.hover(position={"x": (column + 0.5) * box["width"] / columns, "y": (row + 0.5) * box["height"] / QUERIES})
    return matrix.find("p.line")


def test_the_tokens_of_a_prefix_flow_in_a_line(stage):
    prefix = [Token(text, 50, 0, 0, None, None, 0) for text in ("summar", "ize", ":")]
    columns = labels([*prefix, *source_tokens(), Token("</s>", END, 0, 0, None, None, 0)], "token")
    found = Weights("cross", "layer 1", random(4, QUERIES, len(columns)), labels(target_tokens(), "token"), columns)
    drawn = stage("attention/head_view", view_data(found, range(4), on=None, share=0.5, locked=None, version=0))
    drawn.page.set_viewport_size(PHONE)
    tokens = drawn.find(".side.flow .token")
    tops = tokens.evaluate_all("nodes => nodes.map((node) => node.getBoundingClientRect().top)")
    assert tops[0] == tops[1] == tops[2] < tops[3] and tops[-2] < tops[-1]


def test_shift_extends_a_lock_by_pointer_and_keys(lines):
    everything = count(lines)
    rows(lines).nth(2).click()
    assert locked(lines) == [2] and 0 < count(lines) < everything
    rows(lines).nth(5).click(modifiers=["Shift"])
    expect(lines.find(".state")).to_contain_text("4 in all. Esc or a click on empty space releases them")
    assert locked(lines) == [2, 3, 4, 5]
    assert "These 4, on average, look most at" in lines.find(".facts").inner_text()
    lines.page.wait_for_function("() => window.sent.length && window.sent.at(-1)[1].locked[1] === 5")
    lines.press("Escape")
    assert locked(lines) == []
    rows(lines).first.focus()
    lines.press("ArrowDown", "Enter", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowUp")
    assert locked(lines) == [1, 2]


def test_heads_stand_alone_or_together_and_a_smaller_share_draws_fewer_lines(lines):
    together = count(lines)
    lines.page.get_by_role("button", name="Only head 3").click()
    assert on(lines) == ["Head 3"] and count(lines) < together
    lines.find(".chip").nth(2).click()
    expect(lines.find(".state")).to_contain_text("The last head stays on.")
    assert on(lines) == ["Head 3"]
    lines.find(".all").click()
    assert on(lines) == ["Head 1", "Head 2", "Head 3", "Head 4"] and count(lines) == together
    found = []
    for value in ("100", "50", "10"):
        lines.find("input[type='range']").fill(value)
        expect(lines.find(".value")).to_have_text(f"{value}\u00a0%")
        found.append(count(lines))
    assert found[0] > found[1] > found[2] >= QUERIES  # at least one a row
    lines.page.wait_for_function("() => window.sent.at(-1)?.[1].share === 0.1")  # the last of several messages
    assert lines.sent()[-1][1] == {"locked": None, "heads": [0, 1, 2, 3], "share": 0.1, "version": 0}


def test_a_key_tells_its_weight_and_the_matrix_says_the_same(stage, lines):
    one = weights()
    alone = Weights(one.kind, "layer 1", one.values[None], one.rows, one.columns)
    lines.draw(view_data(alone, [1], on=1, share=0.5, locked=(3, 3), version=1))
    best = int(one.values[3].argmax())
    key = lines.find(f".side.column .token[data-index='{best}']")
    key.hover()
    expect(lines.find(".facts")).to_contain_text(f"{one.values[3, best]:.3f}, rank 1 of {KEYS}")
    name = key.get_attribute("aria-label")
    line = hover(stage("attention/attention_matrix", matrix_data(one, None)), 3, best)
    expect(line).to_have_text(CELL)
    found = CELL.match(line.inner_text())
    assert found.group(2, 4, 5, 6) == (name, f"{one.values[3, best]:.3f}", "1", str(KEYS))


def test_the_matrix_is_read_by_keys_and_picks_a_row(stage):
    matrix = stage("attention/attention_matrix")
    line = matrix.find("p.line")
    expect(line).to_contain_text("Picked: row 3, “her”")
    hover(matrix, 4, 10)
    matrix.page.mouse.down()
    matrix.page.mouse.up()
    assert matrix.sent() == [["row", 4]]
    expect(matrix.find(".tip")).to_contain_text(" looks at ")
    matrix.find("canvas").focus()
    matrix.press("ArrowDown", "ArrowRight", "End")
    expect(line).to_contain_text(target_tokens()[5].text.strip())
    matrix.press("Enter")
    assert matrix.sent()[-1] == ["row", 5]
    matrix.press("Escape")
    expect(line).to_contain_text("Picked: row 6, ")
    matrix.page.get_by_role("button", name="Each row's maximum").click()
    expect(matrix.find(".legend")).to_contain_text("rows cannot be compared by shade")


def test_what_is_masked_is_said(stage):
    one = weights()
    causal = Weights("decoder", "layer 1, head 2", random(QUERIES, QUERIES), one.rows, one.rows, True)
    matrix = stage("attention/attention_matrix", matrix_data(causal, None))
    expect(matrix.find(".legend")).to_contain_text("masked: not written yet")
    expect(hover(matrix, 3, 9, QUERIES)).to_contain_text("Masked: it is not written yet.")
    expect(hover(matrix, 9, 3, QUERIES)).to_contain_text("of 10.")


def test_a_head_of_the_grid_is_opened_by_pointer_and_keys(stage):
    grid = stage("attention/head_grid", grid_data("cross", random(2, 3, 5, 7), 0, None, {(1, 1): "copy · 1st"}))
    expect(grid.find(".tile")).to_have_count(6)
    expect(grid.find(".tile").nth(4)).to_contain_text("copy · 1st")
    grid.find(".tile").nth(5).click()
    grid.find(".tile").first.focus()
    grid.press("ArrowRight", "ArrowDown", "Enter", "ArrowUp", "End", "Enter")
    heads = [tuple(value.values()) for _, value in grid.sent()]
    assert heads == [(1, 2), (1, 1), (0, 2)] and {name for name, _ in grid.sent()} == {"open"}
    # Sixteen heads stand beside each other: nothing has to be scrolled; each gets fewer points.
    data = grid_data("cross", random(12, 16, 90, 300), 11, 4)
    grid = stage("attention/head_grid", data)
    assert np.prod(data["shape"]) <= FULL * np.prod(POOLED)
    assert grid.find(".box").evaluate("box => box.scrollWidth <= box.clientWidth")
    expect(grid.find(".tile").nth(16 * 11 + 4)).to_have_accessible_name("Layer 12, Head 5")


def test_a_cell_of_the_lab_shows_its_arithmetic_and_rings_what_it_is_made_of(stage):
    board = stage("attention_lab/matrix_board")
    board.find(".cell[data-cell='scores.2.5']").hover()
    expect(board.find(".panel")).to_contain_text("1 × 1")
    assert board.find(".cell.from").count() == 8  # a row of Q and a row of K
    board.find(".cell[data-cell='output.1.1']").focus()
    board.press("ArrowDown", "ArrowRight", "Enter")
    board.page.wait_for_function("() => window.sent.length && window.sent.at(-1)[1].cell === 'output.2.2'")


def test_a_thousand_lines_are_the_most_that_are_drawn(stage):
    one = weights(8)
    even = Weights("cross", "layer 1", np.full_like(one.values, 1 / KEYS), one.rows, one.columns)
    drawn = stage("attention/head_view", view_data(even, range(8), on=None, share=1.0, locked=None, version=0))
    assert 0 < count(drawn) <= 1500
