"""Pictures of positions: what they draw and say, from tables whose numbers are known."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.explain import positions
from core.figures.positions import bias as biases
from core.figures.positions import encoding as figures
from core.figures.positions import heatmap, pairs, runs
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

SLIDES = positions.encoding(*positions.SLIDES)


# The table ----------------------------------------------------------------------------------------------------------


def test_the_map_holds_every_number_and_writes_those_of_a_small_table(snapshot):
    one = heatmap.heat_map(positions.encoding(1, 3, 100), 100.0)
    learned = heatmap.heat_map(np.array([[0.02, -0.05], [0.5, 0.01]]), None)
    assert drawn(heatmap.heat_map(SLIDES, 100.0), said(one), learned) == snapshot
    picture = heatmap.heat_map(positions.encoding(20, 16, 10000), 10000.0)
    assert len(picture.figure.data) == 1  # too many numbers to write
    # 19 ÷ 10^2.5 = 0.06 and cos 0.19 = 0.98: column 10 and all from 9 on
    assert said(picture).startswith(
        "20 positions × 16 dimensions, sinusoids of base 10,000: values from −1.00 to 1.00; 7 of 16 dimensions change"
    )


def test_of_a_few_far_larger_numbers_the_scale_is_not_theirs():
    table = np.full((20, 20), 0.1)
    table[0, 0] = -2.0
    for picture in (heatmap.heat_map(table, None), pairs.pair_map(table, "dot")):
        (drawn,) = picture.figure.data
        assert (drawn.zmin, drawn.zmax) == pytest.approx((-0.1, 0.1)) and drawn.z.min() == -2.0
        assert list(drawn.colorbar.ticktext) == ["≤ −0.10", "0.00", "≥ 0.10"]
    table[0, 0] = 0.15
    assert heatmap.scale_end(table) == 0.15


def test_numbers_are_written_as_the_slides_print_them():
    ours = [[heatmap.single(value) for value in row] for row in SLIDES]
    assert ours[1] == ["0.84147096", "0.5403023", "0.15782665", "0.9874668", "0.02511622"]
    assert [[float(value) for value in row] for row in ours] == [list(row) for row in positions.PRINTED]


def test_of_a_large_map_one_number_in_several_is_drawn():
    values = np.arange(1100.0 * 600).reshape(1100, 600)
    figure = heatmap.colored(values, ("Position", "Dimension"), "value", (0.0, values.max()), (5, 0))
    drawn = figure.data[0]
    np.testing.assert_array_equal(drawn.z, values[::3, ::2])
    assert list(drawn.y[:3]) == [5, 8, 11] and list(drawn.x[-2:]) == [596, 598]
    assert figure.layout.yaxis.title.text == "Position (one in 3)"
    assert figure.layout.xaxis.title.text == "Dimension (one in 2)"


def test_a_table_with_all_sines_first(snapshot):
    table = positions.encoding(5, 5, 100.0, halves=True)
    curves = figures.chosen_curves(table, (3,), "positions", 100.0, halves=True)
    apart = figures.curves_apart(table, "dimensions", 100.0, halves=True)
    written = heatmap.formula(3, 4, 5, 100.0, table[3, 4], halves=True)
    assert drawn(said(heatmap.heat_map(table, 100.0, halves=True)), curves, apart, *written) == snapshot


def test_chosen_dimensions_and_positions(snapshot):
    # By the formula, dimension 4 repeats after 2 π 100^0.8 = 250.14 positions.
    assert snapshot == drawn(
        figures.chosen_curves(SLIDES, (0, 1, 4), "dimensions", 100.0),
        said(figures.chosen_curves(-SLIDES[:3], (1,), "dimensions", None)),
        figures.chosen_curves(SLIDES, (0, 3), "positions", 100.0),
        figures.chosen_curves(SLIDES, (3,), "positions", None),  # no sines and cosines
        said(figures.chosen_curves(SLIDES, (0,), "positions", 100.0)),
    )
    cannot_draw("at least one curve", figures.chosen_curves, SLIDES, (), "positions", 100.0)


def test_curves_apart(snapshot):
    # Each row lies one step, 2.1, below the one before.
    pictures = [figures.curves_apart(SLIDES, of, 100.0) for of in ("dimensions", "positions")]
    assert drawn(*pictures) == snapshot
    assert figures.curves_apart(SLIDES, "positions", None).figure.data[0].name == "even dimension"
    # Of many curves some are drawn, a sine with its cosine.
    table = positions.encoding(100, 512, 10000)
    picture = figures.curves_apart(table, "dimensions", 10000.0)
    found = [int(name.split()[1]) for name in list(picture.table)[1:]]
    assert len(found) == 64 and found[:2] == [0, 1] and found[-2:] == [510, 511]
    assert all(odd == even + 1 and even % 2 == 0 for even, odd in zip(found[::2], found[1::2], strict=True))
    assert said(picture).startswith("64 of 512 dimensions, evenly chosen: dimension 0 changes its sign 31 times")
    for values, of, columns in ((table, "positions", 65), (table[:, :5], "dimensions", 6),  # the last sine stands alone
                                (np.zeros((1, 1)), "positions", 2)):  # fmt: skip
        assert len(figures.curves_apart(values, of, 10000.0).table) == columns


# Pairs --------------------------------------------------------------------------------------------------------------


def test_products_and_distances_of_pairs(snapshot):
    dots = pairs.pair_map(positions.dots(positions.encoding(4, 2, 100)), "dot")
    far = pairs.pair_map(positions.distances(positions.encoding(3, 2, 100)), "distance")
    # How large the rounding is differs from one processor to another.
    assert said(dots).startswith("The dot product of p and q depends on q − p alone")
    assert said(far).startswith("The Euclidean distance of p and q depends on q − p alone")
    odd = positions.dots(positions.encoding(3, 1, 100))  # sin² 2 = 0.83
    others = [said(pairs.pair_map(matrix, "dot")) for matrix in (odd, np.array([[0.5]]))]
    assert drawn(replace(dots, caption=""), replace(far, caption=""), *others) == snapshot


def test_the_curve_of_a_position(snapshot):
    matrix = np.array([[4.0, 1.0, -2.0], [1.0, 9.0, 3.0], [-2.0, 3.0, 5.0]])
    others = pairs.pair_curve(matrix, 0, "distance"), pairs.pair_curve(np.array([[2.0]]), 0, "dot")
    assert drawn(pairs.pair_curve(matrix, 1, "dot"), *map(said, others)) == snapshot


def shift(length, width, offset):
    table, matrix = positions.encoding(length, width, 100), positions.shift_map(offset, width, 100)
    return pairs.shift_picture(matrix, offset, positions.residual(table, matrix, offset), learned=False)


def test_the_map_of_a_shift():
    picture = shift(10, 4, 2)
    # Written with 17 digits, of which the last ones are rounding.
    assert picture.figure.data[0].z[0][1] == pytest.approx(math.sin(2)) and len(picture.figure.layout.shapes) == 2
    assert "made of 2 rotations, the first by the angle 2: cos 2 = −0.42; max |M PE(p) − PE(p + 2)| = " in said(picture)
    assert said(picture).endswith("over 8 pairs of positions: the map is exact up to rounding.")
    wide = shift(10, 40, 2)
    assert wide.figure.data[0].z.shape == (8, 8) and len(wide.table) == 41
    assert "the first 8 of 40" in wide.figure.layout.yaxis.title.text
    for value, text in ((0.0, "0"), (0.25, "0.2500"), (3.64e-15, "3.6 · 10⁻¹⁵"), (1e-4, "1.0 · 10⁻⁴")):
        assert pairs.small(value) == text


def test_an_odd_width_has_no_map():
    # sin(2 / 100^(2/3)) = 0.0927
    odd = said(shift(10, 3, 2))
    assert "= 0.0927 over 8 pairs of positions, in dimension 2 at p = 0. In the 1 rotation" in odd
    assert odd.endswith("no row of M can give its next value from the present one.")
    assert "at p = 0. The last sine" in said(shift(4, 1, 1))


def test_a_fitted_map_says_whether_it_had_to_fit():
    table = np.random.default_rng(1).standard_normal((6, 2))
    matrix = positions.fitted_map(table, 1)
    picture = pairs.shift_picture(matrix, 1, positions.residual(table, matrix, 1), learned=True)
    assert not picture.figure.layout.shapes and "The best map by least squares leaves" in said(picture)
    assert said(picture).endswith("nothing forces a learned table to have one.")
    short = positions.residual(table[:3], positions.fitted_map(table[:3], 1), 1)
    assert "with no more pairs than the 2 numbers of a row nearly every table has an exact map" in said(
        pairs.shift_picture(matrix, 1, short, learned=True)
    )


# Biases by distance -------------------------------------------------------------------------------------------------

DISTANCES = np.arange(-4, 5)
BIASES = positions.Biases(
    "encoder", DISTANCES, np.array([2, 2, 2, 1, 0, 4, 5, 5, 5]),
    np.float32([[0, 0, 0, 1, 2, -1, 0, 0, 0], [3, 3, 3, 0, 0, 0, -2, -2, -2]]), 6,
)  # fmt: skip


def test_buckets_and_biases_by_distance(snapshot):
    # One head's weights of two distances are e³ = 20.09 to 1.
    assert drawn(biases.buckets(BIASES), biases.head_map(BIASES), biases.head_line(BIASES, 0)) == snapshot


def test_biases_on_scores(snapshot):
    matrix = np.float32([[1, 9], [-2, 1]])
    assert drawn(biases.score_map(matrix, [" a", "b"], "decoder", 2, 5)) == snapshot  # later keys are masked
    assert biases.score_map(matrix, ["a", "b"], "encoder", 0, 2).table["2 · b"] == [9, 1]
    cannot_draw(r"Received: \[2, 2\], 1 labels", biases.score_map, matrix, ["a"], "encoder", 0, 1)


# Runs ---------------------------------------------------------------------------------------------------------------


def test_sums_of_embedding_and_position(snapshot):
    words = np.array(positions.SLIDES_WORDS)
    picture = runs.sum_maps(words, SLIDES, [f"w{row}" for row in range(5)], 0)
    assert picture.table["Sum"][5:10] == pytest.approx(positions.PRINTED_SUM, abs=1e-7)  # printed with seven digits
    words, places = np.ones((2, 20)), np.full((2, 20), 0.5)
    places[1, 3] = -0.75
    wide = runs.sum_maps(words, places, ["<a>", " b"], 7, "unscaled", normed=True)
    assert drawn(picture, wide) == snapshot
    cannot_draw(r"Received: \[2, 20\], \[2, 20\] and 1 labels", runs.sum_maps, words, places, ["a"], 0)
    assert runs.sum_maps(np.zeros((1, 1)), np.zeros((1, 1)), ["a"], 0).table["Sum"] == [0]


def test_the_sum_of_a_token_and_lengths_of_all(snapshot):
    token = runs.token_sum(np.array([3.0, -4.0, 0.0]), np.array([0.0, 1.0, -0.5]), "<b>", 7)
    lengths = runs.norms(np.array([10.0, 20.0]), np.array([5.0, 5.0]), [" cat", "dog"])
    assert drawn(token, lengths) == snapshot
    assert len(runs.token_sum(np.ones(40), np.ones(40), "a", 0).figure.data[0].y) == 24
    cannot_draw("Received: 2 and 1 for 1", runs.norms, np.ones(2), np.ones(1), ["a"])


def test_changes_and_what_remained_right(snapshot):
    names = ("removed", "shifted")
    effects, changed, texts = (dict(zip(names, each, strict=True)) for each in ((6.0, -1.5), (0.5, 0.0), ("b", "a")))
    others = [runs.changes(effects, changed, texts | {"shifted": second}, original, 3)
              for second, original in ("ac", "bc", "bb")]  # fmt: skip
    assert drawn(
        runs.changes(effects, changed, texts, "a", 3), *map(said, others),
        runs.kept_sentence(8, 6, 2, copies=True), runs.kept_sentence(1, 0, 0, copies=False),
        runs.kept_sentence(0, 0, 0, copies=True),
    ) == snapshot  # fmt: skip
    cannot_draw("Received: 2, 1 and 2", runs.changes, effects, {"removed": 0.5}, texts, "a", 3)
    cannot_draw("Received: 0, 0 and 0", runs.changes, {}, {}, {}, "a", 3)
