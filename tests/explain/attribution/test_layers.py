"""The linear share of a normalisation, by hand and for parts that add up."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.explain.attribution.layers import Sublayer, frozen_norm
from core.explain.attribution.norms import lengths, shares
from tests.closeness import near, printed

pytestmark = pytest.mark.numeric


def test_a_part_is_divided_by_the_spread_of_the_whole() -> None:
    """METHODS: x = (1, 0), f = (.09, 0) and (.3, .4), sigma of the sum .495."""
    norm = SimpleNamespace(gamma=np.ones(2), beta=np.zeros(2), epsilon=0.0)
    parts, total = np.array([[1.09, 0.0], [0.3, 0.4]]), np.array([1.39, 0.4])
    found = [np.linalg.norm(frozen_norm(norm, part, total)) for part in parts]
    printed(found, [1.5571, 0.1428], 4)


@pytest.mark.parametrize("beta", [None, 0.5])
def test_the_shares_of_parts_add_up_to_the_normalised_whole(beta: float | None) -> None:
    random = np.random.default_rng(1)
    parts, gamma = random.standard_normal((5, 3, 8)), random.standard_normal(8)
    norm = SimpleNamespace(gamma=gamma, beta=None if beta is None else np.full(8, beta), epsilon=1e-3)
    total = parts.sum(axis=0)
    centred = total if beta is None else total - total.mean(axis=-1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-3) * gamma
    near(frozen_norm(norm, parts, total).sum(axis=0), expected, terms=5, depth=4)


def test_norms_weigh_vectors_and_add_heads_before_they_measure() -> None:
    """METHODS: weights .9 and .1 of (0.1, 0) and (3, 4) give the shares .1525 and .8475; opposite heads cancel."""
    kernel = np.eye(2, dtype=np.float32)
    block = SimpleNamespace(self_attention=SimpleNamespace(output_projection=SimpleNamespace(kernel=kernel, bias=None)))
    values = np.array([[[0.1, 0], [3, 4]]], dtype=np.float32)
    one = Sublayer("encoder", 0, block, np.array([[[0.9, 0.1]]], np.float32), values, np.zeros((1, 2), np.float32))
    printed(lengths(one), [[0.09, 0.5]], 6)
    printed(shares(lengths(one)), [[0.1525, 0.8475]], 4)
    kernel = np.vstack([kernel, -kernel])
    block = SimpleNamespace(self_attention=SimpleNamespace(output_projection=SimpleNamespace(kernel=kernel, bias=None)))
    # These products are exact: nothing is left of the sum on any processor.
    weights, values = np.array([[[0.75, 0.25]]] * 2, np.float32), np.array([[[0.5, 0], [3, 4]]] * 2, np.float32)
    both = Sublayer("encoder", 0, block, weights, values, np.zeros((1, 2), np.float32))
    assert not lengths(both).any() and not shares(lengths(both)).any()
    printed(lengths(both, 1), [[0.375, 1.25]], 6)
