"""Boards of small matrices: arithmetic that adds up, worked by hand, and what a cell is made of."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from core.explain.attention_lab import steps
from core.explain.attention_lab.lab import attention, step
from core.explain.attention_lab.presets import PRESETS
from core.figures.attention_lab.board import Grid, Group, board_data, cells
from core.figures.attention_lab.derivations import cell_derivation, short
from core.figures.shared.wording import figures, power
from tests.figures.drawing import drawn

REPORTS = PRESETS["reports"]
SMALL = attention(REPORTS.inputs)


def board(*some, chosen: str = "", **options) -> dict:
    return board_data([Group("", [Grid(each, **options) for each in some])], "board", chosen, 0)


def first(data: dict) -> dict:
    return data["groups"][0]["grids"][0]


def found(data: dict, place: str) -> dict:
    grids = [grid for group in data["groups"] for grid in group["grids"]]
    return next(cell for grid in grids for row in grid["cells"] for cell in row if cell["id"] == place)


def shown(*boards: dict) -> str:
    """Return the matrices of boards with their labels, ends of colours, and cells."""
    grids = [grid for data in boards for grid in data["groups"][0]["grids"]]
    cells = [cell for grid in grids for row in grid["cells"] for cell in row]
    of_cells = {name: [cell.get(name) for cell in cells] for name in "id text share masked printed exact".split()}
    return drawn({name: [grid[name] for grid in grids] for name in "rows columns more ends agree".split()}, of_cells)


def written(which, row=0, column=0) -> str:
    return " ".join(text for text, _ in cell_derivation(which, row, column)["terms"])


def test_numbers_are_short_keep_two_digits_and_may_be_of_any_size(snapshot):
    assert snapshot == drawn(
        [short(each) for each in (0.5, 1, -0.195, 0.00042, 1200, -1e9, 0)],
        [figures(each) for each in (0.0, -0.0, 1.5, -0.037, 0.00234, 12.5, 1e-8, -1234.5)],
        [figures(0.117, 3), figures(0.0042, 3)],
        [power(each) for each in (0, 2, 10, -3, math.log(4.85e8), 2000, -20)],
    )


def test_sums_by_hand(snapshot):
    query, key, x = (
        steps.given(name, values) for name, values in (("query", [[1, 2]]), ("key", [[3, -0.5]]), ("x", [1]))
    )
    scores, minus = steps.dot("scores", query, key), steps.given("x", [-1])
    product = steps.product("p", query, steps.given("W", [[3], [1]]), steps.given("b", [-1]))
    added = steps.additive("scores", query, key, steps.given("v", [[2, 1]]))  # 2 tanh 4 + tanh 1.5 = 2.904
    firsts = [scores, steps.divide("scaled", scores, 4), product, steps.activate("feed", "gelu", x),
              steps.activate("feed", "silu", minus), added]  # fmt: skip
    seconds = [steps.add("sum", query, key), steps.activate("feed", "relu", key), steps.times("feed/gated", query, key)]
    assert drawn(*map(written, firsts), *(written(each, 0, 1) for each in seconds)) == snapshot
    assert cell_derivation(steps.add("self/biased", query, key), 0, 1)["terms"][2][1] == "bias of the distance"
    joined = steps.join("heads", [steps.given("head1", [[1, 2]]), steps.given("head2", [[3]])])
    assert cell_derivation(joined, 0, 2)["terms"] == [["3", "head 2, column 1"]]
    assert [(part.name, places) for part, places in joined.feeds(0, 2)] == [("head2", [(0, 0)])]


def test_norms_by_hand(snapshot):
    # (1, 3) with γ = 2, β = 10: mean 2, variance 1; (1, 7) with γ = 2: mean of the squares 25.
    x, gamma, beta = (steps.given(name, values) for name, values in (("x", [1, 3]), ("g", [2, 2]), ("b", [10, 10])))
    mean, variance, normal, _, _, norm = steps.normalisation("self", x, gamma, beta, 0.0)
    square, rms_normal, _, rms = steps.rms_normalisation("self", steps.given("x", [1, 7]), gamma, 0.0)
    one = steps.given("x", [7])
    alone = steps.normalisation("self", one, one, one, 1e-6)[1]
    sums = [written(each) for each in (mean, variance, normal, norm, square)]
    sums += [written(each, 0, 1) for each in (rms_normal, rms)]
    assert drawn(*sums, cell_derivation(alone, 0, 0)["note"]) == snapshot


def test_masks_are_said_in_words(snapshot):
    hidden = step(attention(PRESETS["hidden"].inputs), "weights")
    places = [("masked", 0, 2), ("masked", 1, 0), ("weights", 0, 2), ("weights", 1, 0)]
    cells = [(step(SMALL, name), row, column) for name, row, column in places] + [(hidden, 1, 0)]
    # The last but one: e¹ + 1 + 1 + e^½ = 6.37.
    assert drawn(*(f"{written(*cell)}\n{cell_derivation(*cell).get('note')}" for cell in cells)) == snapshot


def test_a_long_sum_adds_up_and_every_cell_ends_with_its_number():
    random = np.random.default_rng(0)
    left, right = steps.given("l", random.normal(size=(1, 40))), steps.given("r", random.normal(size=(40, 1)))
    terms = cell_derivation(steps.product("p", left, right), 0, 0)["terms"]
    assert [below for _, below in terms if "other" in below] == ["36 other products"]
    products = [text.split(" × ") for text, below in terms[:-2] if below]
    total = sum(math.prod(float(part.strip("()").replace("−", "-")) for part in parts) for parts in products)
    # Forty terms are written with three digits each.
    assert total == pytest.approx(float((left.values @ right.values)[0, 0]), abs=0.02)
    for preset in PRESETS.values():
        for scoring in ("scaled", "multiplicative", "additive"):
            for each in attention(preset.inputs, scoring):
                for row, column in np.ndindex(*each.values.shape):
                    last = cell_derivation(each, row, column)["terms"][-1][0]
                    assert last == short(float(each.values[row, column]))


def test_a_cell_names_what_it_is_made_of():
    data = board(step(SMALL, "query"), step(SMALL, "key"), step(SMALL, "scores"))
    made_of = found(data, "scores.2.4")["from"]
    assert made_of == [*(f"query.2.{n}" for n in range(1, 5)), *(f"key.4.{n}" for n in range(1, 5))]
    assert found(board(step(SMALL, "scores")), "scores.2.4")["from"] == []  # what is not drawn is not ringed
    again = board(steps.given("x", [[1]]), steps.given("x", [[2]]))
    assert found(again, "x~2.1.1")["text"] == "2"  # a name that repeats gets a number
    source = first(board(step(SMALL, "weights")))
    assert re.fullmatch(r"core/model/attention\.py:\d+", source["source"]) and "softmax" in source["code"]


def test_printed_numbers_stand_beside_ours(snapshot):
    wrong = replace(REPORTS, printed={"weights": ((0.26,) * 5,) * 3})  # of ours, one is 0.2589
    assert shown(*(board(step(SMALL, "weights"), preset=preset) for preset in (REPORTS, wrong))) == snapshot


def test_colours_have_their_ends(snapshot):
    # −10⁹ is no colour, and no number is minus zero.
    made = [steps.given("x", [values]) for values in ([2, -4, 0], [0, 0], [-0.0000001, 0.12345])]
    assert shown(*map(board, (step(SMALL, "weights"), step(SMALL, "masked"), *made))) == snapshot


def test_a_number_has_one_colour_in_all_matrices_but_the_weights(snapshot):
    assert shown(board(steps.given("x", [[1, -4]]), steps.given("x", [[1]]), step(SMALL, "weights"))) == snapshot


def test_parts_of_a_large_matrix_keep_their_places(snapshot):
    large = steps.given("x", np.arange(20).reshape(4, 5))
    options = {"rows": list("abcd"), "columns": list("12345"), "shown": ((2,), 3)}
    data = board(large, chosen="x.3.2", **options)
    assert shown(data) == snapshot
    assert data["chosen"] == "x.3.2" and cells([Group("", [Grid(large, **options)])]) == {"x.3.1", "x.3.2", "x.3.3"}
    assert board(large, chosen="x.1.1", **options)["chosen"] == ""
