"""A block step by step: equal to the model's own blocks, and normalisation worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import ModelConfig
from core.errors import SettingsError
from core.explain.block_lab import NormMaps, block, maps_of, norm_of, normalised, random_maps, with_norm
from core.explain.lab import step
from core.explain.source_lines import source_line
from core.figures import lab_words
from core.model.blocks import DecoderBlock, EncoderBlock
from core.model.layers import LayerNormalization
from tests.models import FAMILIES, randomise


def drawn(*shape, seed=2) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).round(2)


def weights_of(steps, group) -> list[np.ndarray]:
    return [each.values for each in steps if each.stage == "weights" and each.group == group]


def test_blocks_equal_the_models(subtests):
    for width, heads, head_dim, norm in [
        (4, 1, None, "post"), (4, 2, None, "pre"), (5, 2, 3, "post"), (1, 1, None, "pre"), (6, 3, None, "post"),
    ]:  # fmt: skip
        config = ModelConfig(
            d_model=width, num_heads=heads, head_dim=head_dim, feed_forward_dim=7, norm=norm, dropout=0.0,
            source_vocabulary=9, target_vocabulary=9,
        )  # fmt: skip
        encoder, decoder = EncoderBlock(config), DecoderBlock(config)
        encoder.build((None, 4, width))
        decoder.build((None, 3, width), (None, 5, 2))
        randomise(encoder)
        randomise(decoder)
        with subtests.test(block="encoder", norm=norm, width=width):
            x, keep = drawn(4, width), np.array([1, 1, 0, 1])
            output, weights = encoder(x[None].astype("float32"), attention_mask=keep[None, None, None])
            steps = block(maps_of(encoder), x, [keep[None]])
            np.testing.assert_allclose(steps[-1].values, np.asarray(output)[0], atol=1e-5)
            np.testing.assert_allclose(weights_of(steps, "self"), np.asarray(weights)[0], atol=1e-5)
        with subtests.test(block="decoder", norm=norm, width=width):
            x, memory, look_ahead = drawn(3, width), drawn(5, 2, seed=3), np.tril(np.ones((3, 3)))
            keep = np.array([[1, 1, 1, 0, 0]])
            inputs = x[None].astype("float32"), memory[None].astype("float32")
            output, *weights = decoder(*inputs, look_ahead[None, None], keep[None, None])
            steps = block(maps_of(decoder), x, [look_ahead, keep], memory)
            np.testing.assert_allclose(steps[-1].values, np.asarray(output)[0], atol=1e-5)
            for group, expected in zip(("self", "cross"), weights, strict=True):
                np.testing.assert_allclose(weights_of(steps, group), np.asarray(expected)[0], atol=1e-5)
            assert [each.group for each in steps if each.stage == "norm"] == ["self", "cross", "feed"]


def test_blocks_of_the_families_equal_the_models(subtests):
    for family, settings in FAMILIES.items():
        config = ModelConfig(d_model=6, num_heads=2, head_dim=4, feed_forward_dim=7, dropout=0.0).replace(**settings)
        encoder, decoder = EncoderBlock(config), DecoderBlock(config)
        encoder.build((None, 4, 6))
        decoder.build((None, 4, 6), (None, 5, 6))
        x, memory, look_ahead = drawn(4, 6), drawn(5, 6, seed=3), np.tril(np.ones((4, 4)))
        bias = drawn(2, 4, 4, seed=5) if config.positions == "relative" else None
        given = None if bias is None else bias[None].astype("float32")
        inputs = x[None].astype("float32"), memory[None].astype("float32")
        output, weights = randomise(encoder)(inputs[0], bias=given)
        decoded, *_ = randomise(decoder)(*inputs, look_ahead[None, None], bias=given)
        with subtests.test(family=family):
            steps = block(maps_of(encoder), x, [np.ones((4, 4))], None, bias)
            np.testing.assert_allclose(steps[-1].values, np.asarray(output)[0], atol=1e-5)
            np.testing.assert_allclose(weights_of(steps, "self"), np.asarray(weights)[0], atol=1e-5)
            both = maps_of(decoder), x, [look_ahead, np.ones((4, 5))], memory, bias
            np.testing.assert_allclose(block(*both)[-1].values, np.asarray(decoded)[0], atol=1e-5)
            alone = None if bias is None else bias[:, [2]]
            masks = [look_ahead[[2]], np.ones((1, 5))]
            row = block(maps_of(decoder), x, masks, memory, alone, row=2)
            np.testing.assert_allclose(row[-1].values[0], np.asarray(decoded)[0, 2], atol=1e-5)
            for each in steps:
                title, said = lab_words.title(each), lab_words.formula(each)
                assert title and (config.biases or "b_" not in said and "b₁" not in title + said), each.name
                lab_words.source_key(each) and source_line(lab_words.source_key(each))


def test_normalisation_by_hand_and_as_the_layer():
    # x = (1, 3): mean 2, variance 1, normalised (−1, 1); γ = (2, 3), β = (10, 20) give (8, 23).
    maps = random_maps(2, 1, 2, 0)
    maps = replace(maps, norms=(NormMaps(np.array([2.0, 3.0]), np.array([10.0, 20.0]), 0.0), maps.norms[1]))
    steps = block(with_norm(maps, "pre"), np.array([[1.0, 3.0]]), [np.ones((1, 1))])
    names = ("mean", "variance", "normal", "norm")
    assert [step(steps, f"self/{name}").values.tolist() for name in names] == [[[2]], [[1]], [[-1, 1]], [[8, 23]]]
    layer = LayerNormalization(epsilon=0.01)
    layer.build((None, 6))
    randomise(layer)
    x = drawn(3, 6)
    np.testing.assert_allclose(normalised(x, norm_of(layer)), np.asarray(layer(x.astype("float32"))), atol=1e-5)
    # Width one leaves beta.
    maps = random_maps(1, 1, 3, 0)
    maps = replace(maps, norms=(maps.norms[0], NormMaps(np.array([5.0]), np.array([0.7]))))
    assert block(maps, np.array([[3.0], [9.0]]), [np.ones((2, 2))])[-1].values.tolist() == [[0.7], [0.7]]


def test_both_orders_do_what_they_say():
    x, maps = drawn(5, 4), random_maps(4, 2, 6, 0)
    post, pre = (block(with_norm(maps, norm), x, [np.ones((5, 5))]) for norm in ("post", "pre"))
    np.testing.assert_allclose(post[-1].values.mean(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(post[-1].values.var(axis=1), 1, atol=1e-4)
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


def test_what_does_not_fit_is_refused(subtests):
    maps, masks = random_maps(4, 1, 6, 0, memory=3), [np.ones((2, 2))] * 2
    for arguments, message in [
        ((maps, np.ones((2, 5)), masks, np.ones((2, 3))), r"as wide as γ and β. Received: x \(2, 5\), γ \(4,\)"),
        ((maps, np.ones((2, 4)), masks, np.ones((2, 4))), r"memory \(2, 4\), W_K \(3, 4\)"),
        ((maps, np.ones((2, 4)), masks), "Received: memory=None"),
        ((random_maps(1, 1, 1, 0), np.array([[np.nan]]), [np.ones((1, 1))]), "an empty cell in x, row 1, column 1"),
    ]:
        with subtests.test(message=message), pytest.raises(SettingsError, match=message):
            block(*arguments)


def test_a_memory_that_an_encoder_block_cannot_read_is_refused():
    with pytest.raises(SettingsError, match=r"memory \(2, 3\), W_K \(4, 4\)"):
        block(random_maps(4, 1, 6, 0), np.ones((2, 4)), [np.ones((2, 2))], np.ones((2, 3)))
