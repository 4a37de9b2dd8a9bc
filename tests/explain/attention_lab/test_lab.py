"""Attention on small matrices: worked by hand, equal to the model's own functions, and what it refuses."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain.attention_lab.lab import Inputs, Parameters, attention, default_parameters, scale_effect, step
from core.explain.attention_lab.presets import PRESETS, agrees
from core.explain.attention_lab.steps import BLOCKED
from core.model import attention as model
from core.model.attention import scaled_dot_product_attention
from tests import closeness
from tests.closeness import near
from tests.refusals import refusals, refused

WORKED = json.loads((Path(__file__).resolve().parents[2] / "data" / "worked_examples.json").read_text("utf-8"))


def made(query, key, value, mask=((1,),), attend=1) -> Inputs:
    return Inputs(*(np.array(each, dtype=float) for each in (query, key, value, mask)), attend)


def ones(*shapes: tuple[int, int]) -> Inputs:
    return made(*map(np.ones, shapes))


def weights(inputs: Inputs, scoring: str = "scaled", *parameters: Parameters) -> np.ndarray:
    return step(attention(inputs, scoring, *parameters), "weights").values


def test_every_step_by_hand():
    """Scores 2 and 0; divided by √2: 1.414 and 0; weights e^1.414 ÷ (e^1.414 + 1) = 0.804 and 0.196."""
    steps = attention(made([[2, 0]], [[1, 5], [0, 5]], [[10], [20]]))
    first = math.exp(math.sqrt(2)) / (math.exp(math.sqrt(2)) + 1)
    assert [each.name for each in steps] == "query key scores scaled mask masked weights value output".split()
    values = {"scores": [2, 0], "scaled": [math.sqrt(2), 0], "weights": [first, 1 - first]}
    for name, expected in (values | {"output": [10 * first + 20 * (1 - first)]}).items():
        assert step(steps, name).values[0] == pytest.approx(expected), name
    # Cells know what they are made of.
    for name, cell, parts in [
        ("scores", (0, 1), [("query", [(0, 0), (0, 1)]), ("key", [(1, 0), (1, 1)])]),
        ("output", (0, 0), [("weights", [(0, 0), (0, 1)]), ("value", [(0, 0), (1, 0)])]),
    ]:
        assert [(part.name, places) for part, places in step(steps, name).feeds(*cell)] == parts
    steps = attention(PRESETS["one"].inputs)
    assert [step(steps, name).values.item() for name in ("scores", "scaled", "weights", "output")] == [1, 1, 1, 3]
    # A mask broadcasts.
    steps = attention(made([[1], [2]], [[1], [2], [3]], np.eye(3), [[1, 0, 1]]))
    assert (step(steps, "masked").values[:, 1] == BLOCKED).all() and (step(steps, "weights").values[:, 1] == 0).all()


def test_other_scores_by_hand():
    """s = (1, 2), h = (3, 0.5) and (1, 0.5); W = diag(3, 1); W₁ = W₂ = 1; v = (2, −1)."""
    inputs = made([[1, 2]], [[3, 0.5], [1, 0.5]], [[1], [0]])
    parameters = Parameters(np.diag([3.0, 1.0]), np.eye(2), np.eye(2), np.array([[2.0, -1.0]]))
    for scoring, scores in [
        ("dot", [4.0, 2.0]),
        ("multiplicative", [1 * 3 * 3 + 2 * 1 * 0.5, 1 * 3 * 1 + 2 * 1 * 0.5]),
        ("additive", [2 * math.tanh(3 + 1) - math.tanh(0.5 + 2), 2 * math.tanh(1 + 1) - math.tanh(0.5 + 2)]),
    ]:
        steps = attention(inputs, scoring, parameters)
        assert step(steps, "scores").values[0] == pytest.approx(scores), scoring
        powers = np.exp(scores)
        assert step(steps, "weights").values[0] == pytest.approx(powers / powers.sum()), scoring
        with pytest.raises(KeyError):
            step(steps, "scaled")
    # The default W leaves the dot product.
    np.testing.assert_allclose(*(weights(PRESETS["slides"].inputs, scoring) for scoring in ("dot", "multiplicative")))


def test_steps_equal_the_model():
    random = np.random.default_rng(5)
    query, key, value = (random.normal(size=size) for size in ((3, 5), (4, 5), (4, 2)))
    keep = np.array([[1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0]])
    output, expected = scaled_dot_product_attention(*(each.astype("float32") for each in (query, key, value)), keep)
    for attend in [0, 1]:
        steps = attention(made(query, key, value, keep if attend else 1 - keep, attend))
        near(step(steps, "weights").values, expected, terms=5, depth=4)
        near(step(steps, "output").values, output, terms=5, depth=6)
        assert (step(steps, "weights").values[2] == 0.25).all(), attend  # a row that is all masked: equal shares
    assert BLOCKED == model.BLOCKED


def test_our_numbers_are_the_printed_ones():
    # Presets hold what was printed.
    results = {"weights": "printed_weights", "output": "printed_output"}
    for preset, example, names in [
        ("reports", "masked_attention", results),
        ("slides", "self_attention_5x4", {"scaled": "printed_scores_scaled"} | results),
    ]:
        found, known = PRESETS[preset], WORKED[example]
        assert {name: [list(row) for row in rows] for name, rows in found.printed.items()} == {
            name: known[printed] for name, printed in names.items()
        }
        for letter, name in zip("qkv", ("query", "key", "value"), strict=True):
            np.testing.assert_array_equal(getattr(found.inputs, name), known.get(letter, known.get("x")))
        np.testing.assert_array_equal(found.inputs.keep, known.get("keep_mask", np.ones((5, 5))))
    # The masked softmax of the slides.
    example, found = WORKED["masked_softmax"], PRESETS["masked"]
    steps = attention(found.inputs, found.scoring)
    for row, scores in enumerate(example["scores_lower_triangle"]):
        assert step(steps, "scores").values[row, : row + 1].tolist() == scores
        closeness.printed(step(steps, "weights").values[row, : row + 1], example["softmax"][row], 6)
        assert (step(steps, "weights").values[row, row + 1 :] == 0).all()
    printed = [[each for each in row if each is not None] for row in found.printed["weights"]]
    assert printed == [*example["printed_rows"].values(), [], []]
    for preset in (PRESETS[name] for name in ("reports", "slides", "masked")):
        steps = attention(preset.inputs, preset.scoring)
        for which, rows in preset.printed.items():
            for (row, column), ours in np.ndenumerate(step(steps, which).values):
                assert rows[row][column] is None or agrees(ours, rows[row][column], preset.decimals), which
    # Agreement is to the printed digits.
    for ours, printed, decimals, same in [
        (0.427, 0.43, 2, True), (0.4249, 0.43, 2, False), (0.4351, 0.43, 2, False),
        (0.198704029, 0.19870403, 8, True), (0.19870393, 0.19870403, 8, False),
    ]:  # fmt: skip
        assert agrees(ours, printed, decimals) == same, ours


def test_what_does_not_fit_is_refused(snapshot):
    learnt = ones((3, 4), (5, 3), (5, 2))  # learnt scores allow different widths
    for scoring in ("multiplicative", "additive"):
        assert weights(learnt, scoring).shape == (3, 5)
    cases = [(learnt,), (ones((3, 4), (5, 4), (4, 2))), (ones((3, 4), (5, 4), (5, 2), (3, 4)))]
    cases += [(made([[1, math.nan]], [[1, 1]], [[1]])), (made([[1]], [[1], [2000]], [[1], [1]]))]
    cases += [(made([[1]], [[1]], [[1]], [[0.5]])), (learnt, "multiplicative", default_parameters(4, 4))]
    cases += [(learnt, "additive", default_parameters(4, 4)), (learnt, "cosine")]
    assert refusals(SettingsError, attention, cases) == snapshot


def test_the_division_keeps_the_softmax_soft():
    effect = scale_effect(16, 0)
    assert effect.variance == pytest.approx(effect.widths, rel=0.35)  # of a few hundred draws
    with_scale, without = effect.largest
    assert with_scale.max() - with_scale.min() < 0.08 and without[-1] > 0.9 and (np.diff(without) > 0).all()
    assert effect.entropy[0].min() > 2.2 and effect.entropy[1][-1] < 0.2
    assert with_scale[0] == without[0]  # √1 = 1
    assert scale_effect(16, 0).largest.tolist() == effect.largest.tolist() != scale_effect(16, 1).largest.tolist()
    # One key has everything and no key is refused.
    effect = scale_effect(1, 0, draws=5, widths=(1, 8))
    assert effect.largest.tolist() == [[1, 1], [1, 1]] and effect.entropy.tolist() == [[0, 0], [0, 0]]
    refused(SettingsError, "Received: keys=0", scale_effect, 0, 0)
