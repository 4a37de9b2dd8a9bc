"""Which cross-attention is looked at: a trace of two layers and three heads, made by hand."""

import numpy as np

from core.errors import SettingsError
from core.explain.shared import cross
from core.trace import AttentionTrace, Token
from tests.refusals import refusals

S, T, L, H = 4, 2, 2, 3
SOURCE = tuple(Token(f"s{number}", 9, number, number + 1, 0, None, number) for number in range(S))
TARGET = tuple(Token(f"t{number}", 9, number, number + 1, None, None, number) for number in range(T))
WEIGHTS = np.arange(L * H * T * S, dtype=np.float32).reshape(L, H, T, S)
COPY = -np.ones((T, S), dtype=np.float32)
BOTH = AttentionTrace(SOURCE, TARGET, cross=WEIGHTS, copy=COPY)
ONLY_CROSS = AttentionTrace(SOURCE, TARGET, cross=WEIGHTS)
ONLY_COPY = AttentionTrace(SOURCE, TARGET, copy=COPY)
NONE = AttentionTrace(SOURCE, TARGET)


def test_choices_of_a_layer_and_a_head() -> None:
    # The last layer comes first, its mean before its heads.
    layers = ("2.mean", "2.1", "2.2", "2.3", "1.mean", "1.1", "1.2", "1.3")
    for trace, choices in ((BOTH, (*layers, "copy")), (ONLY_CROSS, layers), (ONLY_COPY, ("copy",)), (NONE, ())):
        assert cross.choices(trace) == choices
    # The only head is no mean.
    single = AttentionTrace(SOURCE, TARGET, cross=WEIGHTS[:1, :1])
    assert cross.choices(single) == ("only",) and cross.label("only") == "the decoder"
    np.testing.assert_array_equal(cross.weights(single, "only"), WEIGHTS[0, 0])
    labels = [cross.label(choice) for choice in ("2.mean", "1.3", "copy")]
    assert labels == ["layer 2, mean of the heads", "layer 1, head 3", "copy distribution"]
    for choice, first in [("1.1", 0), ("2.3", 40), ("1.mean", 8)]:  # the mean of heads that begin with 0, 8, 16
        np.testing.assert_array_equal(cross.weights(BOTH, choice), np.arange(first, first + T * S).reshape(T, S))
    np.testing.assert_array_equal(cross.weights(ONLY_COPY, "copy"), COPY)
    assert {cross.weights(BOTH, choice).dtype for choice in cross.choices(BOTH)} == {np.dtype(np.float32)}


def test_what_is_not_there_is_refused(snapshot) -> None:
    cases = ["", "0.1", "3.mean", "2.4", "2.0", "2", "mean", "copy.1", "2.1.1", "x" * 99]
    assert refusals(SettingsError, lambda choice: cross.weights(BOTH, choice), cases) == snapshot
    # What another model has is refused.
    cases = [(ONLY_CROSS, "copy"), (ONLY_COPY, "1.1"), (NONE, "1.mean"), (BOTH, "only")]
    assert refusals(SettingsError, cross.weights, cases) == snapshot
