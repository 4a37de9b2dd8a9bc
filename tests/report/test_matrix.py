"""The drawing of a matrix, and its tables."""

import io
import re

import numpy as np
from PIL import Image

from core.figures.attention.weights import Label, Weights
from core.figures.shared.palette import ATTENTION
from core.report import matrix


def weights(rows: int, columns: int) -> Weights:
    values = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) / (rows * columns)
    labels = [tuple(Label(f"turn {at + 1}", (at,), at) for at in range(size)) for size in (rows, columns)]
    return Weights("cross", "layer 1, head 1", values, *labels)


def test_the_image_has_a_pixel_a_weight_as_dark_as_its_square_root():
    values = np.array([[0.0, 0.25], [1.0, 0.5]], dtype=np.float32)
    assert matrix.shade(values).tolist() == [[0, 128], [255, 180]]
    image = Image.open(io.BytesIO(matrix.png(matrix.shade(values)))).convert("RGBA")
    assert image.size == (2, 2)
    assert [image.getpixel(place) for place in ((0, 0), (1, 0), (0, 1), (1, 1))] == [
        (*bytes.fromhex(ATTENTION[1:]), alpha) for alpha in (0, 128, 255, 180)
    ]


def test_wide_tables_are_split_and_hold_every_weight():
    found = weights(3, matrix.ACROSS + 2)
    first, second = matrix.tables(found)
    assert [table.count("<tr>") for table in (first, second)] == [4, 4]
    numbers = [re.findall(r"<td[^>]*>([\d.]+)</td>", table) for table in (first, second)]
    rows = [numbers[0][12 * row : 12 * row + 12] + numbers[1][2 * row : 2 * row + 2] for row in range(3)]
    assert rows == [[f"{100 * value:.1f}" for value in row] for row in found.values.tolist()]
    assert '<a href="#turn-14">14</a>' in second
