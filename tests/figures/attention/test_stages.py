"""The stages of one head as a picture, with numbers worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.explain.attention.inside import HeadStages
from core.figures.attention.stages import numbered, shown_keys, stages_picture
from tests.figures.attention.test_stage_cells import made as followed
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn


def made(keys: int, mask=None, kind="cross") -> HeadStages:
    """q = (1, 1); key i is (i, 0), so that q · k = i; v is (3, 4) everywhere; weights grow with i."""
    found = followed([1, 1], [(key, 0) for key in range(keys)], [(3, 4)] * keys, mask, (0, -2, 1.5), kind=kind)
    weights = np.where(found.mask, np.arange(1, keys + 1), 0).astype(np.float32)
    weights /= weights.sum()
    return replace(found, layer=2, weights=weights, weighted=weights @ found.values)  # the output's length is 2.5


def test_of_many_keys_the_largest_stand_apart_and_the_others_share_one_row():
    weights = np.array([0.1] * 20 + [0.0] * 4 + [0.2], dtype=np.float32)
    assert shown_keys(weights[:24], 3) == list(range(24))
    assert shown_keys(weights, 3) == [0, 1, 24]  # of equal weights the first ones
    assert shown_keys(weights, 25) == list(range(25))
    picture = stages_picture(made(30), "x", [f"<i>{key}" for key in range(30)])
    assert list(picture.figure.data[0].customdata) == [*range(14, 30), -1] and len(picture.table["Key"]) == 30
    # 105 of 465 parts of the weight are left.
    assert picture.figure.data[2].x[-1] == pytest.approx(105 / 465)
    assert picture.figure.data[3].x[-1] == pytest.approx(5 * 105 / 465)
    ticks = picture.figure.layout.yaxis.ticktext
    assert ticks[0] == "&lt;i&gt;14" and ticks[-1] == "14 other tokens"


def test_masked_keys_are_hatched_and_have_no_weight(snapshot):
    picture = stages_picture(made(4, [True, True, True, False], "decoder"), "x", ["a", "<b>", "a", "d"])
    assert drawn(picture) == snapshot


def test_a_bias_by_distance_has_its_columns_and_its_part_of_the_score(snapshot):
    stages = made(3)
    changes = {"bias": np.float32([5, 0, 1]), "divides": False, "weights": np.float32([1, 0, 0])}
    assert drawn(stages_picture(replace(stages, scaled=stages.dots, **changes), "x", "abc")) == snapshot


def test_the_caption_says_what_won(snapshot):
    won = stages_picture(made(4), " suitcase", ["a", "<b>", "c", "d"])
    assert drawn(said(won), said(stages_picture(made(4, [True, True, False, False]), "x", "abcd"))) == snapshot
    assert numbered([" the", "<b>", "the", "\n"]) == ["the · 1", "<b>", "the · 3", "↵"]
    cannot_draw("Received: 2 for 3 keys", stages_picture, made(3), "x", ["a", "b"])
