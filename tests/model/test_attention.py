"""Scaled dot-product and multi-head attention: parity with Keras' own, masks, gates, dropout."""

import keras
import numpy as np
import pytest

from core.model.attention import MultiHeadAttention, scaled_dot_product_attention
from core.model.gates import HeadGate
from core.model.masks import look_ahead_mask, padding_mask, target_mask
from tests.closeness import near
from tests.models import randomise
from tests.refusals import refused

pytestmark = pytest.mark.numeric
TOKENS = np.array([[5, 6, 7, 8, 0], [9, 3, 0, 0, 0]])
BATCH, LENGTH = TOKENS.shape


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def pair(heads=3, key_dim=4, width=10, memory_width=10):
    """Ours and Keras' layer with the same weights."""
    ours = MultiHeadAttention(heads, key_dim, width)
    ours.build((None, None, width), (None, None, memory_width))
    randomise(ours)
    theirs = keras.layers.MultiHeadAttention(heads, key_dim, output_shape=width)
    theirs.build((None, None, width), (None, None, memory_width), (None, None, memory_width))
    split = (heads, key_dim)
    for name in ("query", "key", "value"):
        kernel, bias = (np.asarray(x) for x in getattr(ours, f"{name}_projection").weights)
        getattr(theirs, f"_{name}_dense").set_weights([kernel.reshape(-1, *split), bias.reshape(split)])
    kernel, bias = (np.asarray(x) for x in ours.output_projection.weights)
    theirs._output_dense.set_weights([kernel.reshape(*split, width), bias])
    return ours, theirs


MASKS = (None, padding_mask(TOKENS), look_ahead_mask(LENGTH)[None, None], target_mask(TOKENS))


def test_parity_with_keras():
    tokens = padding_mask(TOKENS)
    cases = [((), normal(BATCH, LENGTH, 10), normal(BATCH, LENGTH, 10), mask) for mask in MASKS]
    for sizes, query, memory, mask in [*cases, ((19, 3, 15, 9), normal(2, 3, 15), normal(2, 5, 9, seed=1), tokens)]:
        ours, theirs = pair(*sizes)
        output, weights = ours(query, memory, attention_mask=mask)
        if mask is not None:
            mask = np.broadcast_to(mask, (BATCH, 1, query.shape[1], LENGTH))[:, 0]
        expected, expected_weights = theirs(query, memory, attention_mask=mask, return_attention_scores=True)
        near(weights, expected_weights, terms=12, depth=6)
        near(output, expected, terms=12, depth=6)


def test_masks_of_any_type():
    for dtype in ["bool", "int32", "float32"]:
        q, k, v = normal(2, 3, 4), normal(2, 5, 4, seed=1), normal(2, 5, 2, seed=2)
        keep = np.array([[1, 0, 1, 1, 0]] * 3)
        expected = scaled_dot_product_attention(q, k, v, keep.astype("bool"))
        got = scaled_dot_product_attention(q, k, v, keep.astype(dtype))
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        assert np.all(np.asarray(got[1])[:, :, [1, 4]] == 0), dtype
    # Mask as nested lists.
    x = normal(2, 2)
    _, weights = scaled_dot_product_attention(x.tolist(), x.tolist(), x.tolist(), [[1, 0], [1, 1]])
    assert np.asarray(weights)[0].tolist() == [1, 0]
    x = normal(1, 3, 4)
    output, weights = scaled_dot_product_attention(x, x, x, np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1]]))
    assert np.all(np.isfinite(output)) and np.all(np.isfinite(weights))
    near(np.sum(weights, axis=-1), 1, terms=12, depth=6)
    x = np.full((1, 2, 4), 1e4, dtype="float32")
    output, weights = scaled_dot_product_attention(x, x, x, look_ahead_mask(2))
    near(weights[0], [[1, 0], [0.5, 0.5]])
    assert np.all(np.isfinite(output))


def test_arguments_that_do_not_fit():
    for shapes, message in [
        (((3, 4), (5, 3), (5, 2)), r"query and key.*\(3, 4\)"),
        (((3, 4), (5, 4), (6, 2)), r"key and value.*\(6, 2\)"),
    ]:
        refused(ValueError, message, scaled_dot_product_attention, *(normal(*shape) for shape in shapes))
    for arguments in [(0, 4, 4), (2, 0, 4), (2, 4, 0)]:
        refused(ValueError, "at least 1. Received", MultiHeadAttention, *arguments)


def gate(*share, fill=None):
    """A gate of three heads of width 4; zeros stand in for what is off, or one row of numbers a head."""
    return HeadGate(np.float32(share), np.zeros((3, 4), "float32") if fill is None else fill)


def test_gates():
    # A closed gate silences its head.
    ours, _ = pair()
    x = normal(2, 5, 10)
    gated, weights = ours(x, x, gate=gate(1, 0, 0.5))
    kernel = np.asarray(ours.output_projection.kernel).copy()
    kernel[4:8] = 0  # the rows that the second head's output meets
    kernel[8:] *= 0.5  # and those of the third
    ours.output_projection.kernel.assign(kernel)
    silenced, same_weights = ours(x, x)
    near(gated, silenced, terms=12, depth=6)
    np.testing.assert_array_equal(weights, same_weights)
    # Open gates change nothing. Exactly, whatever would stand in for a head that is off.
    ours, _ = pair()
    for share in [np.ones(3, "float32"), np.ones((2, 3), "float32")]:
        for fill in (np.zeros((3, 4), "float32"), normal(3, 4, seed=3), normal(2, 3, 4, seed=3)):
            np.testing.assert_array_equal(ours(x, x, gate=HeadGate(share, fill))[0], ours(x, x)[0])


def test_what_stands_in_for_closed_heads_goes_through_the_output_projection():
    ours, _ = pair()
    x, fill = normal(2, 5, 10), normal(3, 4, seed=3)
    kernel, bias = (np.asarray(each) for each in ours.output_projection.weights)
    expected = fill.reshape(12) @ kernel + bias
    output = ours(x, x, gate=gate(0, 0, 0, fill=fill))[0]
    near(output, np.broadcast_to(expected, (2, 5, 10)), terms=12, depth=6)
    half = ours(x, x, gate=gate(1, 1, 0.5, fill=fill))[0]
    ends = [np.asarray(ours(x, x, gate=gate(1, 1, share, fill=fill))[0]) for share in (0, 1)]
    near(half, sum(ends) / 2, terms=12, depth=6)
    # Every row has its own gate and what stands in for it.
    fills = normal(2, 3, 4, seed=3)
    shares = np.float32([[1, 0, 1], [0.5, 1, 0]])
    together = np.asarray(ours(x, x, gate=HeadGate(shares, fills))[0])
    for row in range(2):
        alone = ours(x[row : row + 1], x[row : row + 1], gate=HeadGate(shares[row], fills[row]))[0]
        near(together[row], alone[0], terms=12, depth=6)
    crossed = np.asarray(ours(x, x, gate=HeadGate(shares[::-1].copy(), fills))[0])
    assert (np.abs(crossed - together).max(axis=(1, 2)) > 1e-2).all()


def test_zero_and_mean_ablation_by_hand():
    """METHODS: heads (1, 0) and (0, 2), mean of head 2 (0, 1.8): zero changes the output by 2.0, its mean by 0.2."""
    layer = MultiHeadAttention(2, 2, 2)
    layer.build((None, None, 2), (None, None, 2))
    for projection in (layer.query_projection, layer.key_projection, layer.value_projection):
        projection.set_weights([np.zeros((2, 4)), np.zeros(4)])
    layer.value_projection.bias.assign([1, 0, 0, 2])  # both heads put out the same at every place
    layer.output_projection.set_weights([np.concatenate([np.eye(2), np.eye(2)]), np.zeros(2)])
    x = normal(1, 3, 2)
    whole = np.asarray(layer(x, x)[0])
    near(whole[0], [[1, 2]] * 3, terms=12, depth=6)

    def change(*fill):
        closed = HeadGate(np.float32([1, 0]), np.float32([[0, 0], fill]))
        return np.linalg.norm(np.asarray(layer(x, x, gate=closed)[0]) - whole, axis=-1)[0]

    near(change(0, 0), [2.0] * 3, terms=12, depth=6)
    near(change(0, 1.8), [0.2] * 3, terms=12, depth=6)
    near(change(0, 2), [0.0] * 3, terms=12, depth=6)  # its own constant output


def test_dropout_in_training_only_and_weights_from_before_it():
    keras.utils.set_random_seed(0)
    layer = MultiHeadAttention(3, 4, 10, dropout=0.5)
    layer.build((None, None, 10), (None, None, 10))
    randomise(layer)
    x = normal(2, 5, 10)
    plain, weights = layer(x, x)
    again, _ = layer(x, x, training=False)
    dropped, weights_in_training = layer(x, x, training=True)
    np.testing.assert_array_equal(plain, again)
    assert np.max(np.abs(np.asarray(dropped) - plain)) > 0.01
    np.testing.assert_array_equal(weights, weights_in_training)
