"""Matrices as the text of a link."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from core.errors import SettingsError
from core.explain.attention_lab.matrix_text import read, resized, write
from tests.refusals import refusals


def test_a_text_by_hand(snapshot):
    matrices = {"a": np.array([[1, 0.5], [-2, math.nan]]), "b": np.array([[3.0]])}
    assert write(matrices) == "1_0.5~-2_x~~3"
    found = read("1_0.5~-2_x~~3", ["a", "b"], 8)
    np.testing.assert_array_equal(found["a"], matrices["a"])
    assert found["b"].tolist() == [[3]]
    # Nonsense is refused.
    cases = ["1", "1~~<b>", "1~~", "1~~nan", "1_2~3~~1", "1_2_3_4~~1"]
    assert refusals(SettingsError, lambda text: read(text, ["a", "b"], 3), cases) == snapshot
    # Another size keeps what fits.
    assert resized(np.array([[1.0, 2], [3, 4]]), 3, 1, 9).tolist() == [[1], [3], [9]]


@given(arrays(float, some.tuples(some.integers(1, 4), some.integers(1, 4)), elements=some.floats(-1000, 1000)))
def test_what_is_written_is_read_again(matrix):
    text = write({"a": matrix, "b": matrix.T})
    found = read(text, ["a", "b"], 4)
    np.testing.assert_allclose(found["a"], matrix, atol=1e-6)  # six decimals are written
    assert write(found) == text and "+" not in text
