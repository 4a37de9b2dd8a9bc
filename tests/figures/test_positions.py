"""Pictures of positions: what they draw and say, from tables whose numbers are known."""

import math

import numpy as np
import pytest

from core.explain import positions
from core.figures import positions as figures
from core.figures import positions_bias as biases
from core.figures import positions_map
from core.figures import positions_pairs as pairs
from core.figures import positions_runs as runs
from tests.figures.conftest import notes, said

SLIDES = positions.encoding(*positions.SLIDES)


def whole(picture):
    """Return the picture: its table's columns are of one length, axes have titles, something explains the colours."""
    assert len({len(column) for column in picture.table.values()}) == 1
    axes = [picture.figure.layout[name] for name in picture.figure.layout if name.startswith("xaxis")]
    assert any(axis.title.text for axis in axes) and picture.caption.endswith(".")
    bars = [trace.colorbar.title.text for trace in picture.figure.data if trace.type == "heatmap"]
    assert bars or any(trace.name for trace in picture.figure.data)
    return picture


def ys(picture) -> list[list]:
    return [list(trace.y) for trace in picture.figure.data]


# The table ----------------------------------------------------------------------------------------------------------


def test_the_map_holds_every_number_and_writes_those_of_a_small_table():
    picture = whole(positions_map.heat_map(SLIDES, 100.0))
    heat, plain, white = picture.figure.data
    np.testing.assert_allclose(heat.z, SLIDES, rtol=1e-6)
    assert (heat.zmin, heat.zmax) == (-1, 1)
    written = {(x, y): text for each in (plain, white) for x, y, text in zip(each.x, each.y, each.text, strict=True)}
    assert [written[place] for place in ((0, 0), (0, 1), (1, 3))] == ["0", "0.841", "−0.990"] and len(written) == 25
    assert (0, 0) in list(zip(plain.x, plain.y, strict=True)) and (1, 0) in list(zip(white.x, white.y, strict=True))
    assert picture.table["Dimension 4"] == pytest.approx(SLIDES[:, 4])
    assert said(picture) == (
        "5 positions × 5 dimensions, sinusoids of base 100: values from −0.99 to 1.00; 0 of 5 dimensions change by "
        "less than 0.1 over all positions."
    )
    picture = positions_map.heat_map(positions.encoding(20, 16, 10000), 10000.0)
    assert len(picture.figure.data) == 1  # too many numbers to write
    # 19 ÷ 10^2.5 = 0.06 and cos 0.19 = 0.98: column 10 and all from 9 on
    assert said(picture).startswith(
        "20 positions × 16 dimensions, sinusoids of base 10,000: values from −1.00 to 1.00; 7 of 16 dimensions change"
    )
    one = whole(positions_map.heat_map(positions.encoding(1, 3, 100), 100.0))
    assert said(one).endswith("one position alone, (0.00, 1.00, 0.00).")
    learned = positions_map.heat_map(np.array([[0.02, -0.05], [0.5, 0.01]]), None)
    assert learned.figure.data[0].zmax == 0.5 and "2 dimensions, learned: values from −0.05 to 0.50" in said(learned)
    ours = [[positions_map.single(value) for value in row] for row in SLIDES]  # as the slides print them
    assert ours[1] == ["0.84147096", "0.5403023", "0.15782665", "0.9874668", "0.02511622"]
    assert [[float(value) for value in row] for row in ours] == [list(row) for row in positions.PRINTED]


def test_of_a_large_map_one_number_in_several_is_drawn():
    values = np.arange(1100.0 * 600).reshape(1100, 600)
    figure = positions_map.colored(values, ("Position", "Dimension"), "value", (0.0, values.max()), (5, 0))
    drawn = figure.data[0]
    np.testing.assert_array_equal(drawn.z, values[::3, ::2])
    assert list(drawn.y[:3]) == [5, 8, 11] and list(drawn.x[-2:]) == [596, 598]
    assert figure.layout.yaxis.title.text == "Position (one in 3)"
    assert figure.layout.xaxis.title.text == "Dimension (one in 2)"


def test_a_table_with_all_sines_first():
    table = positions.encoding(5, 5, 100.0, halves=True)
    assert said(positions_map.heat_map(table, 100.0, halves=True)).startswith(
        "5 positions × 5 dimensions, sinusoids of base 100, all sines first"
    )
    drawn = figures.chosen_curves(table, (3,), "positions", 100.0, halves=True).figure.data
    assert [list(trace.x) for trace in drawn] == [[0, 1, 2], [3, 4]]
    apart = figures.curves_apart(table, "dimensions", 100.0, halves=True).figure.data
    assert [trace.name for trace in apart] == ["sine, first half", "cosine, second half"]
    assert len(apart[0].x) == 3 * 6
    derived, sentence = positions_map.formula(3, 4, 5, 100.0, table[3, 4], halves=True)
    assert "PE(3, 3 + 1)" in derived and "i = 1, a cosine" in sentence


def test_chosen_dimensions_and_positions():
    picture = whole(figures.chosen_curves(SLIDES, (0, 1, 4), "dimensions", 100.0))
    assert [trace.name for trace in picture.figure.data] == ["dimension 0", "dimension 1", "dimension 4"]
    assert ys(picture)[2] == pytest.approx(SLIDES[:, 4])
    assert said(picture) == (
        "Over 5 positions, dimension 0 changes its sign 1 time and dimension 4 changes its sign 0 times; by the "
        f"formula they repeat after 6.28 and {2 * math.pi * 100**0.8:.2f} positions."
    )
    assert said(figures.chosen_curves(-SLIDES[:3], (1,), "dimensions", None)) == (
        "Over 3 positions, dimension 1 changes its sign 1 time; nothing forces a learned dimension to be a wave."
    )
    picture = whole(figures.chosen_curves(SLIDES, (0, 3), "positions", 100.0))
    drawn = {trace.name: (list(trace.x), list(trace.y)) for trace in picture.figure.data}
    assert list(drawn) == ["position 0, sines", "0, cosines", "position 3, sines", "3, cosines"]
    assert drawn["position 3, sines"] == ([0, 2, 4], list(SLIDES[3, ::2]))
    assert drawn["3, cosines"] == ([1, 3], list(SLIDES[3, 1::2]))
    assert ys(figures.chosen_curves(SLIDES, (3,), "positions", None)) == [list(SLIDES[3])]  # no sines and cosines
    assert said(picture) == (
        "Positions 0 and 3 differ by more than 0.1 in 4 of 5 dimensions (80 %), most in dimension 1: 1.00 and −0.99."
    )
    alone = said(figures.chosen_curves(SLIDES, (0,), "positions", 100.0))
    assert alone == "Position 0 is (0.00, 1.00, 0.00, 1.00, …): its length is 1.41."
    with pytest.raises(ValueError, match="at least one curve"):
        figures.chosen_curves(SLIDES, (), "positions", 100.0)


def test_curves_apart():
    picture = whole(figures.curves_apart(SLIDES, "dimensions", 100.0))
    sines, cosines = picture.figure.data
    assert (sines.name, cosines.name) == ("sine, even dimension", "cosine, odd dimension")
    assert len(sines.x) == 3 * 6 and sines.x[5] is None and len(cosines.x) == 2 * 6
    assert list(cosines.y[:5]) == pytest.approx(SLIDES[:, 1] - 2.1)  # the second row, one step below
    assert list(sines.y[6:11]) == pytest.approx(SLIDES[:, 2] - 4.2)
    assert said(picture) == (
        "All 5 dimensions: dimension 0 changes its sign 1 time, dimension 4 0 times; 3 of those drawn never do."
    )
    picture = whole(figures.curves_apart(SLIDES, "positions", 100.0))
    sines, cosines = picture.figure.data
    assert list(sines.x[:8]) == [0, 2, 4, None] * 2
    assert list(sines.y[4:7]) == pytest.approx(SLIDES[1, ::2] - 2.1)
    assert list(cosines.y[:2]) == pytest.approx(SLIDES[0, 1::2])
    assert figures.curves_apart(SLIDES, "positions", None).figure.data[0].name == "even dimension"
    assert said(picture) == (
        "All 5 positions: position 2 changes its sign most often along the dimensions, 2 times; position 0 does so "
        "0 times."
    )
    # Of many curves some are drawn, a sine with its cosine.
    table = positions.encoding(100, 512, 10000)
    picture = figures.curves_apart(table, "dimensions", 10000.0)
    drawn = [int(name.split()[1]) for name in list(picture.table)[1:]]
    assert len(drawn) == 64 and drawn[:2] == [0, 1] and drawn[-2:] == [510, 511]
    assert all(odd == even + 1 and even % 2 == 0 for even, odd in zip(drawn[::2], drawn[1::2], strict=True))
    assert said(picture).startswith("64 of 512 dimensions, evenly chosen: dimension 0 changes its sign 31 times")
    for values, of, columns in ((table, "positions", 65), (table[:, :5], "dimensions", 6),  # the last sine stands alone
                                (np.zeros((1, 1)), "positions", 2)):  # fmt: skip
        assert len(figures.curves_apart(values, of, 10000.0).table) == columns


# Pairs --------------------------------------------------------------------------------------------------------------


def test_products_and_distances_of_pairs():
    table = positions.encoding(30, 4, 100)
    picture = whole(pairs.pair_map(positions.dots(table), "dot"))
    assert picture.figure.data[0].zmin == -picture.figure.data[0].zmax
    assert said(picture).startswith("The dot product of p and q depends on q − p alone")
    assert said(pairs.pair_map(positions.dots(positions.encoding(3, 1, 100)), "dot")) == (
        "The dot product of p and q does not depend on q − p alone: two pairs that are 0 apart differ by up to 0.83."
    )  # sin² 2
    far = pairs.pair_map(positions.distances(table), "distance")
    assert far.figure.data[0].zmin == 0 and "Euclidean distance of p and q depends on q − p alone" in said(far)
    assert said(pairs.pair_map(np.array([[0.5]]), "dot")) == (
        "There is one position, and no other to compare with; its dot product with itself is 0.50."
    )
    # The curve of a position.
    matrix = np.array([[4.0, 1.0, -2.0], [1.0, 9.0, 3.0], [-2.0, 3.0, 5.0]])
    picture = whole(pairs.pair_curve(matrix, 1, "dot"))
    assert ys(picture)[0] == [1, 9, 3] and list(picture.figure.data[1].x) == [1]
    assert said(picture) == (
        "With itself, position 1 has the dot product 9.00; with others it is largest for position 2 (3.00) and "
        "smallest for position 0 (1.00)."
    )
    near = said(pairs.pair_curve(matrix, 0, "distance"))
    assert "with others it is smallest for position 2 (−2.00) and largest for position 1 (1.00)" in near
    alone = said(pairs.pair_curve(np.array([[2.0]]), 0, "dot"))
    assert alone == "There is no other position; with itself the dot product is 2.00."


def shift(length, width, offset):
    table, matrix = positions.encoding(length, width, 100), positions.shift_map(offset, width, 100)
    return pairs.shift_picture(matrix, offset, positions.residual(table, matrix, offset), learned=False)


def test_the_map_of_a_shift():
    picture = whole(shift(10, 4, 2))
    assert picture.figure.data[0].z[0][1] == pytest.approx(math.sin(2)) and len(picture.figure.layout.shapes) == 2
    assert "made of 2 rotations, the first by the angle 2: cos 2 = −0.42; max |M PE(p) − PE(p + 2)| = " in said(picture)
    assert said(picture).endswith("over 8 pairs of positions: the map is exact up to rounding.")
    wide = shift(10, 40, 2)
    assert wide.figure.data[0].z.shape == (8, 8) and len(wide.table) == 41
    assert "the first 8 of 40" in wide.figure.layout.yaxis.title.text
    # An odd width is said to have no map.
    odd = said(shift(10, 3, 2))
    left = math.sin(2 / 100 ** (2 / 3))
    assert f"= {left:.4f} over 8 pairs of positions, in dimension 2 at p = 0. In the 1 rotation" in odd
    assert odd.endswith("no row of M can give its next value from the present one.")
    assert "at p = 0. The last sine" in said(shift(4, 1, 1))
    # A fitted map says whether it had to fit.
    table = np.random.default_rng(1).standard_normal((6, 2))
    matrix = positions.fitted_map(table, 1)
    picture = pairs.shift_picture(matrix, 1, positions.residual(table, matrix, 1), learned=True)
    assert not picture.figure.layout.shapes and "The best map by least squares leaves" in said(picture)
    assert said(picture).endswith("nothing forces a learned table to have one.")
    short = positions.residual(table[:3], positions.fitted_map(table[:3], 1), 1)
    assert "with no more pairs than the 2 numbers of a row nearly every table has an exact map" in said(
        pairs.shift_picture(matrix, 1, short, learned=True)
    )
    for value, text in ((0.0, "0"), (0.25, "0.2500"), (3.64e-15, "3.6 · 10⁻¹⁵"), (1e-4, "1.0 · 10⁻⁴")):
        assert pairs.small(value) == text


# Biases by distance -------------------------------------------------------------------------------------------------

DISTANCES = np.arange(-4, 5)
BIASES = positions.Biases(
    "encoder", DISTANCES, np.array([2, 2, 2, 1, 0, 4, 5, 5, 5]),
    np.float32([[0, 0, 0, 1, 2, -1, 0, 0, 0], [3, 3, 3, 0, 0, 0, -2, -2, -2]]), 6,
)  # fmt: skip


def test_buckets_and_biases_by_distance():
    picture = whole(biases.buckets(BIASES))
    assert ys(picture) == [[2, 2, 2, 1, 0], [4, 5, 5, 5]] and picture.table["Bucket"][0] == 2
    assert said(picture) == (
        "Encoder: 6 buckets, 3 of them for keys before the query and at it. The distances 0 to 1 have one each; all "
        "from 2 on share one."
    )
    picture = whole(biases.head_map(BIASES))
    (heat,) = picture.figure.data
    assert (
        (heat.zmin, heat.zmax) == (-3, 3)
        and heat.customdata[1][0] == 2
        and list(picture.table)[2:] == ["Head 1", "Head 2"]
    )
    assert said(picture) == (
        "Encoder, 2 heads: the largest bias is +3.00, of head 2 at distance −4; the smallest bias is −2.00, of head 2 "
        "at distance 2."
    )
    picture = whole(biases.head_line(BIASES, 0))
    assert ys(picture) == [[0, 0, 0, 1, 2, -1, 0, 0, 0]] and picture.table["Bias"][4] == 2
    assert said(picture) == (
        "Encoder, head 1: from −1.00 at distance 1 to +2.00 at distance 0. Of two keys with the same dot product the "
        "one at distance 0 gets 20.09 times the weight of the one at distance 1."
    )  # e³


def test_biases_on_scores():
    matrix = np.float32([[1, 9], [-2, 1]])
    picture = whole(biases.score_map(matrix, [" a", "b"], "decoder", 2, 5))
    assert np.isnan(picture.figure.data[0].z[0][1]) and picture.figure.data[0].zmax == 2  # later keys are masked
    assert picture.table == {"Query": ["a", "b"], "1 · a": [1, -2], "2 · b": [None, 1]}
    assert said(picture) == (
        "Decoder self-attention, head 3, every layer: where “b” looks at “a”, distance −1, −2.00 is added; at itself "
        "+1.00. Each diagonal is one distance and has one colour. Drawn are the first 2 of 5 tokens."
    )
    assert biases.score_map(matrix, ["a", "b"], "encoder", 0, 2).table["2 · b"] == [9, 1]
    with pytest.raises(ValueError, match=r"Received: \[2, 2\], 1 labels"):
        biases.score_map(matrix, ["a"], "encoder", 0, 1)


# Runs ---------------------------------------------------------------------------------------------------------------


def test_sums_of_embedding_and_position():
    words = np.array(positions.SLIDES_WORDS)
    picture = whole(runs.sum_maps(words, SLIDES, [f"w{row}" for row in range(5)], 0))
    maps = [trace for trace in picture.figure.data if trace.type == "heatmap"]
    for trace, values in zip(maps, (words, SLIDES, words + SLIDES), strict=True):
        np.testing.assert_allclose(trace.z, values, rtol=1e-6)
    assert len({(trace.zmin, trace.zmax) for trace in maps}) == 1
    assert picture.figure.layout.yaxis.ticktext[1] == "1 · w1"
    assert picture.table["Sum"][5:10] == pytest.approx(positions.PRINTED_SUM, abs=1e-7)
    assert said(picture) == (
        "“w0” stands at position 0: in dimension 1, 0.20 + 1.00 = 1.20; no number of the word changes by more than "
        "1.00."
    )
    words, places = np.ones((2, 20)), np.full((2, 20), 0.5)
    places[1, 3] = -0.75
    picture = whole(runs.sum_maps(words, places, ["<a>", " b"], 7, "unscaled", normed=True))
    assert notes(picture)[::2] == ["embedding", "= what the norm reads"] and "Embedding" in picture.table
    assert picture.figure.data[0].z.shape == (2, 6) and len(picture.table["Sum"]) == 40
    assert list(picture.figure.layout.yaxis.ticktext) == ["7 · &lt;a&gt;", "8 · b"]
    assert said(picture).startswith("“b” stands at position 8: in dimension 3, 1.00 + −0.75 = 0.25; no number")
    with pytest.raises(ValueError, match=r"Received: \[2, 20\], \[2, 20\] and 1 labels"):
        runs.sum_maps(words, places, ["a"], 0)
    assert runs.sum_maps(np.zeros((1, 1)), np.zeros((1, 1)), ["a"], 0).table["Sum"] == [0]
    # The sum of a token.
    picture = whole(runs.token_sum(np.array([3.0, -4.0, 0.0]), np.array([0.0, 1.0, -0.5]), "<b>", 7))
    assert ys(picture) == [[3, -4, 0], [0, 1, -0.5], [3, -3, -0.5]] and picture.table["Sum"] == [3, -3, -0.5]
    assert said(picture) == (
        "“<b>” at position 7: in dimension 1, where the position adds most, −4.00 + 1.00 = −3.00; the embedding has "
        "length 5.00, the position 1.12, the sum 4.27."
    )
    assert len(ys(runs.token_sum(np.ones(40), np.ones(40), "a", 0))[0]) == 24
    # Lengths of all tokens.
    assert said(whole(runs.norms(np.array([10.0, 20.0]), np.array([5.0, 5.0]), [" cat", "dog"]))) == (
        "In the mean of 2 tokens the embedding has length 15.00 and the position 5.00: 3.00 to 1. The position counts "
        "most for “cat” (position 0), 2.00 to 1."
    )
    with pytest.raises(ValueError, match="Received: 2 and 1 for 1"):
        runs.norms(np.ones(2), np.ones(1), ["a"])


def test_changes_and_what_remained_right():
    names = ("removed", "shifted")
    effects, changed, texts = (dict(zip(names, each, strict=True)) for each in ((6.0, -1.5), (0.5, 0.0), ("b", "a")))
    picture = whole(runs.changes(effects, changed, texts, "a", 3))
    assert [list(bars.x) for bars in picture.figure.data] == [[6, 0], [0, -1.5]]
    assert notes(picture) == ["<b>+6.00</b>", "<b>−1.50</b>"]
    assert said(picture) == (
        "The effect on the original summary of 3 tokens is largest with positions removed: +6.00 nats, "
        "+2.00 a token; smallest with positions shifted: −1.50 nats. 2 changes give 1 new summary; "
        "1 of the changes leaves the summary as it is."
    )
    for second, original, end in (
        ("a", "c", "2 changes give 2 new summaries."),
        ("b", "c", "2 changes give 1 new summary."),
        ("b", "b", "2 changes give no new summary."),
    ):
        assert said(runs.changes(effects, changed, texts | {names[1]: second}, original, 3)).endswith(end)
    assert picture.table["Effect per token (nats)"] == [2, -0.5] and picture.table["New summary"] == ["b", "a"]
    for arguments, counts in (((effects, {names[0]: 0.5}, texts), "2, 1 and 2"), (({}, {}, {}), "0, 0 and 0")):
        with pytest.raises(ValueError, match=f"Received: {counts}"):
            runs.changes(*arguments, "a", 3)
    assert said(runs.kept_sentence(8, 6, 2, copies=True)) == (
        "Copying writes ids of source tokens, and an id has no place: 6 of 8 words of the new summary stand in "
        "the dialogue (75 %), and 2 stood in the old one."
    )
    assert runs.kept_sentence(1, 0, 0, copies=False).startswith("This model cannot copy; it writes words from its")
    assert runs.kept_sentence(0, 0, 0, copies=True) == "The new summary has no words."
