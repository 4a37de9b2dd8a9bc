"""Boards of small matrices: arithmetic that adds up, worked by hand, and what a cell is made of."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from core.explain import lab_steps as steps
from core.explain.lab import attention, step
from core.explain.lab_presets import PRESETS
from core.figures.lab_board import Grid, Group, board_data, cells
from core.figures.lab_derivations import cell_derivation, short
from core.figures.wording import figures, power

REPORTS = PRESETS["reports"]
SMALL = attention(REPORTS.inputs)


def drawn(*some, chosen: str = "", **options) -> dict:
    return board_data([Group("", [Grid(each, **options) for each in some])], "board", chosen, 0)


def first(data: dict) -> dict:
    return data["groups"][0]["grids"][0]


def found(data: dict, place: str) -> dict:
    grids = [grid for group in data["groups"] for grid in group["grids"]]
    return next(cell for grid in grids for row in grid["cells"] for cell in row if cell["id"] == place)


def written(which, row=0, column=0) -> str:
    return " ".join(text for text, _ in cell_derivation(which, row, column)["terms"])


def test_numbers_are_short_keep_two_digits_and_may_be_of_any_size():
    shown = [short(each) for each in (0.5, 1, -0.195, 0.00042, 1200, -1e9, 0)]
    assert shown == ["0.5", "1", "−0.195", "0.00042", "1,200", "−10⁹", "0"]
    shown = [figures(each) for each in (0.0, -0.0, 1.5, -0.037, 0.00234, 12.5, 1e-8, -1234.5)]
    assert shown == ["0.00", "0.00", "1.50", "−0.037", "0.0023", "12.50", "about 0", "−1,234.50"]
    assert figures(0.117, 3) == "0.117" and figures(0.0042, 3) == "0.0042"
    assert [power(each) for each in (0, 2, 10, -3)] == ["1.00", "7.39", "22,026", "0.0498"]
    assert power(math.log(4.85e8)) == "(4.85 × 10⁸)" and power(2000).endswith("× 10⁸⁶⁸)")
    assert power(-20) == "(2.06 × 10⁻⁹)"


def test_sums_by_hand():
    query, key = steps.given("query", [[1, 2]]), steps.given("key", [[3, -0.5]])
    scores = steps.dot("scores", query, key)
    assert written(scores) == "1 × 3 + 2 × (−0.5) = 2"
    assert written(steps.divide("scaled", scores, 4)) == "2 ÷ √4 = 1"
    product = steps.product("p", query, steps.given("W", [[3], [1]]), steps.given("b", [-1]))
    assert written(product) == "1 × 3 + 2 × 1 + (−1) = 4"
    assert written(steps.add("sum", query, key), 0, 1) == "2 + (−0.5) = 1.5"
    assert written(steps.activate("feed", "relu", key), 0, 1) == "max (0, −0.5) = 0"
    assert written(steps.activate("feed", "gelu", steps.given("x", [1]))) == "1 × Φ(1) = 0.841"
    assert written(steps.activate("feed", "silu", steps.given("x", [-1]))) == "−1 ÷ (1 + e^1) = −0.269"
    assert written(steps.times("feed/gated", query, key), 0, 1) == "2 × (−0.5) = −1"
    assert cell_derivation(steps.add("self/biased", query, key), 0, 1)["terms"][2][1] == "bias of the distance"
    added = steps.additive("scores", query, key, steps.given("v", [[2, 1]]))
    assert written(added) == f"2 × tanh(1 + 3) + 1 × tanh(2 + (−0.5)) = {short(2 * math.tanh(4) + math.tanh(1.5))}"
    # (1, 3) with γ = 2, β = 10: mean 2, variance 1
    x, gamma, beta = (steps.given(name, values) for name, values in (("x", [1, 3]), ("g", [2, 2]), ("b", [10, 10])))
    mean, variance, normal, _, _, norm = steps.normalisation("self", x, gamma, beta, 0.0)
    assert [written(each) for each in (mean, variance, normal, norm)] == [
        "( 1 + 3 ) ÷ 2 = 2", "( (1 − 2)² + (3 − 2)² ) ÷ 2 = 1", "(1 − 2) ÷ √(1 + ε) = −1", "2 × (−1) + 10 = 8",
    ]  # fmt: skip
    # (1, 7) with γ = 2: mean of the squares 25
    square, normal, _, norm = steps.rms_normalisation("self", steps.given("x", [1, 7]), gamma, 0.0)
    assert [written(each, 0, place) for each, place in ((square, 0), (normal, 1), (norm, 1))] == [
        "( 1² + 7² ) ÷ 2 = 25", "7 ÷ √(25 + ε) = 1.4", "2 × 1.4 = 2.8",
    ]  # fmt: skip
    one = steps.given("x", [7])
    variance = steps.normalisation("self", one, one, one, 1e-6)[1]
    assert cell_derivation(variance, 0, 0)["note"].endswith("all that is left after the division is β.")
    joined = steps.join("heads", [steps.given("head1", [[1, 2]]), steps.given("head2", [[3]])])
    assert cell_derivation(joined, 0, 2)["terms"] == [["3", "head 2, column 1"]]
    assert [(part.name, places) for part, places in joined.feeds(0, 2)] == [("head2", [(0, 0)])]


def test_masks_are_said_in_words():
    masked, weights = step(SMALL, "masked"), step(SMALL, "weights")
    assert written(masked, 0, 2) == "0 → −10⁹" and "0 means blocked" in cell_derivation(masked, 0, 2)["note"]
    assert written(masked, 1, 0) == "1 → 1" and "1 means attend" in cell_derivation(masked, 1, 0)["note"]
    assert written(weights, 0, 2) == "e^(−10⁹) = 0"
    assert written(weights, 1, 0) == "e^1 ÷ Σ e^score = 2.72 ÷ 6.37 = 0.427"  # e¹ + 1 + 1 + e^½
    hidden = step(attention(PRESETS["hidden"].inputs), "weights")
    assert written(hidden, 1, 0) == "1 ÷ 3 = 0.333" and "equal shares" in cell_derivation(hidden, 1, 0)["note"]


def test_a_long_sum_adds_up_and_every_cell_ends_with_its_number():
    random = np.random.default_rng(0)
    left, right = steps.given("l", random.normal(size=(1, 40))), steps.given("r", random.normal(size=(40, 1)))
    terms = cell_derivation(steps.product("p", left, right), 0, 0)["terms"]
    assert [below for _, below in terms if "other" in below] == ["36 other products"]
    products = [text.split(" × ") for text, below in terms[:-2] if below]
    total = sum(math.prod(float(part.strip("()").replace("−", "-")) for part in parts) for parts in products)
    assert total == pytest.approx(float((left.values @ right.values)[0, 0]), abs=0.02)
    for preset in PRESETS.values():
        for scoring in ("scaled", "multiplicative", "additive"):
            for each in attention(preset.inputs, scoring):
                for row, column in np.ndindex(*each.values.shape):
                    last = cell_derivation(each, row, column)["terms"][-1][0]
                    assert last == short(float(each.values[row, column]))


def test_a_cell_names_what_it_is_made_of():
    data = drawn(step(SMALL, "query"), step(SMALL, "key"), step(SMALL, "scores"))
    made_of = found(data, "scores.2.4")["from"]
    assert made_of == [*(f"query.2.{n}" for n in range(1, 5)), *(f"key.4.{n}" for n in range(1, 5))]
    assert found(drawn(step(SMALL, "scores")), "scores.2.4")["from"] == []  # what is not drawn is not ringed
    again = drawn(steps.given("x", [[1]]), steps.given("x", [[2]]))
    assert found(again, "x~2.1.1")["text"] == "2"  # a name that repeats gets a number
    source = first(drawn(step(SMALL, "weights")))
    assert re.fullmatch(r"core/model/attention\.py:\d+", source["source"]) and "softmax" in source["code"]


def test_printed_numbers_stand_beside_ours():
    data = drawn(step(SMALL, "weights"), preset=REPORTS)
    cell = found(data, "weights.2.1")
    assert (cell["text"], cell["printed"], cell["exact"]) == (
        "0.427",
        ["0.43", True],
        "Ours: 0.43; in the original: 0.43.",
    )
    assert first(data)["agree"] == "15 of 15 as in the original"
    wrong = drawn(step(SMALL, "weights"), preset=replace(REPORTS, printed={"weights": ((0.26,) * 5,) * 3}))
    assert found(wrong, "weights.1.1")["printed"] == ["0.26", False]
    assert first(wrong)["agree"] == "1 of 15 as in the original"  # 0.2589 in the second row


def test_colours_have_their_ends():
    weights, masked = drawn(step(SMALL, "weights")), drawn(step(SMALL, "masked"))
    assert first(weights)["ends"] == ["0", "1"]
    assert found(weights, "weights.2.1")["share"] == 0.427 and found(weights, "weights.1.3")["masked"]
    assert first(masked)["ends"] == ["0", "1"]  # −10⁹ is no colour
    assert (found(masked, "masked.1.3")["text"], found(masked, "masked.1.3")["share"]) == ("−10⁹", 0)
    signed = first(drawn(steps.given("x", [[2, -4, 0]])))
    assert signed["ends"] == ["−4", "0", "4"] and [cell["share"] for cell in signed["cells"][0]] == [0.5, -1, 0]
    assert first(drawn(steps.given("x", [[0, 0]])))["ends"] == ["0"]
    minus = found(drawn(steps.given("x", [[-0.0000001, 0.12345]])), "x.1.1")
    assert minus["text"] == "0.000"  # no number is minus zero


def test_parts_of_a_large_matrix_keep_their_places():
    large = steps.given("x", np.arange(20).reshape(4, 5))
    options = {"rows": list("abcd"), "columns": list("12345"), "shown": ((2,), 3)}
    data = drawn(large, chosen="x.3.2", **options)
    assert [cell["id"] for cell in first(data)["cells"][0]] == ["x.3.1", "x.3.2", "x.3.3"]
    assert (first(data)["rows"], first(data)["columns"], first(data)["more"]) == (["c"], ["1", "2", "3"], 2)
    assert data["chosen"] == "x.3.2" and cells([Group("", [Grid(large, **options)])]) == {"x.3.1", "x.3.2", "x.3.3"}
    assert drawn(large, chosen="x.1.1", **options)["chosen"] == ""
