"""Attention by turn, in a turn, and of two branches."""

import numpy as np

from core.explain.shared.rollup import Group
from core.figures.decoding.turns import attention_by_turn, attention_in_turn, attention_pair
from tests.figures.conftest import cannot_draw, said, token
from tests.figures.drawing import drawn

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "x" * 90), ("3", "Anna", "Bye"), ("4", "", "Nobody")]
GROUPS = [
    Group("1", (0, 1), 0, "Anna"), Group("2", (2,), 1, "Ben"), Group("3", (3,), 2, "Anna"), Group("4", (4,), 3, None),
    Group("marks", (5,), None, None),
]  # fmt: skip
WEIGHTS = np.array([0.25, 0.25, 0.2, 0.15, 0.1, 0.05], dtype=np.float32)


def test_attention_by_turn(snapshot):
    few = attention_by_turn(WEIGHTS[::-1], TURNS, GROUPS[:2], None, "layer 1")
    assert drawn(attention_by_turn(WEIGHTS, TURNS, GROUPS, 1, "layer <1>"), said(few)) == snapshot
    # The height grows with the turns.
    turns = [(str(index + 1), "Anna", "Hi") for index in range(65)]
    groups = [Group(str(index + 1), (index,), index, "Anna") for index in range(65)]
    short, tall = (
        attention_by_turn(np.full(size, 1 / size), turns, groups[:size], None, "all").figure.layout.height
        for size in (2, 65)
    )
    assert tall - short >= 63 * 26


def test_inside_a_turn(snapshot):
    assert drawn(attention_in_turn(np.array([0.1, 0.3]), [token(" a"), token("<i>")], "layer 2")) == snapshot
    long = attention_in_turn(np.full(31, 0.01), [token("a")] * 31, "layer 2").figure
    assert long.data[0].orientation == "h" and len(long.layout.yaxis.ticktext) == 31
    cannot_draw("Received: 1 for 2 tokens", attention_in_turn, np.array([0.1]), [token("a")] * 2, "layer 2")


def test_two_branches_and_their_largest_difference(snapshot):
    first, second = np.array([0.5, 0.3]), np.array([0.55, 0.2])
    assert drawn(attention_pair(first, second, ["1 · Anna: Hi", "2 · Ben: Ho"], ("A", "A"))) == snapshot
    cannot_draw("Received: 2, 2 and 1", attention_pair, first, second, ["one"], ("A", "B"))
