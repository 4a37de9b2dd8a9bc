"""Normalisation, residual connections, feed-forward networks, embeddings, positions and blocks, by hand."""

import math

import keras
import numpy as np
import pytest

from core.model.attention import MultiHeadAttention
from core.model.blocks import DecoderBlock, Encoder, EncoderBlock
from core.model.layers import FeedForward, LayerNormalization, Residual, RMSNormalization, TokenEmbedding
from core.model.positional import PositionalEncoding, RelativeBias, relative_buckets, sinusoidal_encoding
from core.model.transformer import Transformer
from tests.closeness import near
from tests.models import randomise
from tests.refusals import refused

pytestmark = pytest.mark.numeric


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def by_hand(x, gamma=1.0, beta=0.0, epsilon=1e-6):
    x = x.astype("float64")
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) + beta


def test_layer_normalization():
    layer = LayerNormalization()
    near(layer(np.array([[1.0, 3.0]], dtype="float32")), [[-1, 1]], terms=12, depth=4)
    ours, theirs = LayerNormalization(epsilon=1e-3), keras.layers.LayerNormalization(epsilon=1e-3)
    x = normal(2, 3, 7) * 5 + 2
    ours(x), theirs(x)
    randomise(ours)
    theirs.set_weights(ours.get_weights())
    near(ours(x), theirs(x), terms=12, depth=4)


def test_residual_by_hand():
    gamma, beta = np.array([1, 2, 3, 4]), np.array([0.5, 0, -0.5, 1])
    for norm in ["post", "pre"]:
        layer = Residual(norm, 0.0)
        layer.build((None, None, 4))
        layer.normalization.set_weights([gamma, beta])
        x = normal(1, 2, 4)
        read = np.asarray(layer.before(x))
        joined = layer.after(x, 2 * read)  # the sub-layer doubles
        if norm == "post":
            np.testing.assert_array_equal(read, x)
            near(joined, by_hand(x + 2 * x, gamma, beta), terms=12, depth=4)
        else:
            near(read, by_hand(x, gamma, beta), terms=12, depth=4)
            near(joined, x + 2 * by_hand(x, gamma, beta), terms=12, depth=4)
    # Residual drops the output and not the input.
    keras.utils.set_random_seed(0)
    layer = Residual("pre", 0.5)
    layer.build((None, None, 200))
    x, output = np.full((1, 1, 200), 3.0, dtype="float32"), np.ones((1, 1, 200), dtype="float32")
    assert set(np.unique(layer.after(x, output, training=True))) == {3.0, 5.0}
    assert set(np.unique(layer.after(x, output))) == {4.0}
    refused(ValueError, "norm must be one of post, pre. Received: norm='sandwich'", Residual, "sandwich", 0.0)


def test_feed_forward():
    layer = FeedForward(2)
    layer.build((None, None, 2))
    layer.expand.set_weights([np.array([[1.0, -1.0], [2.0, 1.0]]), np.array([0.0, 1.0])])
    layer.contract.set_weights([np.array([[1.0, 0.5], [3.0, 1.0]]), np.array([0.1, 0.2])])
    # x W1 + b1 = (5, 2) and (-5, -4 -> 0), ReLU -> (5, 2) and (0, 0): -1*1 + -2*2 = -5; 1 - 2 + 1 = 0
    x = np.array([[[1.0, 2.0], [-1.0, -2.0]]], dtype="float32")
    near(layer(x), [[[5 + 6 + 0.1, 2.5 + 2 + 0.2], [0.1, 0.2]]], terms=12, depth=4)
    # Feed forward dropout in training only.
    keras.utils.set_random_seed(0)
    layer = FeedForward(50, dropout=0.5)
    x = normal(1, 3, 4)
    np.testing.assert_array_equal(layer(x), layer(x, training=False))
    assert np.max(np.abs(np.asarray(layer(x, training=True)) - np.asarray(layer(x)))) > 0.01


def test_embeddings_are_scaled_and_logits_are_not():
    layer = TokenEmbedding(5, 9)
    layer.build((None, None))
    table = normal(5, 9)
    layer.table.assign(table)
    near(layer(np.array([[3, 0]])), table[None, [3, 0]] * 3, terms=12, depth=4)
    states = normal(1, 2, 9, seed=1)
    near(layer.logits(states), states @ table.T, terms=12, depth=4)


def test_sinusoids_of_any_width_and_base():
    for dim in [1, 2, 5, 8]:
        for base in [10000.0, 100.0, 2.5]:
            table = sinusoidal_encoding(4, dim, base)
            assert table.shape == (4, dim) and table.dtype == np.float32, (dim, base)
            for position in range(4):
                for column in range(dim):
                    angle = position / base ** (2 * (column // 2) / dim)
                    expected = math.sin(angle) if column % 2 == 0 else math.cos(angle)
                    near(table[position, column], expected)
    for arguments in [(0, 4), (4, 0), (4, 4, 1.0), (4, 4, float("nan")), (4, 4, -3.0)]:
        refused(ValueError, "Received: length=", sinusoidal_encoding, *arguments)


def test_positions_are_added_from_the_first_on():
    for kind in ["sinusoidal", "halves", "learned"]:
        layer = PositionalEncoding(6, kind)
        layer.build((None, None, 4))
        table = sinusoidal_encoding(6, 4)[:, [0, 2, 1, 3] if kind == "halves" else [0, 1, 2, 3]]
        table = np.asarray(layer.table) if kind == "learned" else table
        x = normal(2, 3, 4)
        near(layer(x), x + table[:3], terms=12, depth=4)
        near(layer(x, first=2), x + table[2:5], terms=12, depth=4)
        assert len(layer.trainable_variables) == (kind == "learned"), kind
        for first, length in ((0, 7), (4, 3)):
            message = f"there are 6 positions. Received: first={first}"
            refused(ValueError, message, layer, normal(1, length, 4), first=first)
    message = "kind must be one of sinusoidal, halves, learned, relative. Received: kind='rotary'"
    refused(ValueError, message, PositionalEncoding, 6, "rotary")


def test_buckets_of_relative_positions_by_hand():
    # 8 buckets both ways: 4 a side, of which 2 hold one distance and 2 grow with the logarithm up to 16.
    # 2 + 2 ln(d / 2) / ln(8) reaches 3 at d = 2 * sqrt(8) = 5.66.
    distances = np.array([0, -1, -2, -5, -6, -16, -99, 1, 2, 6, 99])
    np.testing.assert_array_equal(relative_buckets(distances, 8, 16), [0, 1, 2, 2, 3, 3, 3, 5, 6, 7, 7])
    # One way: 4 single distances, then 4 + 4 ln(d / 4) / ln(4) is 5 at 5.66, 6 at 8, 7 at 11.3; nothing lies ahead.
    distances = np.array([3, 0, -3, -4, -5, -6, -8, -11, -12, -99])
    np.testing.assert_array_equal(relative_buckets(distances, 8, 16, False), [0, 0, 3, 4, 4, 5, 6, 6, 7, 7])


def test_a_relative_bias_has_one_number_a_bucket_and_head():
    layer = RelativeBias(num_heads=3, buckets=8, longest=16, length=6, both_ways=True)
    layer.build()
    table = normal(8, 3)
    layer.table.assign(table)
    bias = np.asarray(layer(np.array([2, 0, -1]), np.array([0, 2, 5, -1])))
    assert bias.shape == (1, 3, 3, 4)
    np.testing.assert_array_equal(bias[0, :, 0, :3], table[[2, 0, 6]].T)  # 2 back, itself, 3 ahead
    np.testing.assert_array_equal(bias[0, :, 1, :3], table[[0, 6, 6]].T)
    np.testing.assert_array_equal(bias[0, :, 2], np.zeros((3, 4)))  # a query or a key without a position
    np.testing.assert_array_equal(bias[0, :, :, 3], np.zeros((3, 3)))


def test_variants_of_the_parts_by_their_formulas():
    x = normal(1, 2, 4)
    layer = RMSNormalization(0.5)
    layer.build(x.shape)
    layer.gamma.assign([1.0, 2.0, 3.0, 4.0])
    expected = x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 0.5) * [1, 2, 3, 4]
    near(layer(x), expected, terms=12, depth=4)
    erf = np.vectorize(math.erf)
    formulas = {
        "relu": lambda x: np.maximum(x, 0),
        "gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
        "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
        "silu": lambda x: x / (1 + np.exp(-x)),
    }
    for activation, formula in formulas.items():
        layer = FeedForward(5, activation=activation, gated=True, biases=False)
        layer.build(x.shape)
        assert len(layer.trainable_variables) == 3
        first, second, last = (np.asarray(each.kernel) for each in (layer.expand, layer.gate, layer.contract))
        near(layer(x), formula(x @ first) * (x @ second) @ last, terms=12, depth=4)
    attention = MultiHeadAttention(2, 3, 4, biases=False, scale=False)
    bias = normal(1, 2, 2, 2, seed=3)
    _, weights = attention(x, x, bias=bias)
    query, key = (np.asarray(each.kernel) for each in (attention.query_projection, attention.key_projection))
    scores = np.einsum("bthk,bshk->bhts", (x @ query).reshape(1, 2, 2, 3), (x @ key).reshape(1, 2, 2, 3)) + bias
    near(weights, np.exp(scores) / np.exp(scores).sum(-1, keepdims=True), terms=12, depth=4)
    plain = TokenEmbedding(5, 4, scale=False, bias=True)
    plain.build((None, None))
    plain.bias.assign(np.arange(5))
    np.testing.assert_array_equal(plain(np.array([[3]]))[0, 0], np.asarray(plain.table)[3])
    near(plain.logits(x), x @ np.asarray(plain.table).T + np.arange(5), terms=12, depth=4)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_blocks_by_their_parts(tiny_config, norm):
    x, memory = normal(1, 3, 8), normal(1, 4, 8, seed=1)
    encoder, decoder = EncoderBlock(tiny_config(norm=norm)), DecoderBlock(tiny_config(norm=norm))
    for block, inputs in ((encoder, (x,)), (decoder, (x, memory))):
        block(*inputs)
        randomise(block)
        output, *weights = block(*inputs)
        parts = [(block.self_residual, lambda y, block=block: block.self_attention(y, y)[0])]
        if block is decoder:
            parts.append((block.cross_residual, lambda y: decoder.cross_attention(y, memory)[0]))
        else:
            inner = x if norm == "post" else block.self_residual.normalization(x)
            near(weights[0], block.self_attention(inner, inner)[1], terms=12, depth=4)
        expected = x
        for residual, part in [*parts, (block.feed_forward_residual, block.feed_forward)]:
            layer = residual.normalization
            expected = layer(expected + part(expected)) if norm == "post" else expected + part(layer(expected))
        near(output, expected, terms=12, depth=4)
    assert [each.shape for each in weights] == [(1, 2, 3, 3), (1, 2, 3, 4)]


def test_only_a_pre_norm_stack_normalises_its_end(tiny_config):
    for norm, extra in [("post", False), ("pre", True)]:
        encoder = Encoder(tiny_config(norm=norm))
        x = normal(1, 3, 8)
        encoder(x)
        output = randomise(encoder)(x)
        assert (encoder.final_norm is not None) == extra, norm
        last = output.hidden[-1]
        near(output.states, encoder.final_norm(last) if extra else last, terms=12, depth=4)
        np.testing.assert_array_equal(output.hidden[0], x)


def test_every_layer_comes_back_from_its_config(tiny_config):
    config = tiny_config(norm="pre", positions="learned", copy=True)
    layers = [
        TokenEmbedding(5, 9), LayerNormalization(epsilon=1e-3), Residual("pre", 0.3), FeedForward(7, 0.2),
        MultiHeadAttention(3, 4, 10, dropout=0.5, name="cross_attention"), EncoderBlock(config, name="block1"),
        DecoderBlock(config), Encoder(config), PositionalEncoding(6, "learned", 100.0), Transformer(config),
    ]  # fmt: skip
    for layer in layers:
        again = type(layer).from_config(layer.get_config())
        assert again.get_config() == layer.get_config()
    assert Transformer.from_config(layers[-1].get_config()).config == config


def test_normalisation_keeps_its_weights_in_full_precision():
    """√2 · 1.003 = 1.4184 is nearest to 182 / 128 in bfloat16; were 1.003 rounded to 1 first, it would be 181 / 128."""
    layer = RMSNormalization(dtype="mixed_bfloat16")
    layer.build((None, 2))
    layer.set_weights([np.array([1.003, 1.0])])
    found = layer(keras.ops.convert_to_tensor(np.array([[1.0, 0.0]]), "bfloat16"))
    assert np.asarray(keras.ops.cast(found, "float32")).tolist() == [[182 / 128, 0.0]]
