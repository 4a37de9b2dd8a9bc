"""The pointer-generator: See et al. 2017, equations 8 and 9, by hand."""

import keras
import numpy as np
import pytest

from core.config import END, PAD, START, TURN, UNKNOWN
from core.model.copying import CopyHead, CrossCopy, Pointer
from core.model.gates import HeadGate
from tests.closeness import near, printed
from tests.models import randomise

pytestmark = pytest.mark.numeric
A, B, C, Z = 0, 1, 2, 3


def pointer():
    """p_gen .6; the source is b z b, looked at with .2 .5 .3."""
    weights = np.array([[[0.2, 0.5, 0.3]]], dtype="float32")
    return Pointer(weights, np.log([[np.float32(0.6)]]), np.log([[np.float32(0.4)]]))


def test_mixture_and_pointer_by_hand():
    generated = np.array([[[0.5, 0.3, 0.2, 1e-30]]], dtype="float32")
    mixed = np.exp(pointer().mix(np.log(generated), np.array([[B, Z, B]])))[0, 0]
    near(mixed, [0.30, 0.38, 0.12, 0.20], terms=4, depth=6)
    near(mixed.sum(), 1, terms=4, depth=2)
    # What of P(b) came from copying: (1 - p_gen) (.2 + .3) / P(b).
    printed(0.4 * 0.5 / mixed[B], 0.526, 3)
    # Log of copying sums over repeats.
    source = np.array([[B, Z, B]])
    one = pointer()._replace(weights=np.repeat(pointer().weights, 3, axis=1))
    logs = np.asarray(one.log_of(np.array([[B, Z, A]]), source))[0]
    near(np.exp(logs[:2]), [0.5, 0.5], terms=4, depth=6)
    near(logs[2], np.log(1e-9))
    layer = head()
    x, embedded, memory = states(1, 2, 4, seed=1), states(1, 2, 4, seed=2), states(1, 3, 4, seed=3)
    result = layer(x, embedded, memory, np.array([[7, 8, 9]]))
    scores = (x @ np.asarray(layer.query.kernel)) @ (memory @ np.asarray(layer.key.kernel)).swapaxes(1, 2) / 2
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    near(result.weights, weights, terms=4, depth=6)
    kernel, bias = np.asarray(layer.switch.kernel)[:, 0], np.asarray(layer.switch.bias)[0]
    context = weights @ memory
    p_gen = 1 / (1 + np.exp(-(np.concatenate([x, context, embedded], -1) @ kernel + bias)))
    near(np.exp(result.log_generate), p_gen, terms=4, depth=6)
    near(np.exp(result.log_copy), 1 - p_gen, terms=4, depth=6)


def head():
    layer = CopyHead(4)
    layer.build((None, None, 4), (None, None, 4), (None, None, 4), (None, None))
    return randomise(layer)


def states(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def test_specials_are_never_copied_and_a_certain_switch_stays_finite():
    source = np.array([[7, TURN, 8, UNKNOWN, START, END, PAD]])
    result = head()(states(1, 2, 4, seed=1), states(1, 2, 4, seed=2), states(1, 7, 4, seed=3), source)
    weights = np.asarray(result.weights)
    assert np.all(weights[:, :, [1, 3, 4, 5, 6]] == 0)
    near(weights.sum(-1), 1, terms=4, depth=6)
    layer = head()
    arguments = (states(1, 2, 4, seed=1), states(1, 2, 4, seed=2), states(1, 3, 4, seed=3), np.array([[7, 8, 9]]))
    for bias in (500.0, -500.0):
        layer.switch.bias.assign([bias])
        result = layer(*arguments)
        assert np.all(np.isfinite(result.log_generate)) and np.all(np.isfinite(result.log_copy))
        generated = keras.ops.log_softmax(np.zeros((1, 2, 10), "float32"))
        mixed = result.mix(generated, np.array([[7, 8, 9]]))
        near(np.exp(mixed).sum(-1), 1, terms=4, depth=6)


def test_each_step_generates_or_copies_what_one_head_attends_to():
    layer = CrossCopy(4, 2)
    layer.build((None, None, 4))
    x, embedded = states(1, 1, 4, seed=1), states(1, 1, 4, seed=2)
    layer.switch.kernel.assign(np.zeros((8, 3)))
    generated = np.exp(np.asarray(layer.switch.bias))
    printed(generated[0] / generated.sum(), 0.731, 3)  # 1 / (1 + 1 / e): before training
    layer.switch.bias.assign(np.log([0.5, 0.3, 0.2]))
    source = np.array([[7, TURN, 9]])
    attention = np.array([[[[0.5, 0.1, 0.4]], [[0.2, 0.7, 0.1]], [[1, 0, 0]]]], dtype="float32")  # the third: no copies

    def copied(*open_heads, copies=None):
        copying = copies and np.array(copies, "float32")
        gate = HeadGate(np.array(open_heads, "float32"), np.zeros((3, 2), "float32"), copying) if open_heads else None
        found = layer(x, embedded, attention, source, gate)
        shares = np.exp(found.log_copy)[0, 0] * np.asarray(found.weights)[0, 0]
        near(np.exp(found.log_generate)[0, 0], 1 - shares.sum(), depth=3)
        return shares

    near(copied(), [0.3 * 0.5 + 0.2 * 0.2, 0, 0.3 * 0.4 + 0.2 * 0.1], terms=4, depth=6)
    near(copied(1, 0, 0), [0.3 * 0.5, 0, 0.3 * 0.4], terms=4, depth=6)
    near(copied(0, 0, 1), 0, terms=4, depth=6)  # all of it is generated
    near(copied(0, 0, 1, copies=[1, 0, 1]), [0.3 * 0.5, 0, 0.3 * 0.4], terms=4, depth=6)  # off, and it still points
