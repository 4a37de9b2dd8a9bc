"""Positional encodings: numbers worked out by hand, and the same numbers as the model's own table."""

import math
from functools import partial

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain import positions
from core.model.positional import sinusoidal_encoding
from tests.closeness import near
from tests.explain.attention_lab.test_lab import WORKED
from tests.refusals import refusals, refused

EXACT = 1e-12
"""Sums of sines of angles up to 64 in double precision, which rounds such an angle by less than 1e-14."""


def test_the_table_is_the_models_own(snapshot):
    sines = [[math.sin(position), math.cos(position)] for position in range(3)]
    np.testing.assert_allclose(positions.encoding(3, 2, 100), sines)
    for size in [(5, 5, 100.0), (1, 1, 1.5), (1, 4, 10.0), (7, 1, 10000.0), (512, 512, 10000.0), (40, 7, 1.001)]:
        near(positions.encoding(*size), sinusoidal_encoding(*size))
    # One cell is worked out. Width 4, base 100: columns 2 and 3 divide by 100^(2/4) = 10.
    for column, function, value in ((2, "sin", 0.2955202067), (3, "cos", 0.9553364891)):  # of 0.3
        found = positions.cell(3, column, 4, 100)
        assert (found.pair, found.exponent, found.divisor, found.function) == (1, 0.5, 10.0, function)
        assert (found.angle, found.wavelength, found.value) == pytest.approx((0.3, 62.8318530718, value))
    table = positions.encoding(9, 5, 50)
    assert all(positions.cell(p, j, 5, 50).value == pytest.approx(table[p, j]) for p in range(9) for j in range(5))
    # Passing through zero is counted.
    for values, changes in (([0.0, 1, 2, -1, 0, -2, 0, 3], 2), ([0.0, 0, 0], 0), ([5.0], 0)):
        assert positions.sign_changes(np.array(values)) == changes
    cases = [(0, 4, 10.0), (513, 4, 10.0), (4, 0, 10.0), (4, 4, 1.0), (4, 4, 0.5), (4, 4, -3.0), (4, 4, math.nan)]
    cases += [(4, 4, math.inf)]
    assert refusals(SettingsError, positions.encoding, cases) == snapshot
    refused(SettingsError, "Received: nothing", positions.check_base, None)


def test_all_sines_may_come_first():
    assert positions.waves(5, halves=True).tolist() == [0, 2, 4, 1, 3]
    for size in [(7, 6, 100.0), (7, 5, 100.0)]:
        table = positions.encoding(*size, halves=True)
        near(table, sinusoidal_encoding(*size, halves=True))
        for dimension in range(size[1]):
            found = positions.cell(3, dimension, *size[1:], halves=True)
            assert found.value == pytest.approx(table[3, dimension])
            assert found.function == ("sin" if dimension < 3 else "cos")
        left = positions.residual(table, positions.shift_map(2, *size[1:], halves=True), 2, halves=True)
        assert left.paired < EXACT and (left.largest < EXACT) == (size[1] == 6)


def test_the_slides_numbers_are_those_of_the_sources_and_single_precision_gives_every_digit():
    example = WORKED["positional_encoding_d5_n100"]
    assert positions.SLIDES == (example["length"], example["dim"], example["base"])
    assert [list(row) for row in positions.PRINTED] == example["printed"]
    assert [list(row) for row in positions.SLIDES_WORDS] == example["word_embedding"]
    assert list(positions.PRINTED_SUM) == example["printed_sum_row_1"]
    table = positions.encoding(*positions.SLIDES).astype(np.float32)
    summed = table[1] + np.array(positions.SLIDES_WORDS, dtype=np.float32)[1]
    printed = [[round(float(str(value)), 8) for value in row] for row in (*table, summed)]
    assert printed == [list(row) for row in (*positions.PRINTED, positions.PRINTED_SUM)]


def test_products_depend_on_the_offset_alone():
    table = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 4.0]])
    assert positions.dots(table).tolist() == [[25, 0, 16], [0, 0, 0], [16, 0, 16]]
    assert positions.distances(table).tolist() == [[0, 5, 3], [5, 0, 4], [3, 4, 0]]
    table = positions.encoding(60, 6, 100)
    products = positions.dots(table)
    rates = 1 / np.array([1, 100 ** (1 / 3), 100 ** (2 / 3)])
    assert products[7, 12] == pytest.approx(float(np.cos(5 * rates).sum()))
    assert products[40, 40] == pytest.approx(3)  # half the width
    assert positions.deviation(products)[0] < EXACT
    # A distance is the root of a difference of larger numbers.
    assert positions.deviation(positions.distances(table))[0] < EXACT**0.5
    # An odd width breaks that. Width 1 is sin(p): the product of a position with itself is sin², from 0 to nearly 1.
    odd = positions.deviation(positions.dots(positions.encoding(3, 1, 100)))
    assert odd == (pytest.approx(math.sin(2) ** 2), 0)
    assert positions.deviation(np.array([[1.0, 2, 3], [0, 1, 5], [0, 0, 1]])) == (3.0, 1)
    assert positions.deviation(np.array([[7.0]])) == (0.0, 0)


def test_the_map_of_an_offset():
    # The map of width two is a rotation by the offset; no offset changes nothing.
    found = positions.shift_map(2, 2, 100)
    np.testing.assert_allclose(found, [[math.cos(2), math.sin(2)], [-math.sin(2), math.cos(2)]])
    np.testing.assert_allclose(found @ [math.sin(3), math.cos(3)], [math.sin(5), math.cos(5)])
    np.testing.assert_allclose(found @ found.T, np.eye(2), atol=EXACT)
    np.testing.assert_array_equal(positions.shift_map(0, 5, 100), np.eye(5))
    # An even width has such a map.
    for width, offset in [(2, 1), (4, 3), (16, 29), (512, 7)]:
        table = positions.encoding(64, width, 10000)
        left = positions.residual(table, positions.shift_map(offset, width, 10000), offset)
        assert left.largest < EXACT and left.pairs == 64 - offset, (width, offset)
    # The last sine of an odd width has none. What is left over is cos(p b) sin(k b), with b the last divisor's
    # inverse; at p = 0 it is sin(k b).
    for width in [1, 5]:
        table = positions.encoding(50, width, 100)
        left = positions.residual(table, positions.shift_map(3, width, 100), 3)
        turn = math.sin(3 / 100 ** ((width - 1) / width))
        assert left.dimension == width - 1 and left.paired < EXACT and left.position == 0, width
        assert left.largest == pytest.approx(abs(turn)) and left.largest > 0.05, width
        # No row fits: the best one for these 47 pairs, whatever the other dimensions give to it, misses, too.
        assert positions.residual(table, positions.fitted_map(table, 3), 3).largest > 1e-3, width


def test_the_best_map_of_a_table_without_a_formula(snapshot):
    """Row p is (2^p): doubling; and with as many numbers as pairs every table has a map."""
    table = 2.0 ** np.arange(5)[:, None]
    odd = np.array([[0.0], [1.0], [3.0]])  # 1 -> 3, 0 -> 1: the best factor is 3, and 1 is left over
    for values, offset, factor in ((table, 1, 2), (table, 3, 8), (odd, 1, 3)):
        np.testing.assert_allclose(positions.fitted_map(values, offset), [[factor]])
    left = positions.residual(odd, positions.fitted_map(odd, 1), 1)
    assert (left.largest, left.position, left.dimension, left.pairs) == (pytest.approx(1.0), 0, 0, 2)
    random = np.random.default_rng(0).standard_normal((5, 8))
    # Four equations that fit exactly, whose condition multiplies a rounding of 1e-16 by far less than a million.
    assert positions.residual(random, positions.fitted_map(random, 1), 1).largest < 1e-9
    square, tall = np.eye(2), np.ones((4, 2))
    for call in (lambda offset: positions.residual(tall, square, offset), partial(positions.fitted_map, tall)):
        assert refusals(SettingsError, call, [-1, 4]) == snapshot


def test_typed_numbers_are_read(snapshot):
    assert positions.numbers("0, 1;20  3,0", 21, "dimensions") == (0, 1, 20, 3)
    texts = ["", " , ", "1, x", "-1", "9", "1.5", "0 1 2 3"]
    assert refusals(SettingsError, lambda text: positions.numbers(text, 9, "dimensions", 3), texts) == snapshot
    # A few to begin with.
    for size, pairs, few in [
        (512, True, (0, 1, 64, 65, 128, 129)), (100, False, (0, 1, 25, 99)), (1, True, (0,)), (1, False, (0,)),
        (5, True, (0, 1)),
    ]:  # fmt: skip
        assert positions.spread(size, pairs=pairs) == few
