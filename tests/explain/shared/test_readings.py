"""Which turn is read most for each written token; numbers worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import END
from core.explain.shared.readings import Reading, readings, whose
from core.text.dialogue import parse_dialogue
from core.trace import AttentionTrace, Summary, Token
from tests import traces

SOURCE = (*(Token(f"s{n}", 50 + n, n, n + 1, turn, "A", n) for n, turn in enumerate((0, 0, 2))),
          Token("[EOS]", END, 9, 9, 2, "A", 3))  # fmt: skip
TARGET = traces.summary(60, END).tokens
CROSS = [[[[1, 0, 0, 0], [0, 0, 1, 0]], [[1, 0, 0, 0], [0, 0, 1, 0]]],
         [[[0.5, 0.25, 0.25, 0], [0, 0, 0, 1]], [[0, 0.25, 0.25, 0.5], [0, 0, 0, 1]]]]  # fmt: skip


def summary(**attention: object) -> Summary:
    """A summary of two tokens; the dialogue's second turn was not read."""
    made = AttentionTrace(SOURCE, TARGET, **attention)
    talk, states = parse_dialogue("A: s0 s1\nB: no\nA: s2"), np.zeros((3, 4, 2))
    return replace(traces.summary(60, END), attention=made, dialogue=talk, encoder_hidden=states)


def test_a_token_reads_turns_with_the_mean_of_the_last_layers_heads() -> None:
    first, last = readings(summary(cross=np.array(CROSS)))
    assert whose(summary(cross=np.array(CROSS))) == "2.mean"
    assert first.shares == (0.5, 0.0, 0.25) and first.turn == 0 and first.probability == pytest.approx(np.exp(-0.25))
    assert last.token.id == END and last.shares == (0.0, 0.0, 0.0) and last.turn is None, "[EOS] belongs to no turn"


def test_a_model_that_copies_alone_reads_by_its_copy_distribution() -> None:
    copy = np.array([[0, 0, 1, 0], [0.5, 0.5, 0, 0]])
    assert [each.turn for each in readings(summary(copy=copy, p_gen=np.ones(2)))] == [2, 0]


def test_without_cross_attention_a_token_has_its_probability_alone() -> None:
    assert [each.shares for each in readings(summary())] == [(), ()] and whose(summary()) == ""
    assert replace(readings(summary())[0], shares=(0.1, 0.3)).turn == 1
    assert isinstance(readings(summary())[0], Reading)
