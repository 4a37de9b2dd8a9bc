"""The slips of the sources, with numbers that can be checked by hand."""

import numpy as np
import pytest

from core.explain import slips
from core.explain.lab import Inputs, attention, step
from core.explain.lab_presets import PRESETS


def even(queries: int, keys: int, keep) -> Inputs:
    """All scores 0: every visible key has the same weight."""
    return Inputs(np.zeros((queries, 2)), np.ones((keys, 2)), np.ones((keys, 1)), np.array(keep, dtype=float))


def test_a_mask_read_the_other_way_sees_only_what_it_hid():
    slip = slips.convention(even(2, 4, [[1, 1, 0, 0], [1, 0, 0, 0]]))
    assert slip.numbers == {"wrong": 1, "right": 0, "queries": 2}
    assert slip.wrong[1].values[1] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert slip.right[1].values.tolist() == [[0.5, 0.5, 0, 0], [1, 0, 0, 0]]


def test_the_convention_of_the_inputs_is_respected():
    inputs = PRESETS["masked"].inputs  # 1 = blocked
    slip = slips.convention(inputs)
    np.testing.assert_allclose(slip.right[1].values, step(attention(inputs), "weights").values)
    assert slip.numbers["right"] == 0


def test_a_mask_that_is_not_applied():
    slip = slips.unapplied(even(2, 4, [[1, 1, 0, 0], [1, 0, 0, 0]]))
    assert slip.numbers["wrong"] == pytest.approx((0.5 + 0.75) / 2) and slip.numbers["right"] == 0


def test_i_at_most_j_looks_into_the_future():
    slip = slips.look_ahead(even(3, 3, np.ones((3, 3))))
    assert slip.wrong[0].values.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert slip.numbers["wrong"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3) and slip.numbers["right"] == 0


def test_padding_in_cross_attention():
    slip = slips.cross_padding(even(1, 5, np.ones((1, 5))))
    assert slip.right[0].values.tolist() == [[1, 1, 1, 0, 0]]
    assert slip.numbers["wrong"] == pytest.approx(0.4)


def test_queries_that_may_look_nowhere_do_not_count():
    slip = slips.unapplied(even(2, 2, [[1, 0], [0, 0]]))
    assert slip.numbers == {"wrong": 0.5, "right": 0, "queries": 1}
    assert slips.cross_padding(even(1, 1, [[1]])).numbers["queries"] == 0


def test_rows_of_scores_are_no_weights():
    slip = slips.unnormalised()
    assert slip.numbers["fourth"] == pytest.approx(0.6 + 1.8 + 2.4 + 0.3)
    assert slip.numbers["fifth"] == pytest.approx(2.1 + 2.3 + 0.2 + 2.0 + 2.5)
    assert slip.right[0].values.sum(axis=1) == pytest.approx(np.ones(5))
    np.testing.assert_array_equal(slip.wrong[0].values[:3], slip.right[0].values[:3])


def test_the_third_normalisation_never_learns():
    slip = slips.second_norm()
    wrong, right = slip.wrong[-1].values, slip.right[-1].values
    np.testing.assert_array_equal(slip.wrong[0].values, slip.right[0].values)  # the same up to γ and β
    np.testing.assert_allclose(right, wrong * np.array(slips.GAMMA) + np.array(slips.BETA))
    assert slip.numbers["difference"] == pytest.approx(np.abs(wrong - right).max())
    assert slip.numbers["moved"] == pytest.approx(0.1 * np.abs(slip.right[0].values).max())


def test_columns_and_rows_of_the_positions():
    slip = slips.axes()
    table = slip.right[0].values
    assert table[1] == pytest.approx([0.84147096, 0.5403023, 0.15782665, 0.9874668, 0.02511622])  # as printed
    assert slip.numbers == {"column": pytest.approx(np.sin(2)), "row": pytest.approx(0.15782665)}


def test_forms_of_a_word_are_counted():
    slip = slips.word_forms({"walk": 5, "walks": 6, "walked": 5})
    assert slip.numbers == {"forms": 3, "ids": 2} and slip.right[0].values.tolist() == [[5, 6, 5]]
