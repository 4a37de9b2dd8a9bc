"""Watching our own lines: what is recorded, with which name, shape and line."""

import inspect
import linecache
import sys

import numpy as np
import pytest
from keras import ops

from core.model import attention, layers
from core.model.attention import MultiHeadAttention, attention_weights
from core.model.copying import CopyHead
from core.model.layers import FeedForward
from core.model.recording import Made, record
from core.model.transformer import Transformer


def seen(made: list[Made]) -> list[tuple[str, int, tuple[int, ...]]]:
    return [(each.name, each.occurrence, each.shape) for each in made]


def test_the_steps_of_a_function_with_their_lines():
    query, key = ops.ones((2, 3, 4)), ops.ones((2, 5, 4))
    mask = ops.ones((3, 5), dtype="bool")
    made = record(lambda: attention_weights(query, key, mask))
    assert seen(made[:3]) == [("query", 0, (2, 3, 4)), ("key", 0, (2, 5, 4)), ("mask", 0, (3, 5))]
    assert seen(made[3:]) == [(name, 0, (2, 3, 5)) for name in ("scores", "scaled", "masked", "return")]
    lines = [linecache.getline(each.file, each.line) for each in made[3:]]
    for part, line in zip(("matmul", "sqrt", "where", "softmax"), lines, strict=True):
        assert part in line
    source, first = inspect.getsourcelines(attention_weights)
    assert {each.start for each in made[3:]} == {first} and {each.file for each in made} == {attention.__file__}
    assert first <= made[3].line < first + len(source) and made[3].function == "attention_weights"
    assert made[3].layer is None and made[3].callers == ("attention_weights",)
    # Without a mask there is no masked step.
    made = record(lambda: attention_weights(ops.ones((1, 2)), ops.ones((3, 2))))
    assert seen(made[2:]) == [("scores", 0, (1, 3)), ("scaled", 0, (1, 3)), ("return", 0, (1, 3))]


def test_layers_of_the_library_are_named_and_our_layers_own_their_functions():
    layer = MultiHeadAttention(3, 5, 7)
    made = record(lambda: layer(ops.ones((1, 2, 7)), ops.ones((1, 4, 9))))
    by_name = {each.name: each for each in made}
    assert by_name["key"].layer is layer.key_projection and by_name["key"].shape == (1, 4, 15)
    assert by_name["key"].function == "MultiHeadAttention.project" and by_name["joined"].shape == (1, 2, 15)
    assert by_name["output"].layer is layer.output_projection and by_name["output"].shape == (1, 2, 7)
    weights = next(each for each in made if each.function == "attention_weights" and each.name == "return")
    assert weights.layer is layer and weights.shape == (1, 3, 2, 4)
    owner = "MultiHeadAttention"
    callers = (f"{owner}.call", f"{owner}.attend", f"{owner}.weigh", "attention_weights")
    assert weights.callers == callers
    heads = [(each.occurrence, each.shape) for each in made if each.name == "heads"]
    assert heads == [(0, (1, 4, 3, 5)), (0, (1, 4, 3, 5)), (0, (1, 2, 3, 5))]  # three runs of one function


def test_tensors_that_are_passed_on_and_fields():
    # A tensor that is passed on is no new one. Dropout outside training hands its input on; the one behind the ReLU
    # is where that has its first name.
    layer = FeedForward(5, dropout=0.3)
    made = record(lambda: layer(ops.ones((1, 2, 4))))
    shapes = {"x": (1, 2, 4), "expand": (1, 2, 5), "active": (1, 2, 5), "contract": (1, 2, 4)}
    assert seen(made) == [(name, 0, shape) for name, shape in shapes.items()]
    assert {each.file for each in made} == {layers.__file__}
    # Fields of a named tuple and arguments that no variable held.
    head = CopyHead(3)
    states, memory, source = ops.ones((1, 2, 3)), ops.ones((1, 4, 3)), ops.full((1, 4), 9, dtype="int32")
    made = record(lambda: head(states, states, memory, source).mix(ops.zeros((1, 2, 11)), source))
    found = {each.name: each.shape for each in made}
    assert found["log_generate"] == found["log_copy"] == (1, 2) and found["weights"] == (1, 2, 4)
    assert found["generator"] == (1, 2, 11) and found["copied"] == (1, 2, 11)


def test_the_pass_gives_what_it_gives_unwatched_and_the_old_trace_function_comes_back(tiny_config):
    model = Transformer(tiny_config(norm="pre", copy=True))
    ids = np.full((1, 3), 7)
    found = []
    before = sys.gettrace()
    record(lambda: found.append(model((ids, ids))))
    assert sys.gettrace() is before
    np.testing.assert_array_equal(found[0], model((ids, ids)))

    def fails() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        record(fails)
    assert sys.gettrace() is before
