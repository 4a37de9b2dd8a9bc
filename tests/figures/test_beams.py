"""The beam tree: its rows, its traces and its numbers."""

import math
import random
from collections import Counter

import pytest

from core.config import END
from core.explain.beams import BeamNode, BeamTree
from core.figures.beams import beam
from core.figures.tree_layout import rows
from tests.figures.conftest import notes, said


def node(index: int, step: int, token: int, parent: int, share: float, own: float, fate: str, chosen: bool) -> BeamNode:
    return BeamNode(index, step, token, parent, math.log(share), math.log(own), fate, chosen)


WORDS = {END: "[EOS]", 10: " the", 11: " <b>a</b>", 12: " cat"}
TREE = BeamTree(
    (
        node(0, 0, 10, -1, 0.5, 0.5, "live", True),
        node(1, 0, 11, -1, 0.25, 0.25, "pruned", False),
        node(2, 1, 12, 0, 0.25, 0.5, "live", True),
        node(3, 1, END, 0, 0.1, 0.2, "finished", False),
        node(4, 2, END, 2, 0.125, 0.5, "finished", True),
        node(5, 2, 10, 2, 0.05, 0.2, "open", False),
    )
)


def test_the_caption_the_table_and_the_hover_know_every_node():
    picture = beam(TREE, WORDS.__getitem__, 1.0)
    # ln 0.125 = -2.08, divided by 3 tokens -0.69
    assert said(picture) == (
        "Of 6 beginnings that were considered, 3 lived on, 2 finished and 1 were pruned; the summary ended with "
        "log P −2.08 after 3 tokens: a score of −0.69 (log P / length^1)."
    )
    assert "a score of −2.08 (log P / length^0)" in beam(TREE, WORDS.__getitem__, 0.0).caption
    table = picture.table
    assert table["Beginning"] == ["the", "<b>a</b>", "the cat", "the", "the cat", "the cat the"]
    assert table["Fate"] == ["live", "pruned", "live", "finished", "finished", "live at the end"]
    assert table["In the summary"] == [True, False, True, False, True, False]
    assert table["Token probability"] == pytest.approx([0.5, 0.25, 0.5, 0.2, 0.5, 0.2])
    # Points come back as nodes.
    points = {trace.name: trace for trace in picture.figure.data if trace.mode == "markers"}
    assert {name: list(trace.customdata) for name, trace in points.items()} == {
        "the summary": [0, 2, 4], "went on for a while": [5], "finished": [3], "pruned": [1],
    }  # fmt: skip
    (hover,) = points["pruned"].hovertext
    assert hover.startswith("“&lt;b&gt;a&lt;/b&gt;”<br>step 1 · &lt;b&gt;a&lt;/b&gt;: 25\u00a0%<br>log P −1.39")
    assert set(notes(picture)) == {"&lt;b&gt;a&lt;/b&gt;", "the", "the end"}
    # The summary is thick, straight and named on the axis.
    assert list(points["the summary"].y) == [0, 0, 0]
    assert points["the summary"].marker.size[2] > points["the summary"].marker.size[0]
    widths = {True: [], False: []}
    for trace in picture.figure.data:
        if trace.mode == "lines":
            widths[trace.name == "the summary"].append(trace.line.width)
    assert min(widths[True]) > max(widths[False])
    assert picture.figure.layout.xaxis.ticktext == ("the", "cat", "the end")
    with pytest.raises(ValueError, match="at least one node"):
        beam(BeamTree(()), str, 1.0)


def test_rows_go_straight_on_along_the_weightiest_child():
    #   0 ── 1 ── 3        weights make 1 and 3 go straight on; 2 and 4 stand above them
    assert rows([-1, 0, 0, 1, 1], [0, 5, 1, 5, 1]) == [0, 0, -1, 0, -1]
    assert rows([-1, 0, 0, 0], [0, 3, 2, 1]) == [0, 0, -1, 1]


def test_the_largest_search_has_few_traces_and_no_line_crosses_another():
    draw = random.Random(0)
    nodes: list[BeamNode] = []
    live = [-1]
    for step in range(96):
        fresh = []
        for place in range(16):
            parent = draw.choice(live)
            before = nodes[parent].log_probability if parent >= 0 else 0.0
            own = -draw.random() - 0.1
            fate = "live" if place < 8 else "finished" if place == 8 and step % 7 == 6 else "pruned"
            token = END if fate == "finished" else 10 + place
            nodes.append(BeamNode(len(nodes), step, token, parent, before + own, own, fate, False))
            fresh.append(nodes[-1].index)
        live = fresh[:8]
    placed = rows([node.parent for node in nodes], [node.log_probability for node in nodes])
    for step in range(96):
        ordered = sorted(range(16 * step, 16 * step + 16), key=placed.__getitem__)
        assert all(placed[b] - placed[a] >= 1 for a, b in zip(ordered, ordered[1:], strict=False))
        origins = [placed[nodes[index].parent] if step else 0.0 for index in ordered]
        assert origins == sorted(origins)
    figure = beam(BeamTree(tuple(nodes)), lambda token: f" word{token}", 1.0).figure
    modes = Counter(trace.mode for trace in figure.data)
    assert modes["lines"] <= 12 and modes["markers"] <= 4 and figure.layout.height == 900
    assert sum(len(trace.customdata) for trace in figure.data if trace.mode == "markers") == 1536
