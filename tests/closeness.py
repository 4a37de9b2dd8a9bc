"""How far two float32 results of one computation may lie apart on any processor.

A processor adds the terms of a sum in its own order, fuses a product with a sum, and has its own exponential: right
results differ by rounding. A bound that was tuned on one machine is therefore wrong on another. Here a bound follows
from the arithmetic. Each operation changes a number by at most `UNIT` of its size; the errors of a sum of n terms add
up like a random walk, to about √n units (Higham and Mary 2019, theorem 3.1, which adds a factor for safety), and those
of operations in a row add up at most linearly.

`near` compares two results whose numbers, sums and depth are known; `same_network` takes these from the settings of a
network; `near_as` asks a peer how far float32 lies from double precision there. What is printed with a fixed number of
digits is compared with `printed`.
"""

from typing import Any

import numpy as np

from core.config import ModelConfig, RecurrentConfig

UNIT = 2.0**-24
"""Largest relative error of one rounding to float32."""
SAFETY = 8
"""Both results are rounded, and a random walk of many results goes some standard deviations far in one of them."""
LAYER_SUMS = {"encoder": 9, "decoder": 14}
"""Operations in a row in a block: four an attention, two a feed-forward network, some of each norm and its sum."""
PEER = 4
"""How many times as far from the exact result as a peer ours may be."""


def spread(*values: Any, terms: int = 1, depth: int = 1) -> float:
    """Return how far two float32 computations of the same numbers may lie apart.

    Args:
        values: the numbers, and where they are small differences of larger ones, these too; the largest one counts, and
            at least 1: probabilities and normalised states are sums of numbers of that size.
        terms: numbers in the longest sum.
        depth: operations in a row.
    """
    size = max(1.0, *(float(np.abs(np.asarray(each, dtype=np.float64)).max(initial=0.0)) for each in values))
    return SAFETY * UNIT * float(np.sqrt(terms)) * depth * size


def network_spread(config: ModelConfig | RecurrentConfig, *values: Any) -> float:
    """Return how far two computations of a network's states, logits or log-probabilities may lie apart.

    Its longest sum is that of its widest layer or longest input, its depth that of all its layers; a recurrent
    network is as deep as its longest input and output together.
    """
    if isinstance(config, RecurrentConfig):
        steps = config.max_source_length + config.max_target_length
        return spread(*values, terms=max(config.units, config.embedding_dim), depth=4 * min(steps, 40))
    terms = max(config.d_model, config.feed_forward_dim, config.max_source_length)
    blocks = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    depth = 2 + sum(LAYER_SUMS[side] * count for side, count in blocks.items())
    return spread(*values, terms=terms, depth=depth)


def near(found: Any, expected: Any, *, terms: int = 1, depth: int = 1, message: str = "") -> None:
    """Assert that two results differ by no more than `spread`."""
    _within(found, expected, spread(expected, terms=terms, depth=depth), message)


def same_network(found: Any, expected: Any, config: ModelConfig | RecurrentConfig, message: str = "") -> None:
    """Assert that two results of a network differ by no more than `network_spread`."""
    _within(found, expected, network_spread(config, expected), message)


def near_as(found: Any, exact: Any, peer: Any, message: str = "") -> None:
    """Assert that a result is at most `PEER` times as far from the exact one as a peer's, on the same processor.

    Args:
        found: ours, in float32.
        exact: the peer's, in double precision.
        peer: the peer's, in float32.
        message: what is compared.
    """
    own = float(np.abs(np.asarray(peer, dtype=np.float64) - np.asarray(exact, dtype=np.float64)).max())
    _within(found, exact, PEER * max(own, UNIT * float(np.abs(np.asarray(exact)).max())), message)


def printed(found: Any, expected: Any, digits: int) -> None:
    """Assert that a number is the expected one as it is printed, with so many digits behind the point.

    Half a unit of the last digit is what printing loses; as much again is room for a number on the edge between two.
    """
    _within(found, expected, 10.0**-digits)


def _within(found: Any, expected: Any, bound: float, message: str = "") -> None:
    np.testing.assert_allclose(
        np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64), rtol=0, atol=bound, err_msg=message
    )
