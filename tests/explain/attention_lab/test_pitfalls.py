"""The pitfalls of the sources, with numbers that can be checked by hand."""

import numpy as np
import pytest

from core.explain.attention_lab import pitfalls
from core.explain.attention_lab.lab import Inputs, attention, step
from core.explain.attention_lab.presets import PRESETS


def even(queries: int, keys: int, keep) -> Inputs:
    """All scores 0: every visible key has the same weight."""
    return Inputs(np.zeros((queries, 2)), np.ones((keys, 2)), np.ones((keys, 1)), np.array(keep, dtype=float))


def test_a_mask_that_is_read_the_other_way_or_not_applied():
    inputs = even(2, 4, [[1, 1, 0, 0], [1, 0, 0, 0]])
    pitfall = pitfalls.convention(inputs)  # it sees only what it hid
    assert pitfall.numbers == {"wrong": 1, "right": 0, "queries": 2}
    assert pitfall.wrong[1].values[1] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert pitfall.right[1].values.tolist() == [[0.5, 0.5, 0, 0], [1, 0, 0, 0]]
    blocked = PRESETS["masked"].inputs  # 1 = blocked: the convention of the inputs is respected
    pitfall = pitfalls.convention(blocked)
    np.testing.assert_allclose(pitfall.right[1].values, step(attention(blocked), "weights").values)
    assert pitfall.numbers["right"] == 0
    # A mask that is not applied, a look-ahead mask of i ≤ j, and padding in cross-attention.
    ahead, cross = pitfalls.look_ahead(even(3, 3, np.ones((3, 3)))), pitfalls.cross_padding(even(1, 5, np.ones((1, 5))))
    assert ahead.wrong[0].values.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert cross.right[0].values.tolist() == [[1, 1, 1, 0, 0]]
    for pitfall, wrong, queries in [
        (pitfalls.unapplied(inputs), (0.5 + 0.75) / 2, 2), (ahead, (2 / 3 + 1 / 2 + 0) / 3, 3), (cross, 0.4, 1),
        (pitfalls.unapplied(even(2, 2, [[1, 0], [0, 0]])), 0.5, 1),  # a query that may look nowhere does not count
    ]:  # fmt: skip
        assert pitfall.numbers == pytest.approx({"wrong": wrong, "right": 0, "queries": queries})
    assert pitfalls.cross_padding(even(1, 1, [[1]])).numbers["queries"] == 0


def test_other_pitfalls():
    # Rows of scores are no weights.
    pitfall = pitfalls.unnormalised()
    assert pitfall.numbers["fourth"] == pytest.approx(0.6 + 1.8 + 2.4 + 0.3)
    assert pitfall.numbers["fifth"] == pytest.approx(2.1 + 2.3 + 0.2 + 2.0 + 2.5)
    assert pitfall.right[0].values.sum(axis=1) == pytest.approx(np.ones(5))
    np.testing.assert_array_equal(pitfall.wrong[0].values[:3], pitfall.right[0].values[:3])
    # The third normalisation never learns.
    pitfall = pitfalls.second_norm()
    wrong, right = pitfall.wrong[-1].values, pitfall.right[-1].values
    np.testing.assert_array_equal(pitfall.wrong[0].values, pitfall.right[0].values)  # the same up to γ and β
    np.testing.assert_allclose(right, wrong * np.array(pitfalls.GAMMA) + np.array(pitfalls.BETA))
    assert pitfall.numbers["difference"] == pytest.approx(np.abs(wrong - right).max())
    assert pitfall.numbers["moved"] == pytest.approx(0.1 * np.abs(pitfall.right[0].values).max())
    # Columns and rows of the positions.
    pitfall = pitfalls.axes()
    table = pitfall.right[0].values
    assert table[1] == pytest.approx([0.84147096, 0.5403023, 0.15782665, 0.9874668, 0.02511622])  # as printed
    assert pitfall.numbers == {"column": pytest.approx(np.sin(2)), "row": pytest.approx(0.15782665)}
    # Forms of a word are counted.
    pitfall = pitfalls.word_forms({"walk": 5, "walks": 6, "walked": 5})
    assert pitfall.numbers == {"forms": 3, "ids": 2} and pitfall.right[0].values.tolist() == [[5, 6, 5]]


def test_swapped_axes_keep_the_numbers_and_only_self_attention_is_a_triangle():
    pitfall = pitfalls.swapped()
    for wrong, right in zip(pitfall.wrong, pitfall.right, strict=True):
        np.testing.assert_array_equal(wrong.values, right.values)
    own, cross = (each.values for each in pitfall.right)
    assert not np.triu(own, 1).any() and pitfall.numbers["own"] == 0
    assert pitfall.numbers["cross"] == pytest.approx(
        sum(cross[row, column] for row in range(4) for column in range(row + 1, 4)) / 4
    )
    assert (
        pitfall.labels[:2] == (pitfall.labels[3], pitfall.labels[2])
        and pitfall.labels[2]["columns"] == pitfalls.WRITTEN
    )
