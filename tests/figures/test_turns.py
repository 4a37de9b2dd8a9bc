"""Attention by turn, in a turn, and of two branches."""

import numpy as np
import pytest

from core.explain.rollup import Group
from core.figures.turns import attention_by_turn, attention_in_turn, attention_pair
from tests.figures.conftest import notes, said, token

TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "x" * 90), ("3", "Anna", "Bye"), ("4", "", "Nobody")]
GROUPS = [
    Group("1", (0, 1), 0, "Anna"), Group("2", (2,), 1, "Ben"), Group("3", (3,), 2, "Anna"), Group("4", (4,), 3, None),
    Group("marks", (5,), None, None),
]  # fmt: skip
WEIGHTS = np.array([0.25, 0.25, 0.2, 0.15, 0.1, 0.05], dtype=np.float32)


def test_attention_by_turn():
    picture = attention_by_turn(WEIGHTS, TURNS, GROUPS, 1, "layer <1>")
    assert said(picture) == (
        "Turn 1 (Anna) got most of the attention, 50 %. The top three, turns 1, 2 and 3, hold 85 % together. "
        "5.0 % went to special tokens, which belong to no turn."
    )
    few = said(attention_by_turn(WEIGHTS[::-1], TURNS, GROUPS[:2], None, "layer 1"))
    assert few == "Turn 1 (Anna) got most of the attention, 15 %."
    # Bars are coloured by speaker and know their turn; the opened one is outlined and every row can be clicked.
    bars = {trace.name: trace for trace in attention_by_turn(WEIGHTS, TURNS, GROUPS, None, "layer 1").figure.data}
    places = {"Anna": [0, 2], "Ben": [1], "no turn": [-1], "no speaker": [3]}
    assert {name: list(bars[name].customdata) for name in places} == places
    assert list(bars["Anna"].x) == pytest.approx([50, 15]) and bars["Anna"].marker.color != bars["Ben"].marker.color
    cards = [trace for trace in picture.figure.data if trace.width == 0.92]
    assert sorted(place for card in cards for place in card.customdata) == [-1, 0, 1, 2, 3]
    (opened,) = (card for card in cards if card.showlegend)
    assert list(opened.customdata) == [1] and opened.marker.line.width == 3
    # Labels are cut, escaped and on a fixed scale.
    layout, texts = picture.figure.layout, notes(picture)
    assert texts[0] == "1 · Anna: Hello &lt;b&gt;you&lt;/b&gt;" and texts[1].endswith("50\u00a0%</b>")
    assert len(texts[2]) == 46 and texts[2].endswith("…")
    assert layout.xaxis.range == (0, 100) and "fixed scale<br>layer &lt;1&gt;" in layout.xaxis.title.text
    assert picture.table["Text"][1] == "x" * 90 and picture.table["Share"][0] == pytest.approx(0.5)
    # The height grows with the turns.
    turns = [(str(index + 1), "Anna", "Hi") for index in range(65)]
    groups = [Group(str(index + 1), (index,), index, "Anna") for index in range(65)]
    short, tall = (
        attention_by_turn(np.full(size, 1 / size), turns, groups[:size], None, "all").figure.layout.height
        for size in (2, 65)
    )
    assert tall - short >= 63 * 26


def test_inside_a_turn():
    picture = attention_in_turn(np.array([0.1, 0.3]), [token(" a"), token("<i>")], "layer 2")
    assert said(picture) == (
        "“<i>” got most, 30 % of the dialogue's attention; the 2 tokens of this turn got 40 % together."
    )
    assert picture.figure.layout.xaxis.ticktext == ("a", "&lt;i&gt;") and picture.figure.data[0].orientation == "v"
    assert list(picture.figure.data[0].customdata) == [0, 1] and picture.table["Token"] == ["a", "<i>"]
    long = attention_in_turn(np.full(31, 0.01), [token("a")] * 31, "layer 2").figure
    assert long.data[0].orientation == "h" and len(long.layout.yaxis.ticktext) == 31
    with pytest.raises(ValueError, match="Received: 1 for 2 tokens"):
        attention_in_turn(np.array([0.1]), [token("a")] * 2, "layer 2")


def test_two_branches_and_their_largest_difference():
    first, second = np.array([0.5, 0.3]), np.array([0.55, 0.2])
    picture = attention_pair(first, second, ["1 · Anna: Hi", "2 · Ben: Ho"], ("A", "A"))
    assert said(picture) == (
        "The largest difference is at “2 · Ben: Ho”: 30 % in “A”, 20 % in “A”, 10.0 percentage points apart."
    )
    assert list(picture.table) == ["Turn", "A (first)", "A (second)", "Difference"]
    assert picture.table["Difference"] == pytest.approx([0.05, -0.1])
    with pytest.raises(ValueError, match="Received: 2, 2 and 1"):
        attention_pair(first, second, ["one"], ("A", "B"))
