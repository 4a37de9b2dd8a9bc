"""Contributions by hand: the toys of two tokens, the order of layers, and rows that no part points to."""

import numpy as np
import pytest

from core.explain.attribution.contributions import Mixed, mix, roll, towards
from tests.closeness import near, printed

pytestmark = pytest.mark.numeric

OWN = np.array([[1, 0], [0.4, 0.6]], dtype=np.float32)
ENCODER = np.array([[0.75, 0.25], [0.23, 0.77]], dtype=np.float32)
LOOKED = np.array([[0.5, 0.1], [0.3, 0.2]], dtype=np.float32) @ ENCODER
KEPT = np.array([0.4, 0.5], dtype=np.float32)


def test_a_new_layer_stands_on_the_left() -> None:
    layers = [np.array([[0.75, 0.25], [0.1, 0.9]]), np.array([[1, 0], [0.2, 0.8]])]
    printed(roll(layers[0], layers[1]), ENCODER, 6)
    assert roll(None, layers[0]) is layers[0]


def test_parts_that_point_towards_the_output_share_it() -> None:
    parts = towards(np.array([1.0, 1.0]), np.array([[0.9, 0.6], [0.1, 0.4]]))
    printed(parts, [1.5, 0.5], 6)
    assert towards(np.array([1.0, 1.0]), np.array([[-3.0, 0.0]])) == [0]


def test_source_and_prefix_through_two_layers() -> None:
    state = Mixed(np.zeros((2, 2), np.float32), np.eye(2, dtype=np.float32))
    first = mix(state, OWN, LOOKED, KEPT)
    printed(np.hstack(first), [[0.398, 0.202, 0.4, 0], [0.271, 0.229, 0.2, 0.3]], 6)
    second = mix(first, OWN, LOOKED, KEPT)
    printed(np.hstack(second), [[0.5572, 0.2828, 0.16, 0], [0.4319, 0.3381, 0.14, 0.09]], 6)
    near(np.hstack(second).sum(axis=1), 1, terms=4)


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_any_shares_keep_their_sum(seed: int) -> None:
    random = np.random.default_rng(seed)
    state = Mixed(np.zeros((4, 5), np.float32), np.eye(4, dtype=np.float32))
    for _ in range(6):
        rows = random.dirichlet(np.ones(6), 4).astype(np.float32)
        state = mix(state, np.tril(random.random((4, 4))).astype(np.float32), rows[:, :5], rows[:, 5])
        state = Mixed(*(each / np.hstack(state).sum(axis=1, keepdims=True) for each in state))
    near(np.hstack(state).sum(axis=1), 1, terms=9)
