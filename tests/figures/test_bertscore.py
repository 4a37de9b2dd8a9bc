"""The pictures of BERTScore: rings, greyed marks, margins, sentences, tables, and texts of users."""

import numpy as np
import pytest

from core.figures import bertscore, bertscore_scale
from core.figures.bertscore_scale import ScoredText
from core.scoring.anchors import anchors
from core.scoring.baselines import Baseline
from core.scoring.matching import Match, Side

BASE = Baseline(0.5, 0.4, 0.45)


def small() -> Match:
    """[CLS] a <b> against [CLS] x y: the second token of the candidate is closest to a mark."""
    candidate = Side(("[CLS]", "a", "<b>"), (True, False, False), np.array([0.0, 1.0, 1.0]))
    reference = Side(("[CLS]", "x", "y"), (True, False, False), np.array([0.0, 1.0, 1.0]))
    values = [[1.0, 0.1, 0.1], [0.1, 0.9, 0.2], [0.7, 0.3, 0.6]]
    return Match(candidate, reference, np.array(values, np.float32))


def test_a_matrix_with_rings_margins_and_special_tokens():
    # Rings stand on the chosen cells.
    figure = bertscore.matrix(small()).figure
    circles, squares = (each for each in figure.data if each.type == "scatter")
    assert list(zip(circles.x, circles.y, strict=True)) == [(2, 2), (1, 3)]
    assert list(zip(squares.x, squares.y, strict=True)) == [(2, 2), (3, 3)]
    assert circles.marker.symbol == "circle-open" and squares.marker.symbol == "square-open"
    # Special tokens are grey and the margins are contributions.
    figure = bertscore.matrix(small()).figure
    colored, grey = (each for each in figure.data if each.type == "heatmap")
    assert np.isnan(colored.z[0]).all() and np.isnan(colored.z[:, 0]).all() and colored.z[1, 1] == np.float32(0.9)
    assert np.isnan(grey.z[1:, 1:]).all() and grey.z[0, 0] == 1
    beside, above = (each for each in figure.data if each.type == "bar")
    assert beside.x == pytest.approx((0, 0.45, 0.35)) and above.y == pytest.approx((0, 0.45, 0.30))
    assert "color: #7b8694" in figure.layout.yaxis3.ticktext[0] and "&lt;b&gt;" in figure.layout.yaxis3.ticktext[2]


def test_the_sentence_and_the_table_of_a_matrix():
    picture = bertscore.matrix(small())
    assert picture.caption.startswith("Precision 0.800, recall 0.750, F1 0.774.")
    assert "Worst matched of the candidate: “<b>” (0.70)." in picture.caption
    assert "of the reference: “y” (0.60). 1 ring in grey" in picture.caption
    table = picture.table
    assert len(table["Cosine"]) == 9 and len({len(column) for column in table.values()}) == 1
    assert sum(filter(None, table["Adds to precision"])) == pytest.approx(0.8)
    assert sum(filter(None, table["Adds to recall"])) == pytest.approx(0.75)
    # A long text is drawn in part and says so.
    size = bertscore.SHOWN + 5
    side = Side(("t",) * size, (False,) * size, np.ones(size))
    picture = bertscore.matrix(Match(side, side, np.eye(size, dtype=np.float32)))
    assert picture.figure.data[0].z.shape == (bertscore.SHOWN, bertscore.SHOWN)
    assert "the first 80 of the 85 tokens of the candidate and 80 of the 85 tokens" in picture.caption
    assert "Precision 1.000" in picture.caption


def test_candidates_with_anchors_and_baseline():
    rows = [
        ScoredText("Greedy", "A <i>", (0.7, 0.6, 0.65), "against reference 1"),
        ScoredText("<Floor>", "B", (0.3, 0.5, 0.38), "against reference 1"),
    ]
    known = anchors("all-MiniLM-L6-v2", False)
    picture = bertscore_scale.candidates(rows, known, 0.396)
    points, lines = picture.figure.data[:3], picture.figure.data[3:]
    assert [list(each.x) for each in points] == [[0.7, 0.3], [0.6, 0.5], [0.65, 0.38]]
    assert [each.x[0] for each in lines] == [0.569, 0.722, 0.768, 0.396]
    assert picture.caption == "Highest F1: Greedy, 0.650. Lowest: <Floor>, 0.380."
    assert "&lt;Floor&gt;" in picture.figure.layout.annotations[1].text and "<i>" not in points[0].hovertext[0]
    assert picture.table["F1"] == [0.65, 0.38]
    assert len(bertscore_scale.candidates(rows[:1], (), None).figure.data) == 3
    with pytest.raises(ValueError, match="at least one candidate"):
        bertscore_scale.candidates([], (), None)


def test_raw_and_rescaled_on_one_axis():
    picture = bertscore_scale.rescaling((0.75, 0.4, 0.3), BASE, anchors("all-MiniLM-L6-v2", False))
    precision, recall, f1 = picture.figure.data[-3:]
    assert precision.x == pytest.approx((0.75, 0.5)) and recall.x == pytest.approx((0.4, 0.0))
    assert f1.x == pytest.approx((0.3, -0.15 / 0.55)) and list(f1.y) == [0, 1]
    assert picture.caption.startswith("F1 0.300 becomes −0.273: it lies 0.150 below the 0.450 of random pairs")
    assert picture.figure.layout.xaxis.range[0] < -0.3
    table = picture.table
    assert table["Rescaled"][-1] == 0 and table["Rescaled"][3] == pytest.approx((0.569 - 0.45) / 0.55)
    assert table["Baseline"] == [0.5, 0.4, 0.45, 0.45, 0.45, 0.45, 0.45]
