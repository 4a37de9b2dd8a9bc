"""The beam tree: its rows, its traces and its numbers."""

import math
import random
from collections import Counter

from core.config import END
from core.explain.decoding.beams import BeamNode, BeamTree
from core.figures.decoding.beams import beam
from core.figures.decoding.tree_layout import rows
from tests.figures.conftest import cannot_draw
from tests.figures.drawing import drawn

WORDS = {END: "[EOS]", 10: " the", 11: " <b>a</b>", 12: " cat"}
TREE = BeamTree(
    tuple(
        BeamNode(index, step, token, parent, math.log(share), math.log(own), fate, chosen)
        for index, (step, token, parent, share, own, fate, chosen) in enumerate(
            [
                (0, 10, -1, 0.5, 0.5, "live", True),
                (0, 11, -1, 0.25, 0.25, "pruned", False),
                (1, 12, 0, 0.25, 0.5, "live", True),
                (1, END, 0, 0.1, 0.2, "finished", False),
                (2, END, 2, 0.125, 0.5, "finished", True),
                (2, 10, 2, 0.05, 0.2, "open", False),
            ]
        )
    )
)


def test_the_caption_the_table_and_the_hover_know_every_node(snapshot):
    # ln 0.125 = -2.08, divided by 3 tokens -0.69
    assert drawn(beam(TREE, WORDS.__getitem__, 1.0)) == snapshot
    assert "a score of −2.08 (log P / length^0)" in beam(TREE, WORDS.__getitem__, 0.0).caption
    cannot_draw("at least one node", beam, BeamTree(()), str, 1.0)


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
