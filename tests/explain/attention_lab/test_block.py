"""A block step by step: equal to the model's own blocks, and normalisation worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import ModelConfig
from core.errors import SettingsError
from core.explain.attention_lab.block import NormMaps, block, block_steps, maps_of, norm_of, normalised, random_maps
from core.explain.attention_lab.lab import step
from core.explain.shared.source_lines import source_line
from core.figures.attention_lab import words
from core.model.blocks import DecoderBlock, EncoderBlock
from core.model.layers import LayerNormalization
from tests.closeness import near
from tests.models import FAMILIES, randomise
from tests.refusals import refusals


def drawn(*shape, seed=2) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).round(2)


def weights_of(steps, group) -> list[np.ndarray]:
    return [each.values for each in steps if each.stage == "weights" and each.group == group]


BLOCKS = {
    "pre, two heads": {"norm": "pre"}, "wide heads": {"d_model": 5, "head_dim": 3},
    "one number": {"d_model": 1, "num_heads": 1, "norm": "pre"},
    **{name: settings | {"head_dim": 4} for name, settings in FAMILIES.items()},
}  # fmt: skip


@pytest.mark.numeric
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_equal_the_models(name):
    sizes = {"d_model": 4, "num_heads": 2, "feed_forward_dim": 7, "source_vocabulary": 9, "target_vocabulary": 9}
    config = ModelConfig(dropout=0.0, **sizes | BLOCKS[name])
    width, relative = config.d_model, config.positions == "relative"
    encoder, decoder = EncoderBlock(config), DecoderBlock(config)
    encoder.build((None, 4, width))
    decoder.build((None, 4, width), (None, 5, width))
    x, memory, look_ahead = drawn(4, width), drawn(5, width, seed=3), np.tril(np.ones((4, 4)))
    keep, read = np.array([[1, 1, 0, 1]]), np.array([[1, 1, 1, 0, 0]])
    bias = drawn(2, 4, 4, seed=5) if relative else None
    given = None if bias is None else bias[None].astype("float32")
    inputs = x[None].astype("float32"), memory[None].astype("float32")
    output, weights = randomise(encoder)(inputs[0], attention_mask=keep[None, None], bias=given)
    decoded, *both = randomise(decoder)(*inputs, look_ahead[None, None], read[None, None], bias=given)
    steps = block_steps(maps_of(encoder), x, [keep], None, bias)
    near(steps[-1].values, np.asarray(output)[0], terms=7, depth=30)
    near(weights_of(steps, "self"), np.asarray(weights)[0], terms=7, depth=30)
    whole = block_steps(maps_of(decoder), x, [look_ahead, read], memory, bias)
    near(whole[-1].values, np.asarray(decoded)[0], terms=7, depth=30)
    for group, expected in zip(("self", "cross"), both, strict=True):
        near(weights_of(whole, group), np.asarray(expected)[0], terms=7, depth=30)
    assert [each.group for each in whole if each.stage == "norm"] == ["self", "cross", "feed"]
    for each in steps:
        title, said = words.title(each), words.formula(each)
        assert title and (config.biases or "b_" not in said and "b₁" not in title + said), each.name
        words.source_key(each) and source_line(words.source_key(each))


def test_normalisation_by_hand_and_as_the_layer():
    # x = (1, 3): mean 2, variance 1, normalised (−1, 1); γ = (2, 3), β = (10, 20) give (8, 23).
    maps = random_maps(2, 1, 2, 0)
    maps = replace(maps, norms=(NormMaps(np.array([2.0, 3.0]), np.array([10.0, 20.0]), 0.0), maps.norms[1]))
    steps = block(replace(maps, norm="pre"), np.array([[1.0, 3.0]]), [np.ones((1, 1))])
    names = ("mean", "variance", "normal", "norm")
    assert [step(steps, f"self/{name}").values.tolist() for name in names] == [[[2]], [[1]], [[-1, 1]], [[8, 23]]]
    layer = LayerNormalization(epsilon=0.01)
    layer.build((None, 6))
    randomise(layer)
    x = drawn(3, 6)
    near(normalised(x, norm_of(layer)), np.asarray(layer(x.astype("float32"))), terms=7, depth=30)
    # Width one leaves beta.
    maps = random_maps(1, 1, 3, 0)
    maps = replace(maps, norms=(maps.norms[0], NormMaps(np.array([5.0]), np.array([0.7]))))
    assert block(maps, np.array([[3.0], [9.0]]), [np.ones((2, 2))])[-1].values.tolist() == [[0.7], [0.7]]


def test_both_orders_do_what_they_say():
    x, maps = drawn(5, 4), random_maps(4, 2, 6, 0)
    post, pre = (block(replace(maps, norm=norm), x, [np.ones((5, 5))]) for norm in ("post", "pre"))
    near(post[-1].values.mean(axis=1), 0, terms=4, depth=4)
    np.testing.assert_allclose(post[-1].values.var(axis=1), 1, atol=1e-4)  # ε makes it smaller
    added = step(pre, "self/attended").values + step(pre, "feed/contract").values
    np.testing.assert_allclose(pre[-1].values, x + added)
    for steps, order in ((post, ["self/sum", "self/mean"]), (pre, ["self/mean", "self/sum"])):
        assert [each.name for each in steps if each.name in order] == order


def test_weights_are_readable_and_depend_on_the_seed_alone():
    first, again, other = (random_maps(4, 2, 6, seed, memory=3) for seed in (0, 0, 1))
    assert (first.expand.kernel == again.expand.kernel).all() and (first.expand.kernel != other.expand.kernel).any()
    assert (first.expand.kernel == first.expand.kernel.round(1)).all()
    assert first.attentions[1].key.kernel.shape == (3, 4) and first.attentions[0].key.kernel.shape == (4, 4)
    alone = random_maps(4, 2, 6, 0)
    assert (alone.attentions[0].query.kernel == first.attentions[0].query.kernel).all()
    assert (alone.contract.kernel == first.contract.kernel).all()


def test_what_does_not_fit_is_refused(snapshot):
    maps, masks = random_maps(4, 1, 6, 0, memory=3), [np.ones((2, 2))] * 2
    cases = [(maps, np.ones((2, 5)), masks, np.ones((2, 3))), (maps, np.ones((2, 4)), masks, np.ones((2, 4)))]
    cases += [(maps, np.ones((2, 4)), masks), (random_maps(1, 1, 1, 0), np.array([[np.nan]]), [np.ones((1, 1))])]
    cases += [(random_maps(4, 1, 6, 0), np.ones((2, 4)), masks[:1], np.ones((2, 3)))]  # no memory is read
    assert refusals(SettingsError, block, cases) == snapshot
