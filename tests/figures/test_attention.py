"""Pictures of attention: numbers, captions, tables."""

import math

import numpy as np
import pytest

from core.explain.heads import HeadScores
from core.figures import attention as figures
from tests.figures.conftest import said

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], dtype=np.float32)


def scores(**changes: object) -> HeadScores:
    values = dict.fromkeys(HeadScores.__dataclass_fields__)
    values |= {"kind": "cross", "layer": 0, "head": 0, "rows": 5, "sink": 0.25, "speakers": 0.1, "confidence": 0.4}
    values |= {"entropy": 0.5, "effective": 6.0, "gini": 0.8, "same": 0.2}
    return HeadScores(**values | changes)


def test_the_matrix_says_who_gets_most_and_where_the_strongest_cell_is():
    def matrix(weights=WEIGHTS, rows=("a", "b"), columns=("x", "y", "z")):
        return figures.matrix(weights, list(rows), list(columns), ("Summary", "Dialogue"), "cross-attention, layer 3")

    picture = matrix()
    assert "Cross-attention, layer 3: over all rows “y” gets most, 50 %" in said(picture)
    assert "“b” → “y” with 80 %" in said(picture) and "“a” → “y” with 80 %" in said(matrix(WEIGHTS[::-1].copy()))
    assert (picture.table["Query"], picture.table["Key"]) == (["a"] * 3 + ["b"] * 3, ["x", "y", "z"] * 2)
    assert picture.table["Weight"] == pytest.approx(WEIGHTS.ravel())
    (trace,) = picture.figure.data
    assert (trace.zmin, trace.zmax) == (0, 1)
    figure = matrix(rows=("<b>a</b>", "b"), columns=("<i>", "y", "z")).figure
    assert "<b>" not in str(figure.data[0].hovertext) + str(figure.layout.yaxis.ticktext)
    assert "&lt;i&gt;" in figure.layout.xaxis.ticktext[0]
    with pytest.raises(ValueError, match="2, 3.*1 and 3"):
        matrix(rows="a")


def test_sinks_say_the_mean_and_the_greediest_head():
    def shares(word: float, speaker: float) -> dict:
        rest = 1 - word - speaker
        return {"start": 0.0, "end": 0.0, "turn": 0.0, "speaker": speaker, "punctuation": rest, "word": word}

    names = ["Layer 1, head 1", "Layer 1, head 2"]
    later = figures.sinks([shares(0.9, 0.05), shares(0.5, 0.3)], names, 33, first=32).figure
    assert list(later.data[0].customdata) == [32, 33] and "<b>" in later.layout.yaxis.ticktext[1]
    picture = figures.sinks([shares(0.9, 0.05), shares(0.5, 0.3)], names, 1)
    assert "On average 30 % of the attention" in said(picture) and "most in layer 1, head 2, 50 %" in said(picture)
    assert list(picture.table) == ["Head", "Speaker tags", "Punctuation", "Words"]
    assert picture.table["Punctuation"] == pytest.approx([0.05, 0.2])
    assert [sum(bar.x[place] for bar in picture.figure.data) for place in (0, 1)] == pytest.approx([100, 100])
    assert all(list(bar.customdata) == [0, 1] for bar in picture.figure.data)
    with pytest.raises(ValueError, match="2 for 1 heads"):
        figures.sinks([shares(0.9, 0.05)], names, None)


def test_the_map_names_the_highest_and_the_lowest_head():
    values = np.array([[0.2, 0.9], [0.4, math.nan]], dtype=np.float32)
    picture = figures.head_map(values, "entropy", [["sink", "broad"], ["mixed", "copy"]], 200, 1, 0)
    assert "Over 200 dialogues, entropy is highest in layer 1, head 2 (0.90, broad)" in picture.caption
    assert "lowest in layer 1, head 1 (0.20, sink)" in picture.caption
    assert picture.table["entropy"] == [pytest.approx(0.2), pytest.approx(0.9), pytest.approx(0.4), None]
    cells, points = picture.figure.data
    assert np.array_equal(cells.z, values, equal_nan=True) and cells.zmax == 1
    assert list(points.customdata) == [0, 1, 2, 3] and list(points.text) == ["0.20", "0.90", "0.40", "–"]
    assert picture.figure.layout.shapes[0].y0 == 1.5 and picture.figure.layout.shapes[0].x0 == 0.5
    empty = figures.head_map(np.full((1, 1), math.nan, dtype=np.float32), "entropy", [["copy"]], 1, 0, 0)
    assert "No head" in empty.caption
    many = np.array([[0.204, -0.02, 0.0, 1.5, 45.87, math.nan, 0, 0, 0]], dtype=np.float32)
    short = figures.head_map(many, "nats", [["copy"] * 9], 1, 0, 0, darkest=0.1).figure
    assert list(short.data[1].text)[:6] == [".20", "−.02", ".00", "1.5", "45.9", "–"]
    assert short.data[0].zmax == pytest.approx(45.87)


def test_a_head_is_set_beside_what_it_usually_does():
    picture = figures.usual(scores(), scores(sink=0.65, effective=3.0, confidence=0.5), 200)
    for part in ("6.00 tokens in effect", "40 %", "over 200 dialogues 3.00 and 50 %",
                 "differs most in “special tokens and punctuation”: 0.25 here, 0.65 there"):  # fmt: skip
        assert part in said(picture)
    assert picture.table["Measure"] == [
        "same token elsewhere", "special tokens and punctuation",
        "speaker tags", "entropy, normalised", "Gini (sparsity)",
    ]  # fmt: skip
    alone = figures.usual(scores(), None, 0)
    assert "was not measured" in alone.caption and list(alone.table) == ["Measure", "This dialogue"]
