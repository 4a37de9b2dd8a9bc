"""Attention on small matrices: worked by hand, equal to the model's own functions, and what it refuses."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain.lab import Inputs, Parameters, attention, default_parameters, scale_effect, step
from core.explain.lab_presets import PRESETS, agrees
from core.explain.lab_steps import BLOCKED
from core.model import attention as model
from core.model.attention import scaled_dot_product_attention

EXAMPLES = Path(__file__).resolve().parent.parent / "data" / "worked_examples.json"


def made(query, key, value, mask=((1,),), attend=1) -> Inputs:
    return Inputs(*(np.array(each, dtype=float) for each in (query, key, value, mask)), attend)


SMALL = made([[2, 0]], [[1, 5], [0, 5]], [[10], [20]])
"""Scores 2 and 0; divided by √2: 1.414 and 0; weights e^1.414 ÷ (e^1.414 + 1) = 0.804 and 0.196."""


@pytest.fixture(scope="module")
def worked() -> dict:
    return json.loads(EXAMPLES.read_text(encoding="utf-8"))


def test_scores_by_hand(subtests):
    # Every step by hand.
    steps = attention(SMALL)
    assert [each.name for each in steps] == [
        "query", "key", "scores", "scaled", "mask", "masked", "weights", "value", "output"
    ]  # fmt: skip
    assert step(steps, "scores").values.tolist() == [[2, 0]]
    assert step(steps, "scaled").values[0] == pytest.approx([math.sqrt(2), 0])
    first = math.exp(math.sqrt(2)) / (math.exp(math.sqrt(2)) + 1)
    assert step(steps, "weights").values[0] == pytest.approx([first, 1 - first])
    assert step(steps, "output").values[0, 0] == pytest.approx(10 * first + 20 * (1 - first))
    # Other scores by hand. s = (1, 2), h = (3, 0.5) and (1, 0.5); W = diag(3, 1); W₁ = W₂ = 1; v = (2, −1).
    for scoring, scores in [
        ("dot", [4.0, 2.0]),
        ("multiplicative", [1 * 3 * 3 + 2 * 1 * 0.5, 1 * 3 * 1 + 2 * 1 * 0.5]),
        ("additive", [2 * math.tanh(3 + 1) - math.tanh(0.5 + 2), 2 * math.tanh(1 + 1) - math.tanh(0.5 + 2)]),
    ]:
        inputs = made([[1, 2]], [[3, 0.5], [1, 0.5]], [[1], [0]])
        parameters = Parameters(np.diag([3.0, 1.0]), np.eye(2), np.eye(2), np.array([[2.0, -1.0]]))
        steps = attention(inputs, scoring, parameters)
        assert step(steps, "scores").values[0] == pytest.approx(scores), scoring
        powers = np.exp(scores)
        assert step(steps, "weights").values[0] == pytest.approx(powers / powers.sum()), scoring
        with subtests.test(scoring=scoring), pytest.raises(KeyError):
            step(steps, "scaled")
    # The default w leaves the dot product.
    inputs = PRESETS["slides"].inputs
    ours = [step(attention(inputs, scoring), "weights").values for scoring in ("dot", "multiplicative")]
    np.testing.assert_allclose(*ours)
    # Width one and length one.
    steps = attention(PRESETS["one"].inputs)
    assert [step(steps, name).values.item() for name in ("scores", "scaled", "weights", "output")] == [1, 1, 1, 3]
    # A mask broadcasts.
    steps = attention(made([[1], [2]], [[1], [2], [3]], np.eye(3), [[1, 0, 1]]))
    assert (step(steps, "masked").values[:, 1] == BLOCKED).all() and (step(steps, "weights").values[:, 1] == 0).all()


def test_steps_equal_the_model():
    for attend in [0, 1]:
        random = np.random.default_rng(5)
        query, key, value = (random.normal(size=size) for size in ((3, 5), (4, 5), (4, 2)))
        keep = np.array([[1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0]])
        inputs = made(query, key, value, keep if attend else 1 - keep, attend)
        output, weights = scaled_dot_product_attention(*(each.astype("float32") for each in (query, key, value)), keep)
        steps = attention(inputs)
        np.testing.assert_allclose(step(steps, "weights").values, weights, atol=1e-6)
        np.testing.assert_allclose(step(steps, "output").values, output, atol=1e-5)
        assert (step(steps, "weights").values[2] == 0.25).all(), attend  # a row that is all masked: equal shares
        assert BLOCKED == model.BLOCKED, attend


def test_our_numbers_are_the_printed_ones(worked):
    # Presets hold what was printed.
    for preset, example, names in [
        ("reports", "masked_attention", {"weights": "printed_weights", "output": "printed_output"}),
        (
            "slides",
            "self_attention_5x4",
            {"scaled": "printed_scores_scaled", "weights": "printed_weights", "output": "printed_output"},
        ),
    ]:
        found, known = PRESETS[preset], worked[example]
        assert set(found.printed) == set(names), preset
        for name, printed in names.items():
            assert [list(row) for row in found.printed[name]] == known[printed], preset
        for letter, name in zip("qkv", ("query", "key", "value"), strict=True):
            np.testing.assert_array_equal(getattr(found.inputs, name), known.get(letter, known.get("x")))
        np.testing.assert_array_equal(found.inputs.keep, known.get("keep_mask", np.ones((5, 5))))
    # The masked softmax of the slides.
    example, found = worked["masked_softmax"], PRESETS["masked"]
    steps = attention(found.inputs, found.scoring)
    for row, scores in enumerate(example["scores_lower_triangle"]):
        assert step(steps, "scores").values[row, : row + 1].tolist() == scores
        assert step(steps, "weights").values[row, : row + 1] == pytest.approx(example["softmax"][row], abs=1e-6)
        assert (step(steps, "weights").values[row, row + 1 :] == 0).all()
    printed = [[each for each in row if each is not None] for row in found.printed["weights"]]
    assert printed == [*example["printed_rows"].values(), [], []]
    for name in ["reports", "slides", "masked"]:
        preset = PRESETS[name]
        steps = attention(preset.inputs, preset.scoring)
        for which, rows in preset.printed.items():
            values = step(steps, which).values
            for (row, column), ours in np.ndenumerate(values):
                if rows[row][column] is not None:
                    assert agrees(ours, rows[row][column], preset.decimals), name
    # Agreement is to the printed digits.
    assert agrees(0.427, 0.43, 2) and not agrees(0.4249, 0.43, 2) and not agrees(0.4351, 0.43, 2)
    assert agrees(0.198704029, 0.19870403, 8) and not agrees(0.19870393, 0.19870403, 8)


def test_what_does_not_fit_is_refused(subtests):
    for inputs, message in [
        (made(np.ones((3, 4)), np.ones((5, 3)), np.ones((5, 2))), r"width. Received: query \(3, 4\), key \(5, 3\)"),
        (made(np.ones((3, 4)), np.ones((5, 4)), np.ones((4, 2))), r"length. Received: key \(5, 4\), value \(4, 2\)"),
        (
            made(np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2)), np.ones((3, 4))),
            r"here \(3, 5\). Received: mask \(3, 4\), query \(3, 4\), key \(5, 4\)",
        ),
        (made([[1, math.nan]], [[1, 1]], [[1]]), "Received: an empty cell in query, row 1, column 2"),
        (made([[1]], [[1], [2000]], [[1], [1]]), "Received: 2000 in key, row 2, column 1"),
        (made([[1]], [[1]], [[1]], [[0.5]]), "a mask holds 0 and 1 only. Received: 0.5"),
    ]:
        with subtests.test(inputs=inputs), pytest.raises(SettingsError, match=message):
            attention(inputs)
    # Learnt scores allow different widths and name what does not fit.
    inputs = made(np.ones((3, 4)), np.ones((5, 3)), np.ones((5, 2)))
    for scoring in ("multiplicative", "additive"):
        assert step(attention(inputs, scoring), "weights").values.shape == (3, 5)
    wrong = default_parameters(4, 4)
    with pytest.raises(SettingsError, match=r"W must have the shape \(4, 3\) here. Received: W \(4, 4\), query"):
        attention(inputs, "multiplicative", wrong)
    with pytest.raises(SettingsError, match=r"W₁ must have the shape \(2, 3\) here. Received: W₁ \(2, 4\).*v \(1, 2\)"):
        attention(inputs, "additive", wrong)
    with pytest.raises(SettingsError, match="scoring must be one of scaled, dot, multiplicative, additive"):
        attention(inputs, "cosine")


def test_cells_know_what_they_are_made_of():
    steps = attention(SMALL)
    made_of = step(steps, "scores").feeds(0, 1)
    assert [(part.name, places) for part, places in made_of] == [("query", [(0, 0), (0, 1)]), ("key", [(1, 0), (1, 1)])]
    made_of = step(steps, "output").feeds(0, 0)
    assert [(part.name, places) for part, places in made_of] == [
        ("weights", [(0, 0), (0, 1)]), ("value", [(0, 0), (1, 0)])
    ]  # fmt: skip


def test_the_division_keeps_the_softmax_soft():
    effect = scale_effect(16, 0)
    assert effect.variance == pytest.approx(effect.widths, rel=0.35)
    with_scale, without = effect.largest
    assert with_scale.max() - with_scale.min() < 0.08 and without[-1] > 0.9 and (np.diff(without) > 0).all()
    assert effect.entropy[0].min() > 2.2 and effect.entropy[1][-1] < 0.2
    assert effect.largest[0][0] == effect.largest[1][0]  # √1 = 1
    assert scale_effect(16, 0).largest.tolist() == effect.largest.tolist() != scale_effect(16, 1).largest.tolist()
    # One key has everything and no key is refused.
    effect = scale_effect(1, 0, draws=5, widths=(1, 8))
    assert effect.largest.tolist() == [[1, 1], [1, 1]] and effect.entropy.tolist() == [[0, 0], [0, 0]]
    with pytest.raises(SettingsError, match="Received: keys=0"):
        scale_effect(0, 0)
