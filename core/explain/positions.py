"""Analyse positional encodings: angles and wavelengths, products and distances, and the map from p to p + k.

L positions, D width, float64. A table may also be learned; then functions that need the formula do not apply.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingsError
from core.explain.attention_lab.steps import Matrix
from core.limits import limits
from core.trace import Array
from core.words import say

Side = Literal["encoder", "decoder"]
LARGEST_BASE = 1e9
SLIDES = (5, 5, 100.0)
"""Length, width and base of the lecture slides' example."""
PRINTED: tuple[tuple[float, ...], ...] = (
    (0.0, 1.0, 0.0, 1.0, 0.0),
    (0.84147096, 0.5403023, 0.15782665, 0.9874668, 0.02511622),
    (0.9092974, -0.41614684, 0.31169716, 0.9501815, 0.0502166),
    (0.14112, -0.9899925, 0.45775455, 0.8890786, 0.07528529),
    (-0.7568025, -0.6536436, 0.5923377, 0.80568975, 0.10030649),
)
"""This table as the slides print it: eight digits of single precision."""
SLIDES_WORDS: tuple[tuple[float, ...], ...] = (
    (0.1, 0.2, 0.3, 0.4, 0.5),
    (0.3, 0.2, 0.1, 0.8, 0.6),
    (0.1, 0.4, 0.3, 0.1, 0.5),
    (0.3, 0.2, 0.3, 0.3, 0.1),
    (0.1, 0.3, 0.5, 0.4, 0.5),
)
"""The five word vectors that the slides add it to."""
PRINTED_SUM = (1.1414709, 0.74030226, 0.25782666, 1.7874668, 0.6251162)
"""The second row of the sum as the slides print it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The derivation of one number of a table of sinusoids.

    Args:
        position: p.
        dimension: column: 2i or 2i + 1, or with all sines first i or i plus their number.
        pair: i.
        exponent: 2i / D.
        divisor: base^(2i / D).
        angle: p / divisor, in radians.
        wavelength: positions after which the column repeats, 2π · divisor.
        value: sine or cosine of the angle.
        function: `sin` or `cos`.
    """

    position: int
    dimension: int
    pair: int
    exponent: float
    divisor: float
    angle: float
    wavelength: float
    value: float
    function: str


@dataclass(frozen=True, eq=False)
class Biases:
    """Learned biases of the self-attention's scores, the same in every layer (Raffel et al. 2020, section 2.1).

    Args:
        side: whose self-attention.
        distances: [N] position of the key minus position of the query, in order.
        buckets: [N] number of the bucket of each distance.
        values: [H, N] bias of each head.
        size: number of buckets.
    """

    side: Side
    distances: NDArray[np.int64]
    buckets: NDArray[np.int64]
    values: Array
    size: int


@dataclass(frozen=True, slots=True)
class Residual:
    """The error of a linear map from PE(p) to PE(p + k): M PE(p) − PE(p + k).

    Args:
        largest: largest absolute value over all pairs and dimensions.
        dimension: of that value.
        position: the p of that pair.
        paired: largest value over the paired dimensions, all but the last sine of an odd width; 0 for width 1.
        pairs: number of pairs (p, p + k) in the table.
    """

    largest: float
    dimension: int
    position: int
    paired: float
    pairs: int


def check(length: int, width: int, base: float) -> None:
    """Check that a table of this size and base can be made; raises SettingsError."""
    most = limits().table_positions
    if not 1 <= length <= most or not 1 <= width <= most:
        raise SettingsError(
            "length and width must be from 1 to {most}. Received: length {length}, width {width}",
            most=most,
            length=length,
            width=width,
        )
    check_base(base)


def check_base(base: float | None) -> None:
    """Check that wavelengths grow with this base; raises SettingsError."""
    if base is not None and 1 < base <= LARGEST_BASE:
        return
    if base == 1:
        raise SettingsError(
            "the base must be above 1 and at most 10⁹: all dimensions would have the same wavelength, 2π. Received: 1"
        )
    raise SettingsError(
        "the base must be above 1 and at most 10⁹: only then do the wavelengths grow. Received: {base}",
        base=say("nothing") if base is None else f"{base:g}",
    )


def waves(width: int, halves: bool) -> NDArray[np.int64]:
    """Return the wave of each column, [D]: 2i is sine i, 2i + 1 cosine i; with `halves` all sines come first."""
    numbers = np.arange(width)
    return np.concatenate([numbers[::2], numbers[1::2]]) if halves else numbers


def divisors(width: int, base: float, halves: bool = False) -> Matrix:
    """Return base^(2i/D), [D]: the divisors of sine i and cosine i (Vaswani et al. 2017, section 3.5)."""
    return np.asarray(np.power(float(base), 2 * (waves(width, halves) // 2) / width))


def encoding(length: int, width: int, base: float, halves: bool = False) -> Matrix:
    """Return the sinusoidal encoding [L, D], `core.model.positional.sinusoidal_encoding` in double precision.

    An odd width ends on a sine, width 1 is sin(p), and the only row of length 1 is 0, 1, 0, 1, …

    Raises:
        SettingsError: see `check`.
    """
    check(length, width, base)
    angles = np.arange(length)[:, None] / divisors(width, base, halves)
    return np.where(waves(width, halves) % 2 == 0, np.sin(angles), np.cos(angles))


def cell(position: int, dimension: int, width: int, base: float, halves: bool = False) -> Cell:
    """Derive one number of a table of sinusoids."""
    pair, cosine = divmod(int(waves(width, halves)[dimension]), 2)
    exponent = 2 * pair / width
    divisor = float(base) ** exponent
    angle = position / divisor
    value, function = (math.cos(angle), "cos") if cosine else (math.sin(angle), "sin")
    return Cell(position, dimension, pair, exponent, divisor, angle, 2 * math.pi * divisor, value, function)


def sign_changes(curve: Matrix) -> int:
    """Count how often a curve passes through 0; a zero has the sign of the next value."""
    signs = np.sign(curve[curve != 0])
    return int(np.sum(signs[1:] != signs[:-1]))


def dots(table: Matrix) -> Matrix:
    """Return the dot products of all positions, [L, L]."""
    return np.asarray(table @ table.T)


def distances(table: Matrix) -> Matrix:
    """Return the Euclidean distances of all positions, [L, L]."""
    products = dots(table)
    squares = np.diag(products)
    found = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0.0))
    np.fill_diagonal(found, 0.0)  # without the rounding of the subtraction
    return np.asarray(found)


def deviation(matrix: Matrix) -> tuple[float, int]:
    """Measure how far a matrix [L, L] is from depending on the offset q − p only.

    Returns:
        The largest difference between two pairs of the same offset, and that offset.
    """
    spreads = [float(np.ptp(np.diagonal(matrix, offset))) for offset in range(len(matrix))]
    worst = int(np.argmax(spreads))
    return spreads[worst], worst


def shift_map(offset: int, width: int, base: float, halves: bool = False) -> Matrix:
    """Return M [D, D] with M PE(p) = PE(p + offset): a rotation of every pair (sin, cos) by offset / base^(2i/D).

    sin(a + b) = cos b sin a + sin b cos a and cos(a + b) = −sin b sin a + cos b cos a. The last sine of an odd width
    has no cosine beside it: its row keeps only cos b, and no row is right for every position.
    """
    turns = offset / divisors(width, base)
    rotation = np.diag(np.cos(turns))
    for column in range(0, width - 1, 2):
        rotation[column, column + 1] = np.sin(turns[column])
        rotation[column + 1, column] = -np.sin(turns[column])
    order = waves(width, halves)
    return np.asarray(rotation[np.ix_(order, order)])


def fitted_map(table: Matrix, offset: int) -> Matrix:
    """Fit the map [D, D] from row p to row p + offset by least squares, for a table without a formula."""
    _check_offset(table, offset)
    solution, *_ = np.linalg.lstsq(table[: len(table) - offset], table[offset:], rcond=None)
    return np.asarray(solution.T)


def residual(table: Matrix, matrix: Matrix, offset: int, halves: bool = False) -> Residual:
    """Measure the error of a map on every pair of rows of a table.

    Args:
        table: [L, D].
        matrix: [D, D].
        offset: k, below L.
        halves: whether all sines of the table come first.

    Raises:
        SettingsError: there is no such pair.
    """
    _check_offset(table, offset)
    left = np.abs(table[: len(table) - offset] @ matrix.T - table[offset:])  # [L − k, D]
    position, dimension = np.unravel_index(int(np.argmax(left)), left.shape)
    paired = left[:, waves(table.shape[1], halves) < table.shape[1] // 2 * 2]
    return Residual(float(left.max()), int(dimension), int(position), float(paired.max(initial=0.0)), len(left))


def _check_offset(table: Matrix, offset: int) -> None:
    if not 0 <= offset < len(table):
        raise SettingsError(
            "the offset must be from 0 to {last} here. Received: {offset}", last=len(table) - 1, offset=offset
        )


def numbers(text: str, size: int, what: Literal["dimensions", "positions"], most: int = 8) -> tuple[int, ...]:
    """Read typed numbers: "0, 1, 20".

    Args:
        text: the typed text.
        size: upper limit, excluded.
        what: is counted, for the message.
        most: largest number of them.

    Raises:
        SettingsError: any other text.
    """
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    indices = tuple(dict.fromkeys(int(part) for part in parts if re.fullmatch(r"[0-9]{1,6}", part)))
    strange = next((part for part in parts if not re.fullmatch(r"[0-9]{1,6}", part) or int(part) >= size), None)
    if strange is not None or not 1 <= len(indices) <= most:
        received = text.strip()[:40] if strange is None else strange[:40]
        values = {"most": most, "last": size - 1, "text": received or say("nothing")}
        raise SettingsError(
            say(
                "the dimensions must be 1 to {most} whole numbers from 0 to {last}, with commas between them. "
                "Received: {text}",
                **values,
            )
            if what == "dimensions"
            else say(
                "the positions must be 1 to {most} whole numbers from 0 to {last}, with commas between them. Received: "
                "{text}",
                **values,
            )
        )
    return indices


def spread(size: int, pairs: bool) -> tuple[int, ...]:
    """Choose a few numbers below `size` to start with: the first, early ones and the last; of dimensions both kinds."""
    wanted: Sequence[int] = (0, 1, size // 4, size - 1)
    if pairs:
        wanted = [number for start in (0, size // 8, size // 4) for number in (start // 2 * 2, start // 2 * 2 + 1)]
    return tuple(sorted({number for number in wanted if 0 <= number < size}))
