"""The bounds of `tests.closeness`: rounding is inside, a real fault is outside, for every family of networks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest

from core.config import ModelConfig, RecurrentConfig, Scoring
from core.decoding.search import NEVER, BeamResult, Finished
from core.model import families, masks
from tests.closeness import (
    PEER,
    TIE,
    UNIT,
    near,
    near_as,
    network_spread,
    printed,
    same_hypotheses,
    same_network,
    same_search,
    spread,
)
from tests.decoding.test_fast import CONFIGS, PLAIN
from tests.model.twin import stepped
from tests.models import attention_of, randomise
from tests.refusals import refused

pytestmark = pytest.mark.numeric
RECURRENT = RecurrentConfig(
    source_vocabulary=30, target_vocabulary=30, embedding_dim=5, units=6, attention_dim=4, dropout=0.0,
    max_source_length=12, max_target_length=9,
)  # fmt: skip
FAMILIES: dict[str, ModelConfig | RecurrentConfig] = {
    **{name: PLAIN.replace(**changes) for name, changes in CONFIGS.items()},
    **{f"recurrent, {scoring}": RECURRENT.replace(attention=scoring) for scoring in get_args(Scoring)},
}
SOURCE = np.array([[9, 11, 7, 23, 11, 5, 12, 2], [28, 6, 9, 13, 2, 0, 0, 0]], dtype=np.int32)
TARGET = np.array([[1, 11, 13, 7, 22, 6], [1, 28, 14, 9, 10, 8]], dtype=np.int32)


def logits(model: Any, source: np.ndarray = SOURCE, target: np.ndarray = TARGET) -> np.ndarray:
    return np.asarray(model.replay(source, target)["logits"], dtype=np.float64)


@cache
def right(name: str) -> tuple[Any, np.ndarray]:
    """A network of a family, and its logits."""
    model = randomise(families.build(FAMILIES[name]), 3)
    return model, logits(model)


@contextmanager
def changed(variables: Sequence[Any], change: Callable[[np.ndarray], np.ndarray]) -> Iterator[np.ndarray]:
    """Give weights other values."""
    before = [np.asarray(each.value) for each in variables]
    for variable, values in zip(variables, before, strict=True):
        variable.assign(change(values))
    yield SOURCE
    for variable, values in zip(variables, before, strict=True):
        variable.assign(values)


def moved(model: Any) -> Any:
    """Move every weight by a random share of a thousandth."""
    random = np.random.default_rng(8)
    return changed(model.trainable_variables, lambda values: values + 1e-3 * random.standard_normal(values.shape))


def heads_changed(kind: str) -> Callable[[Any], Any]:
    """Let the queries of the first two heads change places."""

    def fault(model: Any) -> Any:
        layer = attention_of(model, kind, 0)
        order = np.arange(layer.num_heads * layer.key_dim)
        order[: 2 * layer.key_dim] = np.roll(order[: 2 * layer.key_dim], layer.key_dim)
        return changed([layer.query_projection.kernel], lambda values: values[:, order])

    return fault


@contextmanager
def shorter_source_mask(model: Any) -> Iterator[np.ndarray]:
    yield np.where(np.arange(8) + 10 * np.arange(2)[:, None] == 7, 0, SOURCE)  # the last token is not read


@contextmanager
def longer_look_ahead_mask(model: Any) -> Iterator[np.ndarray]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masks, "look_ahead_mask", lambda n: np.arange(n)[None, :] <= np.arange(n)[:, None] + 1)
        yield SOURCE


@contextmanager
def other_scale(model: Any) -> Iterator[np.ndarray]:
    """Scores that lack their √d, or have one that they should not."""
    layer = attention_of(model, "cross", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layer, "scale", not layer.scale)
        yield SOURCE


OF_ALL: list[Callable[[Any], Any]] = [moved, shorter_source_mask]
OF_HEADS = [longer_look_ahead_mask, other_scale, *map(heads_changed, ("encoder", "decoder", "cross"))]


@pytest.mark.parametrize("name", FAMILIES)
def test_rounding_is_inside(name: str) -> None:
    """Another order of the batch and more padding, and step by step, with room for other processors."""
    model, expected = right(name)
    for found in (
        logits(model, np.pad(SOURCE, ((0, 0), (0, 4)))[::-1].copy(), TARGET[::-1].copy())[::-1],
        stepped(model, SOURCE, TARGET),
    ):
        same_network(found, expected, model.config)
        assert np.abs(found - expected).max() < network_spread(model.config, expected) / 4


@pytest.mark.parametrize("name", FAMILIES)
def test_faults_are_outside(name: str, subtests: pytest.Subtests) -> None:
    """By a factor that no processor bridges."""
    model, expected = right(name)
    for number, fault in enumerate([*OF_ALL, *(OF_HEADS if name in CONFIGS else [])]):
        with subtests.test(number=number, fault=fault.__name__), fault(model) as source:
            found = logits(model, source)
            assert np.abs(found - expected).max() > 2 * network_spread(model.config, expected)
            refused(AssertionError, "Not equal to tolerance", same_network, found, expected, model.config)
    np.testing.assert_array_equal(logits(model), expected)  # every fault is mended again


def test_a_sum_in_another_order_is_inside_and_a_lost_term_is_not() -> None:
    numbers = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    exact = numbers.astype(np.float64).sum()
    one_by_one = np.add.accumulate(numbers)[-1]  # the least exact order
    near(one_by_one, exact, terms=5000, depth=1)
    assert abs(float(numbers[numbers != numbers.max()].sum()) - exact) > spread(exact, terms=5000)


def test_a_peer_measures_its_own_rounding() -> None:
    exact, peer = np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-5])
    near_as(exact + 0.99e-5 * PEER, exact, peer)
    refused(AssertionError, "Not equal to tolerance", near_as, exact + 1.01e-5 * PEER, exact, peer)
    near_as(exact * (1 + UNIT), exact, exact)  # a peer that is exact by chance still grants one rounding
    refused(AssertionError, "Not equal to tolerance", near_as, exact + 1e-6, exact, exact)


def test_what_is_printed_is_compared_by_its_digits() -> None:
    printed(0.125, 0.13, 2)
    refused(AssertionError, "Not equal to tolerance", printed, 0.125, 0.14, 2)


@pytest.mark.parametrize("compare", [near, lambda a, b: same_network(a, b, PLAIN), lambda a, b: near_as(a, b, b)])
def test_shapes_and_what_is_no_number_are_seen(compare: Callable[..., None]) -> None:
    for found, expected in [(np.ones(3), np.ones((2, 2))), (np.array([np.nan]), np.ones(1)), ([np.inf], [1.0])]:
        refused(AssertionError, "Not equal to tolerance", compare, found, expected)


def result(*steps: list[float]) -> BeamResult:
    """A search of two beams whose candidates have these scores; its best hypothesis has the last step's best one."""
    scores = np.array(steps, dtype=np.float32)
    nothing = np.zeros(scores.shape, dtype=np.int32)
    hypotheses = tuple(Finished((7, number, 2), each, each) for number, each in enumerate(steps[-1][:2]))
    return BeamResult(hypotheses, nothing, nothing, nothing, scores)


def test_a_search_may_end_differently_behind_a_tie_and_only_there() -> None:
    clear = result([-1.0, -2.0, NEVER, NEVER], [-1.5, -2.5, -4.0, NEVER])
    assert same_hypotheses(clear, [[7, 0, 2], [7, 1, 2]], [-1.5, -2.5 + TIE / 2]) and same_search(clear, clear, PLAIN)
    for ids, scores in [([[7, 1, 2], [7, 0, 2]], None), ([[7, 0, 2], [7, 1, 2]], [-1.5, -2.4])]:
        with pytest.raises(AssertionError):
            same_hypotheses(clear, ids, scores)
    tied = result([-1.0, -1.0 - TIE / 2, -3.0, -4.0], [-1.5, -2.5, -3.0, -4.0])
    assert not same_hypotheses(tied, [[7, 1, 2]]) and not same_search(
        tied, tied._replace(tokens=tied.tokens + 5), PLAIN
    )
    for other in (
        tied._replace(scores=tied.scores - 0.1),
        result([-1.0, NEVER, NEVER, NEVER], [-1.5, -2.5, -3.0, -4.0]),
    ):
        with pytest.raises(AssertionError):
            same_search(tied, other, PLAIN)  # the scores of the step of the tie are still compared
    assert not same_hypotheses(result([-1.0, -2.0], [-1.5, -1.5 - TIE / 2]), [[7, 1, 2]])  # two hypotheses tie
