"""How far two float32 results of one computation may lie apart on any processor.

A processor adds the terms of a sum in its own order, fuses a product with a sum, and has its own exponential: right
results differ by rounding. A bound that was tuned on one machine is therefore wrong on another. Here a bound follows
from the arithmetic. Each operation changes a number by at most `UNIT` of its size; the errors of a sum of n terms add
up like a random walk, to about √n units (Higham and Mary 2019, theorem 3.1, which adds a factor for safety), and those
of operations in a row add up at most linearly.

`near` compares two results whose numbers, sums and depth are known; `same_network` takes these from the settings of a
network; `near_as` asks a peer how far float32 lies from double precision there. What is printed with a fixed number of
digits is compared with `printed`. A search takes the best of many numbers: where two of them tie, either is right, and
what follows may differ (`same_hypotheses`, `same_search`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.config import ModelConfig, RecurrentConfig
from core.decoding.search import POSSIBLE, BeamResult

UNIT = 2.0**-24
"""Largest relative error of one rounding to float32."""
SAFETY = 8
"""Both results are rounded, and a random walk of many results goes some standard deviations far in one of them."""
PRODUCTS = {"encoder": 6, "decoder": 10}
"""Matrix products in a row in a block: four in each attention, two in the feed-forward network."""
PEER = 4
"""How many times as far from the exact result as a peer ours may be."""
TIE = 1e-4
"""Scores that lie nearer than this may change places: it is more than rounding moves those of a trained network."""


def spread(*values: Any, terms: int = 1, depth: int = 1) -> float:
    """Return how far two float32 computations of the same numbers may lie apart.

    Args:
        values: the numbers, and where they are small differences of larger ones, these too; the largest one counts, and
            at least 1: probabilities and normalised states are sums of numbers of that size.
        terms: numbers in the longest sum.
        depth: operations in a row.
    """
    size = max([1.0, *(float(np.abs(np.asarray(each, dtype=np.float64)).max(initial=0.0)) for each in values)])
    return SAFETY * UNIT * float(np.sqrt(terms)) * depth * size


def network_spread(config: ModelConfig | RecurrentConfig, *values: Any) -> float:
    """Return how far two computations of a network's states, logits or log-probabilities may lie apart.

    Its longest sum is that of its widest layer (attention gives means, which a long input does not make less exact),
    its depth that of all its layers; a recurrent network is as deep as its longest input and output together. Measured
    for the networks of the tests under several instruction sets and numbers of threads, rounding stays below a tenth
    of it, and every fault is over a hundred times as large (`tests/test_closeness.py`).
    """
    if isinstance(config, RecurrentConfig):
        steps = config.max_source_length + config.max_target_length
        return spread(*values, terms=max(config.units, config.embedding_dim), depth=steps)
    terms = max(config.d_model, config.feed_forward_dim)
    blocks = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    depth = 2 + sum(PRODUCTS[side] * count for side, count in blocks.items())
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
    _within(found, exact, PEER * max(distance(peer, exact), UNIT * float(np.abs(np.asarray(exact)).max())), message)


def distance(one: Any, other: Any) -> float:
    """Return the largest difference of two results."""
    return float(np.abs(np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)).max())


def printed(found: Any, expected: Any, digits: int) -> None:
    """Assert that a number is the expected one as it is printed, with so many digits behind the point.

    Half a unit of the last digit is what printing loses; as much again is room for a number on the edge between two.
    """
    _within(found, expected, 10.0**-digits)


def decided(scores: Any) -> int:
    """Return after how many steps two candidates of a beam search first tie; the number of steps if none do.

    Args:
        scores: of the candidates, best first, as a search or its trace has them.
    """
    scores = np.asarray(scores, dtype=np.float64)
    ties = (-np.diff(scores) < TIE) & (scores[:, 1:] > POSSIBLE)
    return int(np.append(ties.any(axis=1), True).argmax())


def best_within_a_tie(scores: Any, taken: Sequence[int]) -> None:
    """Assert that each token taken is the best one of its step [T, V], or ties with it."""
    rows = np.asarray(scores)
    chosen = rows[np.arange(len(taken)), list(taken)]
    assert (chosen > rows.max(axis=-1) - TIE).all(), f"{rows.argmax(axis=-1).tolist()} are better than {list(taken)}"


def same_hypotheses(
    found: BeamResult, ids: Sequence[Sequence[int]], scores: Sequence[float] | None = None, within: float = TIE
) -> bool:
    """Assert that a search wrote these hypotheses, best first, with these scores, unless two numbers tied in it.

    Returns:
        Whether nothing tied: most searches of a test must be of this kind.
    """
    ours = [each.score for each in found.hypotheses]
    if decided(found.scores) < len(found.scores) or (-np.diff(ours) < TIE).any():
        return False
    assert [list(each.ids) for each in found.hypotheses[: len(ids)]] == [list(each) for each in ids]
    if scores is not None:
        _within(ours, scores, within)
    return True


def same_search(found: BeamResult, expected: BeamResult, config: ModelConfig | RecurrentConfig) -> bool:
    """Assert that two searches over a network took the same steps up to the first tie; return whether nothing tied."""
    steps = decided(found.scores)
    for one, other in zip(found[1:4], expected[1:4], strict=True):
        np.testing.assert_array_equal(one[:steps], other[:steps])
    ours, theirs = (each.scores[: steps + 1] for each in (found, expected))
    np.testing.assert_array_equal(ours > POSSIBLE, theirs > POSSIBLE)
    same_network(*(np.where(each > POSSIBLE, each, 0) for each in (ours, theirs)), config)
    return same_hypotheses(found, [each.ids for each in expected.hypotheses])


def _within(found: Any, expected: Any, bound: float, message: str = "") -> None:
    np.testing.assert_allclose(
        np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64), rtol=0, atol=bound, err_msg=message
    )
