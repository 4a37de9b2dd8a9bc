"""The beam tree: its rows, its traces and its numbers."""

import math
import random
from collections import Counter

import pytest

from core.config import END
from core.explain.beams import BeamNode, BeamTree
from core.figures.beams import beam
from core.figures.tree_layout import rows
from tests.figures.conftest import said

WORDS = {END: "[EOS]", 10: " the", 11: " <b>a</b>", 12: " cat"}
TREE = BeamTree(
    (
        BeamNode(0, 0, 10, -1, math.log(0.5), math.log(0.5), "live", True),
        BeamNode(1, 0, 11, -1, math.log(0.25), math.log(0.25), "pruned", False),
        BeamNode(2, 1, 12, 0, math.log(0.25), math.log(0.5), "live", True),
        BeamNode(3, 1, END, 0, math.log(0.1), math.log(0.2), "finished", False),
        BeamNode(4, 2, END, 2, math.log(0.125), math.log(0.5), "finished", True),
        BeamNode(5, 2, 10, 2, math.log(0.05), math.log(0.2), "open", False),
    )
)


def large(steps: int = 96, candidates: int = 16, beams: int = 8) -> BeamTree:
    """A search of the largest size, with 1,536 nodes."""
    draw = random.Random(0)
    nodes: list[BeamNode] = []
    live = [-1]
    for step in range(steps):
        fresh = []
        for place in range(candidates):
            parent = draw.choice(live)
            before = nodes[parent].log_probability if parent >= 0 else 0.0
            own = -draw.random() - 0.1
            fate = "live" if place < beams else "finished" if place == beams and step % 7 == 6 else "pruned"
            token = END if fate == "finished" else 10 + place
            nodes.append(BeamNode(len(nodes), step, token, parent, before + own, own, fate, False))
            fresh.append(nodes[-1].index)
        live = fresh[:beams]
    return BeamTree(tuple(nodes))


def points(picture):
    return {trace.name: trace for trace in picture.figure.data if trace.mode == "markers"}


def test_the_caption_and_the_table_hold_every_node():
    # The caption counts the fates and scores the summary.
    # ln 0.125 = -2.08, divided by 3 tokens -0.69
    assert said(beam(TREE, WORDS.__getitem__, 1.0)) == (
        "Of 6 beginnings that were considered, 3 lived on, 2 finished and 1 were pruned; the summary ended with "
        "log P −2.08 after 3 tokens: a score of −0.69 (log P / length^1)."
    )
    assert "a score of −2.08 (log P / length^0)" in beam(TREE, WORDS.__getitem__, 0.0).caption
    # The table has every node.
    table = beam(TREE, WORDS.__getitem__, 1.0).table
    assert table["Beginning"] == ["the", "<b>a</b>", "the cat", "the", "the cat", "the cat the"]
    assert table["Fate"] == ["live", "pruned", "live", "finished", "finished", "live at the end"]
    assert table["In the summary"] == [True, False, True, False, True, False]
    assert table["Token probability"] == pytest.approx([0.5, 0.25, 0.5, 0.2, 0.5, 0.2])
    # Hover and words are escaped.
    figure = beam(TREE, WORDS.__getitem__, 1.0).figure
    (hover,) = points(beam(TREE, WORDS.__getitem__, 1.0))["pruned"].hovertext
    assert hover.startswith("“&lt;b&gt;a&lt;/b&gt;”<br>step 1 · &lt;b&gt;a&lt;/b&gt;: 25\u00a0%<br>log P −1.39")
    assert {note.text for note in figure.layout.annotations} == {"&lt;b&gt;a&lt;/b&gt;", "the", "the end"}
    # An empty tree is refused.
    with pytest.raises(ValueError, match="at least one node"):
        beam(BeamTree(()), str, 1.0)


def test_points_and_lines_of_the_summary():
    # Points come back as nodes.
    traces = points(beam(TREE, WORDS.__getitem__, 1.0))
    assert {name: list(trace.customdata) for name, trace in traces.items()} == {
        "the summary": [0, 2, 4],
        "went on for a while": [5],
        "finished": [3],
        "pruned": [1],
    }
    assert list(traces["the summary"].y) == [0, 0, 0]
    assert traces["the summary"].marker.size[2] > traces["the summary"].marker.size[0]
    # The summary is thick and named on the axis.
    figure = beam(TREE, WORDS.__getitem__, 1.0).figure
    widths = [(trace.line.width, trace.name) for trace in figure.data if trace.mode == "lines"]
    assert min(width for width, name in widths if name == "summary") > max(
        width for width, name in widths if name != "summary"
    )
    assert figure.layout.xaxis.ticktext == ("the", "cat", "the end")


def test_rows_of_the_tree():
    # Rows go straight on along the weightiest child.
    #   0 ── 1 ── 3        weights make 1 and 3 go straight on; 2 and 4 stand above them
    assert rows([-1, 0, 0, 1, 1], [0, 5, 1, 5, 1]) == [0, 0, -1, 0, -1]
    assert rows([-1, 0, 0, 0], [0, 3, 2, 1]) == [0, 0, -1, 1]
    # No two nodes of a step share a row and no lines cross.
    nodes = large().nodes
    placed = rows([node.parent for node in nodes], [node.log_probability for node in nodes])
    by_step: dict[int, list[int]] = {}
    for node in nodes:
        by_step.setdefault(node.step, []).append(node.index)
    for step, indices in by_step.items():
        ordered = sorted(indices, key=placed.__getitem__)
        assert all(placed[b] - placed[a] >= 1 for a, b in zip(ordered, ordered[1:], strict=False))
        origins = [placed[nodes[index].parent] if step else 0.0 for index in ordered]
        assert origins == sorted(origins)
    # The largest search has few traces and a bounded height.
    tree = large()
    assert len(tree.nodes) == 1536
    picture = beam(tree, lambda token: f" word{token}", 1.0)
    modes = Counter(trace.mode for trace in picture.figure.data)
    assert modes["lines"] <= 12 and modes["markers"] <= 4
    assert picture.figure.layout.height == 900
    assert sum(len(trace.customdata) for trace in picture.figure.data if trace.mode == "markers") == 1536
