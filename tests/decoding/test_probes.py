"""Scores, lenses and gradients of small models of both norms, copying and not: against the plain eager model."""

import functools

import numpy as np
import pytest

from core.config import END, PAD, START, ModelConfig
from core.decoding.probes import SCORE_ROWS, Probes
from core.decoding.shapes import SOURCE_BUCKETS, bucket, source_table, table
from core.model.gates import HeadGate, HeadGates, all_heads
from core.model.transformer import Transformer
from tests.closeness import network_spread, same_network
from tests.models import SHARED, log_softmax, operator_by_operator, randomise, small
from tests.refusals import refused

SOURCES = ([9, 11, 7, 23, 11, 5, END], [28, 6, END], [8, 9, 10, 4, 12, 33, 7, 8, END])
TARGETS = ([11, 13, 7, 22, END], [28, END], [9, 39, 12, 12, 25, 10, END])
HIDDEN = [9, 11, PAD, PAD, 11, 5, END]
"""A source with a masked stretch."""
OTHERS = [pytest.param(("pre", False), marks=pytest.mark.slow), pytest.param(("post", True), marks=pytest.mark.slow)]
VARIANTS = [("pre", True), ("post", False), *OTHERS]


def transformer(norm: str, copy: bool, **changes) -> Transformer:
    sizes = {"d_model": 8, "head_dim": 3, "feed_forward_dim": 12, "encoder_layers": 3, "norm": norm, "copy": copy}
    config = small(40, 2, (140, 10), **sizes | dict.fromkeys(SHARED, copy) | changes)
    return randomise(Transformer(config), 1)


@functools.cache
def probes_of(norm: str, copy: bool, positions: str = "sinusoidal") -> Probes:
    with operator_by_operator():
        return Probes(transformer(norm, copy, positions=positions))


@pytest.fixture(params=VARIANTS, ids=["pre-copy", "post-plain", "pre-plain", "post-copy"])
def probes(request) -> Probes:
    return probes_of(*request.param)


@pytest.fixture
def copying() -> Probes:
    return probes_of("pre", True)


def eager(model: Transformer, source: list[int], target: list[int], gates: HeadGates | None = None) -> np.ndarray:
    """[T, V] log-probabilities of the plain model, neither compiled nor padded."""
    inputs = np.array([[START, *target[:-1]]], dtype="int32")
    return log_softmax(model.replay(np.array([source], dtype="int32"), inputs, gates)["logits"])[0]


def chosen(rows: np.ndarray, target: list[int]) -> np.ndarray:
    return rows[np.arange(len(target)), target]


def same(probes: Probes, found: np.ndarray, expected: np.ndarray) -> None:
    same_network(found, expected, probes.model.config)


def differ(probes: Probes, one: np.ndarray, other: np.ndarray) -> bool:
    return np.abs(np.asarray(one) - other).max() > 2 * network_spread(probes.model.config, one)


def one_off(config: ModelConfig, kind: str, layer: int, head: int, fill: float = 0.0) -> HeadGates:
    gates = all_heads(config)
    getattr(gates, kind).open[layer, head] = 0
    getattr(gates, kind).fill[layer, head] = fill
    return gates


@pytest.mark.numeric
def test_scores_are_those_of_the_plain_model(probes: Probes) -> None:
    found = probes.score(SOURCES, TARGETS)
    assert [row.shape for row in found] == [(5,), (2,), (7,)]
    for row, source, target in zip(found, SOURCES, TARGETS, strict=True):
        same(probes, row, chosen(eager(probes.model, source, target), target))
        same(probes, row, probes.score([source], [target])[0])
    hidden = probes.score([HIDDEN], TARGETS[:1])[0]
    same(probes, hidden, chosen(eager(probes.model, HIDDEN, TARGETS[0]), TARGETS[0]))
    assert differ(probes, hidden, found[0])


def test_every_row_is_scored_with_its_own_gates(probes: Probes) -> None:
    config = probes.model.config
    own = [
        all_heads(config),
        one_off(config, "encoder_self", 2, 0),
        one_off(config, "decoder_self", 0, 1, fill=0.7),
        one_off(config, "cross", 1, 1, fill=-0.7),
        one_off(config, "cross", 1, 1, fill=0.7),
    ]
    kinds = zip(*own, strict=True)
    stacked = HeadGates(*(HeadGate(*(np.stack(part, axis=1) for part in zip(*gates, strict=True))) for gates in kinds))
    source, target = SOURCES[0], TARGETS[0]
    together = probes.score([source] * 5, [target] * 5, stacked)
    for number, (row, gates) in enumerate(zip(together, own, strict=True)):
        same(probes, row, chosen(eager(probes.model, source, target, gates), target))
        same(probes, row, probes.score([source], [target], gates)[0])
        assert all(differ(probes, row, other) for other in together[:number])
    same(probes, together[0], probes.score([source], [target])[0])


def test_copying_what_the_source_lacks_is_as_unlikely_as_in_the_logits(copying: Probes) -> None:
    """The switch is turned to copying alone: a token that the source has not keeps its tiny share."""
    bias = copying.model.copy_head.switch.bias
    before = np.asarray(bias).copy()
    bias.assign([-60.0])
    target = [38, 11, END]
    found = copying.score(SOURCES[:1], [target])[0]
    same(copying, found, chosen(eager(copying.model, SOURCES[0], target), target))
    bias.assign(before)
    assert found[0] < -50 < found[1] and found[2] < -50


def test_what_does_not_fit_is_refused(copying: Probes) -> None:
    for sources, targets, message in [
        ([], [], "score takes 1 to 8 sources and as many targets. Received: 0 and 0"),
        ([[9, END]] * 2, [[9, END]], "Received: 2 and 1"),
        ([[9, END]] * 9, [[9, END]] * 9, "Received: 9 and 9"),
        ([[9] * 141], [[9, END]], "at most 140 tokens are possible here. Received: 141"),
        ([[9, END]], [[9] * 11], "at most 10 tokens are possible here. Received: 11"),
    ]:
        refused(ValueError, message, copying.score, sources, targets)
    for places, message in [
        ([0, 1], "Received: 2 for 3, 0 to 1"),
        ([0, 1, 140], "from -1 to 139. Received: 3 for 3, 0 to 140"),
        ([-2, 0, 1], "-2 to 1"),
        ([], "Received: 0 for 3"),
    ]:
        refused(ValueError, message, copying.encode_placed, SOURCES[1], places)


def test_every_encoder_layer_is_read_as_the_last_would_be(probes: Probes) -> None:
    model = probes.model
    plain = model.encode(np.array([HIDDEN], dtype="int32"))
    layers = probes.encode_layers(HIDDEN)
    assert len(layers) == 4
    size = len(HIDDEN)
    for layer, hidden in zip(layers, plain.hidden, strict=True):
        expected = hidden if model.encoder.final_norm is None else model.encoder.final_norm(hidden)
        same(probes, np.asarray(layer.states)[:, :size], expected)
        mask = np.asarray(layer.mask)[0, 0, 0]
        assert mask[:size].tolist() == [True, True, False, False, True, True, True] and not mask[size:].any()
    same(probes, np.asarray(layers[-1].states)[:, :size], plain.states)


@pytest.mark.numeric
def test_scores_from_any_number_of_states_are_the_scores(probes: Probes) -> None:
    source, target = SOURCES[0], TARGETS[0]
    layers = probes.encode_layers(source)
    found = probes.score_states(layers, target)
    same(probes, found[-1], probes.score([source], [target])[0])
    inputs = np.array([[START, *target[:-1]]], dtype="int32")
    for layer, row in zip(layers, found, strict=True):
        logits = probes.model.logits(probes.model.decode(inputs, layer), layer)
        same(probes, row, chosen(log_softmax(logits)[0], target))
    assert all(differ(probes, row, found[-1]) for row in found[:-1])
    many = probes.score_states([layers[number % 4] for number in range(SCORE_ROWS + 3)], target)
    assert len(many) == SCORE_ROWS + 3 and probes.score_states([], target) == []
    for number, row in enumerate(many):
        same(probes, row, found[number % 4])


@pytest.mark.parametrize(("norm", "copy", "positions"), [("pre", True, "sinusoidal"), ("post", False, "learned")])
def test_tokens_at_other_places(norm: str, copy: bool, positions: str) -> None:
    """The same places give the model's own output; without any, the order of the tokens is all the same."""
    probes = probes_of(norm, copy, positions)
    model, source = probes.model, SOURCES[2]
    size = len(source)
    own = np.asarray(model.encode(np.array([source])).states)

    def states(places: list[int], ids: list[int] = source) -> np.ndarray:
        found = probes.encode_placed(ids, places)
        assert np.asarray(found.mask)[0, 0, 0].sum() == size and np.asarray(found.source)[0, :size].tolist() == ids
        return np.asarray(found.states)[:, :size]

    same(probes, states(list(range(size))), own)
    turned = [*reversed(range(size))]
    for places in ([-1] * size, turned, [place + 131 for place in range(size)]):
        plain = np.asarray(model.encode(np.array([source]), places=np.array(places)).states)
        same(probes, states(places), plain)
        assert differ(probes, plain, own)
    backward = states([-1] * size, source[::-1])
    same(probes, backward[:, ::-1], states([-1] * size))
    same(probes, states(turned, source[::-1])[:, ::-1], own)
    assert probes.traces["placed"] == 1


def test_the_lens_is_that_of_the_plain_model(probes: Probes) -> None:
    source, target = SOURCES[2], TARGETS[2]
    found = probes.lens(source, target)
    assert found.shape == (3, 7, 40)
    encoded = probes.model.encode(np.array([source]))
    decoded = probes.model.decode(np.array([[START, *target[:-1]]]), encoded)
    same(probes, found, probes.model.lens(decoded, encoded))


def of_row(probes: Probes, source: list[int], target: list[int], row: int, foil: int | None = None, factors=None):
    """F of one row, and its gradients."""
    foils = None if foil is None else [foil if place == row else id for place, id in enumerate(target)]
    select = np.eye(len(target), dtype=np.float32)[[row]]
    value, by_source, by_target = probes.gradients(source, target, select, foils, factors)
    return float(value[0]), by_source[0], by_target[0]


def test_the_gradient_is_the_slope(probes: Probes) -> None:
    """Each source and each prefix token in turn: central differences of F over the factor of its embedding."""
    source, target, step = SOURCES[2], TARGETS[2], 0.002  # a small step: beyond a kink of a ReLU it differs
    places = step * np.eye(len(source) + len(target), dtype=np.float32)

    def slopes(row: int, foils: list[int] | None) -> np.ndarray:
        ends = []
        for factors in np.split(np.concatenate([1 + places, 1 - places]), 2 * len(places) // SCORE_ROWS):
            select = np.eye(len(target), dtype=np.float32)[[row] * SCORE_ROWS]
            ends.append(probes.gradients(source, target, select, foils, factors)[0])
        above, below = np.split(np.concatenate(ends), 2)
        return (above - below) / (2 * step)

    logs = eager(probes.model, source, target)
    for row, foil in ((0, 30), (2, None), (6, 30)):
        value, by_source, by_target = of_row(probes, source, target, row, foil)
        same(probes, value, logs[row, target[row]] - (0 if foil is None else logs[row, foil]))
        foils = None if foil is None else [foil if place == row else id for place, id in enumerate(target)]
        found = np.concatenate([by_source, by_target])
        # both values of F are rounded by about 1e-6, which the step makes 3e-4
        np.testing.assert_allclose(found, slopes(row, foils), rtol=0.02, atol=2e-3)
        assert (by_target[row + 1 :] == 0).all() and (by_target[: row + 1] != 0).all()
        assert np.abs(by_source).max() > 0.01


def test_what_is_masked_has_no_gradient(probes: Probes) -> None:
    _, by_source, _ = of_row(probes, HIDDEN, TARGETS[0], 3)
    assert (by_source[2:4] == 0).all() and (by_source[[0, 1, 4, 5, 6]] != 0).all()


def test_the_value_at_other_scales_is_that_of_scaled_tables(probes: Probes) -> None:
    """All source embeddings halved: the same as half the source's table."""
    model = probes.model
    source, target = SOURCES[0], TARGETS[0]
    half = np.full((1, 7 + 5), 0.5, dtype=np.float32)
    value, _, _ = of_row(probes, source, target, 4, factors=half)
    same(probes, value, of_row(probes, source, target, 4, factors=half[:, :1])[0])  # one factor for all of a row
    encoded = model.encode(np.array([source]), scale=half[:, :7])
    decoded = model.decode(np.array([[START, *target[:-1]]]), encoded, scale=half[:, 7:])
    same(probes, value, log_softmax(model.logits(decoded, encoded))[0, 4, END])
    assert differ(probes, value, eager(model, source, target)[4, END])


@pytest.mark.slow
def test_every_question_is_compiled_once_a_bucket() -> None:
    with operator_by_operator():
        probes = Probes(transformer("pre", True, max_target_length=40))
    config = probes.model.config

    def ask(source: list[int], target: list[int]) -> None:
        for rows, gates in ((1, None), (3, one_off(config, "cross", 0, 1)), (8, one_off(config, "encoder_self", 1, 0))):
            probes.score([source] * rows, [target] * rows, gates)
        layers = probes.encode_layers(source)
        probes.encode_placed(source, [-1] * len(source))
        probes.score_states(layers, target)
        probes.score_states(layers[:1], target)
        probes.lens(source, target)

    ask(SOURCES[0], TARGETS[0])
    ask(SOURCES[1], TARGETS[1])
    ask([9] * 130, TARGETS[0])  # a longer source
    ask(SOURCES[0], [12] * 33)  # a longer summary
    assert dict(probes.traces) == dict.fromkeys(("score", "score_states", "layers", "placed", "lens"), 1)


def test_buckets_and_tables() -> None:
    for length, longest, expected in [
        (1, 512, 128), (128, 512, 128), (129, 512, 256), (257, 512, 384), (385, 512, 512), (5, 100, 100),
        (130, 200, 200), (257, 600, 384), (513, 600, 600), (513, 1024, 768), (769, 1024, 1024),
    ]:  # fmt: skip
        assert bucket(length, SOURCE_BUCKETS, longest) == expected, (length, longest)
    assert table([[5, 6], [7]], 3, 4).tolist() == [[5, 6, 0], [7, 0, 0], [5, 6, 0], [5, 6, 0]]
    padded = source_table([5, 6], ModelConfig(max_source_length=300))
    assert padded.shape == (1, 128) and padded.dtype == np.int32 and padded[0, :3].tolist() == [5, 6, 0]
