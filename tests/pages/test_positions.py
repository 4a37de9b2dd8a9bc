"""The Positions page: tables of every size, what they are made of, and pairs of positions."""

import math

import numpy as np
import pytest

from core.explain import positions
from tests.pages.driver import chart, choose, healthy
from tests.pages.positions import SLIDES, arrive, example, formula, number, said, tables, text

MAP = "pos_map_picture"


def shown(app) -> np.ndarray:
    """The table that is drawn."""
    return chart(app, MAP)["data"][0]["z"]


def draws(app, *size: float) -> None:
    np.testing.assert_allclose(shown(app), positions.encoding(*size), atol=1e-6)


def test_the_papers_table_is_there_without_a_model(app):
    arrive(app)
    draws(app, 100, 512, 10000.0)
    assert app.query_params == {} and "100 positions × 512 dimensions, sinusoids of base 10,000" in said(app)
    assert app.segmented_control(key="pos_preset").value.startswith("Vaswani base")


def test_the_slides_example_is_theirs_to_every_digit(app):
    example(arrive(app), "Slides")
    draws(app, *positions.SLIDES)
    assert app.query_params == {name: str(value) for name, value in SLIDES.items()}
    assert "25 of 25 numbers are as the lecture slides print them" in said(app)
    (table,) = tables(app)
    assert list(table["Dimension 4"]) == [
        "0 ✓", "0.02511622 ✓", "0.0502166 ✓", "0.07528529 ✓", "0.10030649 ✓"
    ]  # fmt: skip
    number(number(app, "pos_place", 4), "pos_dimension", 4)
    assert "= 0.10030649" in formula(app) and "39.8107" in formula(app)  # 100^(4/5)
    assert "250.14 positions" in said(app)  # 2π × 39.81
    assert "the last dimension, 4, is a sine without its cosine" in said(app)


def test_one_changed_number_is_no_example_any_more(app):
    arrive(app, **SLIDES)
    assert app.segmented_control(key="pos_preset").value.startswith("Slides")
    number(app, "pos_width", 6)
    healthy(app)
    draws(app, 5, 6, 100.0)
    assert app.segmented_control(key="pos_preset").value is None and not tables(app)
    assert app.query_params["pos_width"] == "6" and "is odd" not in said(app)


def test_the_checkpoints_own_width(app):
    example(arrive(app), "This checkpoint")
    draws(app, 100, 16, 10000.0)


def test_the_formula_follows_the_numbers(app):
    arrive(app, pos_length=9, pos_width=4, pos_base=100, pos_place=3, pos_dimension=3)
    assert r"\cos(3 \,/\, 100^{2/4})" in formula(app) and r"\cos(0.3)" in formula(app)
    assert "= 0.9553365" in formula(app)
    assert "62.83 positions" in said(app) and "core/model/positional.py:" in said(app)
    number(app, "pos_dimension", 2)
    assert "= 0.29552022" in formula(app)  # sin 0.3 in single precision
    assert "angles = np.arange(length)" in app.code[0].value and "np.sin(angles)" in app.code[1].value


@pytest.mark.parametrize("refused", [1.0, 0.5, -2.0, None])
def test_a_base_that_gives_no_waves_is_refused_and_the_picture_stays(app, refused):
    arrive(app, **SLIDES)
    number(app, "pos_base_box", refused)
    message, received = said(app), "nothing" if refused is None else f"{refused:g}"
    assert "The base must be above 1" in message and f"Received: {received}" in message
    assert "still those of base 100" in message
    draws(app, *positions.SLIDES)
    assert app.query_params["pos_base"] == "100"
    number(app, "pos_base_box", 50.5)
    healthy(app)
    draws(app, 5, 5, 50.5)
    assert app.query_params["pos_base"] == "50.5"


def test_an_example_brings_its_base_after_a_refused_one(app):
    number(arrive(app), "pos_base_box", 0.0)
    example(app, "Slides")
    draws(app, *positions.SLIDES)
    assert app.number_input(key="pos_base_box").value == 100


@pytest.mark.parametrize(
    ("size", "sentence"),
    [((1, 6), "Length 1: there is only position 0"), ((7, 1), "Width 1: there is one dimension, sin p"),
     ((1, 1), "Width 1"), ((4, 3), "Width 3 is odd")],
)  # fmt: skip
@pytest.mark.parametrize("view", ["encoding", "distance"])
def test_the_smallest_sizes_are_explained(app, size, sentence, view):
    arrive(app, pos_view=view, pos_length=size[0], pos_width=size[1], pos_place=0, pos_dimension=0, pos_offset=0)
    assert sentence in said(app)
    if view == "encoding":
        draws(app, *size, 10000.0)
        choose(app, "pos_apart", "apart")
    elif size[0] == 1:
        assert "There is one position only: none is k further on" in said(app)


def test_chosen_curves(app):
    arrive(app, **SLIDES)
    text(app, "pos_dimensions", "4, 1")
    drawn = chart(app, "pos_dimensions_picture")["data"]
    assert [each["name"] for each in drawn] == ["dimension 4", "dimension 1"]
    assert list(drawn[0]["y"]) == pytest.approx(positions.encoding(*positions.SLIDES)[:, 4])
    assert app.query_params["pos_dimensions"] == "4, 1"
    text(app, "pos_places", "2")
    assert [each["name"] for each in chart(app, "pos_positions_picture")["data"]] == ["position 2, sines", "2, cosines"]
    text(app, "pos_dimensions", "7")
    assert "The dimensions must be 1 to 8 whole numbers from 0 to 4" in said(app) and "Received: 7" in said(app)
    assert [each["name"] for each in chart(app, "pos_dimensions_picture")["data"]] == ["dimension 0", "dimension 1"]


def test_curves_apart(app):
    choose(arrive(app, **SLIDES), "pos_apart", "apart")
    for side in ("dimensions", "positions"):
        assert len(chart(app, f"pos_{side}_apart_picture")["data"]) == 2
    assert "All 5 dimensions: dimension 0 changes its sign 1 time" in said(app)
    assert app.query_params["pos_apart"] == "apart"


def test_a_link_beyond_its_table(app):
    arrive(app, **SLIDES, pos_place=9, pos_dimension=400)
    notes = " ".join(each.value for each in app.warning).replace("\\", "")
    assert "asks for position 9; the last one here is 4" in notes and "dimension 400; the last one here is 4" in notes
    assert app.query_params["pos_place"] == "4"


def test_a_link_is_not_blamed_for_a_place_that_it_does_not_name(app):
    arrive(app, pos_length=1, pos_width=1)
    assert not [each.value for each in app.warning if "The link asks" in each.value]


def test_a_smaller_table_takes_a_choice_along_without_a_note(app):
    arrive(app, pos_place=90)
    example(app, "Slides")
    assert app.number_input(key="pos_place").value == 4 and not app.warning


@pytest.mark.parametrize("link", [{"pos_base": 1}, {"pos_base": "nan"}, {"pos_width": 513}, {"pos_view": "x"},
                                  {"pos_length": 0}])  # fmt: skip
def test_a_link_with_impossible_values(app, link):
    arrive(app, **link)
    (name, value), = link.items()
    assert f"{name}={value}" in app.warning[0].value.replace("\\", "")
    draws(app, 100, 512, 10000.0)


# Pairs --------------------------------------------------------------------------------------------------------------


def test_products_and_distances(app):
    arrive(app, pos_view="distance", pos_length=20, pos_width=6, pos_base=100, pos_place=4)
    table = positions.encoding(20, 6, 100)
    np.testing.assert_allclose(chart(app, "pos_pairs_picture")["data"][0]["z"], table @ table.T, atol=1e-5)
    assert list(chart(app, "pos_pair_curve_picture")["data"][0]["y"]) == pytest.approx(table @ table[4])
    assert "depends on q − p alone" in said(app)
    choose(app, "pos_measure", "distance")
    expected = [math.dist(table[4], row) for row in table]
    assert list(chart(app, "pos_pair_curve_picture")["data"][0]["y"]) == pytest.approx(expected, abs=1e-6)


def test_the_map_from_a_position_to_the_next_but_one(app):
    arrive(app, pos_view="distance", pos_length=20, pos_width=2, pos_base=100)
    number(app, "pos_offset", 2)
    drawn = chart(app, "pos_shift_picture")["data"][0]["z"]
    np.testing.assert_allclose(drawn, [[math.cos(2), math.sin(2)], [-math.sin(2), math.cos(2)]], atol=1e-6)
    assert "M is made of 1 rotation, the first by the angle 2" in said(app) and "exact up to rounding" in said(app)
    number(app, "pos_width", 3)
    turn = 2 / 100 ** (2 / 3)
    assert f"max |M PE(p) − PE(p + 2)| = {math.sin(turn):.4f} over 18 pairs of positions, in dimension 2" in said(app)
    assert "does not depend on q − p alone" in said(app)
    assert app.query_params["pos_offset"] == "2"
