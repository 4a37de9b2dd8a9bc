"""The bounds of `tests.closeness`: rounding is inside, a real fault is outside, for every family of networks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import numpy as np
import pytest

from core import backend
from core.config import ModelConfig, RecurrentConfig, Scoring
from core.model import families, masks
from tests.closeness import PEER, UNIT, near, near_as, network_spread, printed, same_network, spread
from tests.decoding.test_fast import CONFIGS, PLAIN
from tests.models import attention_of, randomise

RECURRENT = RecurrentConfig(
    source_vocabulary=30, target_vocabulary=30, embedding_dim=5, units=6, attention_dim=4, dropout=0.0,
    max_source_length=12, max_target_length=9,
)  # fmt: skip
FAMILIES: dict[str, ModelConfig | RecurrentConfig] = {
    **{name: PLAIN.replace(**changes) for name, changes in CONFIGS.items()},
    **{f"recurrent, {scoring}": RECURRENT.replace(attention=scoring) for scoring in get_args(Scoring)},
}
TRANSFORMERS = [*CONFIGS]
SOURCE = np.array([[9, 11, 7, 23, 11, 5, 12, 2], [28, 6, 9, 13, 2, 0, 0, 0]], dtype=np.int32)
TARGET = np.array([[1, 11, 13, 7, 22, 6], [1, 28, 14, 9, 10, 8]], dtype=np.int32)


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> Any:
    return randomise(families.build(FAMILIES[request.param]), 3)


@pytest.fixture(scope="module", params=TRANSFORMERS)
def attending(request: pytest.FixtureRequest) -> Any:
    return randomise(families.build(FAMILIES[request.param]), 3)


def logits(model: Any, source: np.ndarray = SOURCE, target: np.ndarray = TARGET) -> np.ndarray:
    return np.asarray(model.replay(source, target)["logits"], dtype=np.float64)


def faulty(model: Any, found: np.ndarray, expected: np.ndarray) -> None:
    """A fault is outside the bound, by a factor that no processor bridges."""
    assert np.abs(found - expected).max() > 2 * network_spread(model.config, expected)
    with pytest.raises(AssertionError):
        same_network(found, expected, model.config)


@contextmanager
def moved(model: Any, by: float) -> Iterator[None]:
    """Move every weight by a random share of `by`."""
    random = np.random.default_rng(8)
    before = [np.asarray(each.value) for each in model.trainable_variables]
    for variable, values in zip(model.trainable_variables, before, strict=True):
        variable.assign(values + by * random.standard_normal(values.shape).astype(np.float32))
    yield
    for variable, values in zip(model.trainable_variables, before, strict=True):
        variable.assign(values)


@contextmanager
def swapped(layer: Any) -> Iterator[None]:
    """Let the queries of the first two heads change places."""
    kernel = layer.query_projection.kernel
    before = np.asarray(kernel.value)
    width, after = layer.key_dim, before.copy()
    after[:, :width], after[:, width : 2 * width] = before[:, width : 2 * width], before[:, :width]
    kernel.assign(after)
    yield
    kernel.assign(before)


def test_rounding_is_inside(model: Any) -> None:
    """The same numbers in another order of the batch, with more padding, compiled, and decoded step by step."""
    expected = logits(model)
    longer = np.pad(SOURCE, ((0, 0), (0, 4)))
    same_network(logits(model, SOURCE[::-1].copy(), TARGET[::-1].copy())[::-1], expected, model.config)
    same_network(logits(model, longer), expected, model.config)
    run = backend.compiled(lambda *ids: model.replay(*ids)["logits"], model.variables)
    same_network(run(SOURCE, TARGET), expected, model.config)


def test_weights_moved_by_a_thousandth_are_outside(model: Any) -> None:
    expected = logits(model)
    with moved(model, 1e-3):
        faulty(model, logits(model), expected)


def test_a_source_mask_that_is_off_by_one_is_outside(model: Any) -> None:
    expected = logits(model)
    shorter = SOURCE.copy()
    shorter[0, -1] = 0  # its last token is not read
    faulty(model, logits(model, shorter), expected)


def test_a_look_ahead_mask_that_is_off_by_one_is_outside(attending: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = logits(attending)

    def one_more(n: int) -> Any:
        return np.arange(n)[None, :] <= np.arange(n)[:, None] + 1

    monkeypatch.setattr(masks, "look_ahead_mask", one_more)
    faulty(attending, logits(attending), expected)


def test_scores_that_lack_their_scale_are_outside(attending: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = logits(attending)
    layer = attention_of(attending, "cross", 1)
    monkeypatch.setattr(layer, "scale", not layer.scale)
    faulty(attending, logits(attending), expected)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_heads_that_changed_places_are_outside(attending: Any, kind: str) -> None:
    expected = logits(attending)
    with swapped(attention_of(attending, kind, 0)):
        faulty(attending, logits(attending), expected)


def test_a_sum_in_another_order_is_inside_and_a_lost_term_is_not() -> None:
    numbers = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    exact = numbers.astype(np.float64).sum()
    one_by_one = np.add.accumulate(numbers)[-1]  # the least exact order
    near(one_by_one, exact, terms=5000, depth=1)
    assert abs(float(numbers[numbers != numbers.max()].sum()) - exact) > spread(exact, terms=5000)


def test_a_bound_grows_with_size_terms_and_depth() -> None:
    assert spread(0.5) == spread(1.0) == 8 * UNIT
    assert spread([3.0, -4.0]) == 4 * spread(1.0)
    assert spread(1.0, terms=16) == 4 * spread(1.0) and spread(1.0, depth=5) == 5 * spread(1.0)
    assert spread([]) == spread(1.0)


def test_a_peer_measures_its_own_rounding() -> None:
    exact, peer = np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-5])
    near_as(exact + 0.99e-5 * PEER, exact, peer)
    with pytest.raises(AssertionError):
        near_as(exact + 1.01e-5 * PEER, exact, peer)
    near_as(exact * (1 + UNIT), exact, exact)  # a peer that is exact by chance still grants one rounding
    with pytest.raises(AssertionError):
        near_as(exact + 1e-6, exact, exact)


def test_what_is_printed_is_compared_by_its_digits() -> None:
    printed(0.125, 0.13, 2)
    with pytest.raises(AssertionError):
        printed(0.125, 0.14, 2)


@pytest.mark.parametrize("compare", [near, lambda a, b: same_network(a, b, PLAIN), lambda a, b: near_as(a, b, b)])
def test_shapes_and_what_is_no_number_are_seen(compare: Callable[..., None]) -> None:
    for found, expected in [(np.ones(3), np.ones((2, 2))), (np.array([np.nan]), np.ones(1)), ([np.inf], [1.0])]:
        with pytest.raises(AssertionError):
            compare(found, expected)
