"""A row of an embedding table: lengths and cosines worked out by hand."""

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain.embedding import token_vector

TABLE = np.array([[3, 4], [0, 0], [6, 8], [4, 3], [-3, -4], [0, 2]], dtype=np.float32)
"""Lengths 5, 0, 10, 5, 5, 2; cosines with the first row 1, -, 1, 24/25, -1, 4/5."""


def test_neighbours_are_those_with_the_largest_cosine():
    found = token_vector(TABLE, 0)
    assert [each for each, _ in found.nearest] == [2, 3, 5, 1, 4]
    assert [cosine for _, cosine in found.nearest] == pytest.approx([1, 0.96, 0.8, 0, -1])
    assert found.norm == 5 and found.norm_rank == 2 and found.tokens == 6
    assert found.vector.tolist() == [3, 4] and found.scaled == pytest.approx([3 * 2**0.5, 4 * 2**0.5])


def test_another_row_has_other_neighbours():
    assert [each for each, _ in token_vector(TABLE, 5, 2).nearest] == [0, 2]
    assert token_vector(TABLE, 2).norm_rank == 1


def test_a_row_of_zeros_points_nowhere():
    found = token_vector(TABLE, 1)
    assert found.norm == 0 and found.norm_rank == 6
    assert {cosine for _, cosine in found.nearest} == {0.0} and len(found.nearest) == 5


def test_a_table_of_one_row_has_no_neighbours():
    assert token_vector(TABLE[:1], 0).nearest == ()


@pytest.mark.parametrize("token", [-1, 6])
def test_a_row_that_is_not_there(token):
    with pytest.raises(SettingsError, match=f"from 0 to 5 here. Received: {token}"):
        token_vector(TABLE, token)
