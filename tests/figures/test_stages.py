"""The stages of one head as a picture, with numbers worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.explain.inside import HeadStages
from core.figures.stages import numbered, shown_keys, stages_picture
from tests.figures.conftest import said


def made(keys: int, mask=None, kind="cross") -> HeadStages:
    """q = (1, 1); key i is (i, 0), so that q · k = i; v is (3, 4) everywhere; weights grow with i."""
    rows = np.stack([np.arange(keys), np.zeros(keys)], axis=1).astype(np.float32)
    mask = np.ones(keys, dtype=bool) if mask is None else np.array(mask)
    weights = np.where(mask, np.arange(1, keys + 1), 0).astype(np.float32)
    weights /= weights.sum()
    values = np.tile(np.array([3, 4], dtype=np.float32), (keys, 1))
    dots, query = rows[:, 0], np.ones(2, dtype=np.float32)
    output = np.array([0, -2, 1.5], dtype=np.float32)  # length 2.5
    scaled = dots / np.float32(2**0.5)
    return HeadStages(kind, 2, 1, 0, query, rows, values, dots, scaled, mask, weights, weights @ values, output)


def test_of_many_keys_the_largest_stand_apart_and_the_others_share_one_row():
    weights = np.array([0.1] * 20 + [0.0] * 4 + [0.2], dtype=np.float32)
    assert shown_keys(weights[:24], 3) == list(range(24))
    assert shown_keys(weights, 3) == [0, 1, 24]  # of equal weights the first ones
    assert shown_keys(weights, 25) == list(range(25))
    picture = stages_picture(made(30), "x", [f"<i>{key}" for key in range(30)])
    dots, scaled, weights, lengths = picture.figure.data
    assert list(dots.customdata) == [*range(14, 30), -1]
    rest = sum(range(1, 15)) / sum(range(1, 31))  # 105 / 465
    assert weights.x[-1] == pytest.approx(rest) and lengths.x[-1] == pytest.approx(5 * rest)
    assert dots.x[-1] is None and scaled.x[-1] is None and len(picture.table["Key"]) == 30
    ticks = picture.figure.layout.yaxis.ticktext
    assert ticks[0] == "&lt;i&gt;14" and ticks[-1] == "14 other tokens"
    assert dots.hovertext[0] == "&lt;i&gt;14<br>dot product q · k: 14.0000"
    # Masked keys are hatched and have no weight.
    figure = stages_picture(made(3, [True, True, False], "decoder"), "x", "abc").figure
    hidden = [trace for trace in figure.data if trace.name == "masked"]
    assert [list(trace.customdata) for trace in hidden] == [[2], [2]] and hidden[0].marker.pattern.shape == "/"
    assert [trace.showlegend for trace in hidden] == [True, False] and list(figure.data[-1].customdata) == [0, 1]


def test_a_bias_by_distance_has_its_columns_and_its_part_of_the_score():
    stages = made(3)
    stages = replace(
        stages, scaled=stages.dots, bias=np.float32([5, 0, 1]), divides=False, weights=np.float32([1, 0, 0])
    )
    picture = stages_picture(stages, "x", "abc")
    assert list(picture.figure.data[1].x) == [5, 1, 3] and picture.figure.data[1].name == "score: + bias"
    assert "its score, 5.00, is the largest of 3 (dot product 0.00, bias 5.00)" in picture.caption
    assert picture.table["Bias"] == [5, 0, 1] and "Scaled" not in picture.table


def test_the_caption_says_what_won_and_the_table_has_every_key():
    assert said(stages_picture(made(4), " suitcase", ["a", "<b>", "c", "d"])) == (
        "For “suitcase”, “d” gets 40 %: its dot product with the query, 3.00, is the largest of 4; "
        "the head's output has length 2.50."
    )
    assert "“b” gets 67 %: its dot product with the query, 1.00, is the largest of the 2 that the mask leaves" in (
        said(stages_picture(made(4, [True, True, False, False]), "x", "abcd"))
    )
    table = stages_picture(made(4, [True, True, True, False]), "x", ["a", "b", "a", "d"]).table
    assert table["Key"] == ["a · 1", "b", "a · 3", "d"] and table["Position"] == [1, 2, 3, 4]
    assert table["Dot product"] == [0, 1, 2, 3] and table["Masked"] == [False, False, False, True]
    assert table["Scaled"] == pytest.approx([0, 0.7071, 1.4142, 2.1213], abs=1e-4)
    assert table["Weight"] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 0])
    assert table["Length of weight × v"] == pytest.approx([5 / 6, 10 / 6, 15 / 6, 0])  # v has length 5
    assert numbered([" the", "<b>", "the", "\n"]) == ["the · 1", "<b>", "the · 3", "↵"]
    with pytest.raises(ValueError, match="Received: 2 for 3 keys"):
        stages_picture(made(3), "x", ["a", "b"])
