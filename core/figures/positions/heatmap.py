"""Maps of small and large tables of numbers, those of a table of positions among them. R rows, C columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure, Scatter

from core.explain.attention_lab.presets import agrees
from core.explain.attention_lab.steps import Matrix
from core.explain.positions import cell
from core.figures.shared.marks import heat, top_bar, words
from core.figures.shared.palette import AMOUNT, FONT, INVERSE, SIGNED, base, ramp
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, number, vector
from core.words import later, say

STRONG = 0.85
"""Share of the scale above which numbers in cells are white."""
WRITTEN = 8
"""Rows and columns of a map whose numbers stand in their cells."""
CELL = 34
"""Pixels of a row with numbers in it."""
SLOW = 0.1
"""A dimension is slow if it changes by less over the whole table."""
DIGITS = 8
"""With so many digits the slides print their tables."""
COMMON = 0.98
"""Share of the numbers of a map that its colours tell apart, if a few numbers are far larger."""
MOST = 512
"""Rows and columns of a map that are drawn; of more, one in two, in three, …"""


def colored(
    values: Matrix, axes: tuple[str, str], what: str, limits: tuple[float, float], first: tuple[int, int] = (0, 0)
) -> Figure:
    """A map of numbers; those of a small one stand in its cells.

    Args:
        values: [R, C].
        axes: titles of the rows' and the columns' axis.
        what: title of the scale.
        limits: of the scale; signed if it begins below 0. What is beyond them has the last colour.
        first: numbers of the first row and column.
    """
    rows, columns = values.shape
    signed = limits[0] < 0
    apart = [-(-size // MOST) for size in (rows, columns)]
    titles = [
        say("{title} (one in {step})", title=title, step=step) if step > 1 else title
        for title, step in zip(axes, apart, strict=True)
    ]
    across, down = (
        list(range(start, start + size, step))
        for start, size, step in ((first[1], columns, apart[1]), (first[0], rows, apart[0]))
    )
    scale = scale_bar(what, limits, bool(np.abs(values).max() > max(map(abs, limits))))
    hover = f"{axes[0]} %{{y}}, {axes[1]} %{{x}}: %{{z:.4f}}"
    cells = values[:: apart[0], :: apart[1]]
    figure = Figure(heat(cells, (down, across), limits, SIGNED if signed else ramp(AMOUNT), hover, colorbar=scale))
    small = max(rows, columns) <= WRITTEN
    if small:
        figure.add_traces(written(values, max(map(abs, limits)), (down, across)))
    base(figure, titles[1], titles[0], max(300, CELL * rows + 150 if small else min(560, 5 * rows + 200)))
    figure.update_layout(showlegend=False, margin={"t": 70})
    figure.update_xaxes(showgrid=False, range=[first[1] - 0.5, first[1] + columns - 0.5], **whole(columns))
    figure.update_yaxes(title_standoff=18, showgrid=False, range=[first[0] + rows - 0.5, first[0] - 0.5], **whole(rows))
    return figure


def scale_end(values: Matrix) -> float:
    """Return the largest number of a scale, without sign: of all numbers or, if few are far larger, of the others."""
    sizes = np.abs(values)
    largest, common = float(sizes.max()), float(np.quantile(sizes, COMMON))
    return max(1e-6, common if 0 < 2 * common < largest else largest)


def whole(size: int) -> dict[str, Any]:
    """Ticks at whole numbers, however few there are."""
    return {"dtick": 1} if size <= WRITTEN else {}


def scale_bar(title: str, limits: tuple[float, float], beyond: bool = False) -> dict[str, object]:
    """A colour bar above a picture, with its ends and its middle. `beyond`: numbers are past its ends."""
    ticks = [limits[0], 0.0, limits[1]] if limits[0] < 0 else [limits[0], sum(limits) / 2, limits[1]]
    texts = [number(tick) for tick in ticks]
    if beyond:
        texts = [f"≤ {texts[0]}" if limits[0] < 0 else texts[0], texts[1], f"≥ {texts[2]}"]
    return top_bar(title, dict(zip(ticks, texts, strict=True)))


def written(values: NDArray[Any], limit: float, labels: tuple[Sequence[int], Sequence[int]]) -> list[Scatter]:
    """The number in each cell of a map: in the page's ink, white on strong cells.

    Args:
        values: [R, C].
        limit: end of the scale.
        labels: numbers of the rows and of the columns.
    """
    strong = np.abs(values) >= STRONG * limit
    decimals = 3 if values.shape[1] <= 5 else 2  # what fits a cell on a phone
    traces = []
    for color, kind in ((None, False), (INVERSE, True)):
        cells = np.argwhere(strong == kind)
        numbers = [float(values[row, column]) for row, column in cells]
        texts = [number(value, decimals) if value else "0" for value in numbers]
        across, down = [labels[1][column] for _, column in cells], [labels[0][row] for row, _ in cells]
        traces.append(words(across, down, texts, FONT - 2, color))
    return traces


def heat_map(table: Matrix, base_number: float | None, halves: bool = False) -> Picture:
    """All numbers of a table, positions down, dimensions across.

    Args:
        table: [L, D].
        base_number: base of the sinusoids, None for a learned table.
        halves: whether all sines come first.
    """
    end = 1.0 if base_number else scale_end(table)
    figure = colored(table, (say("Position"), say("Dimension")), say("value, one scale"), (-end, end))
    columns = {say("Dimension {place}", place=place): table[:, place].tolist() for place in range(table.shape[1])}
    caption = _map_caption(table, base_number, halves)
    return Picture("positions", figure, caption, {later("Position"): list(range(len(table)))} | columns)


def _map_caption(table: Matrix, base_number: float | None, halves: bool) -> str:
    name = say("learned")
    if base_number:
        name = (
            say("sinusoids of base {base:,g}, all sines first", base=base_number)
            if halves
            else say("sinusoids of base {base:,g}", base=base_number)
        )
    values = {
        "positions": count(len(table), "position"),
        "dimensions": count(table.shape[1], "dimension"),
        "name": name,
        "low": number(float(table.min())),
        "high": number(float(table.max())),
    }
    if len(table) == 1:
        return say(
            "{positions} × {dimensions}, {name}: values from {low} to {high}; one position alone, {vector}.",
            **values,
            vector=vector(table[0], 4),
        )
    return say(
        "{positions} × {dimensions}, {name}: values from {low} to {high}; {slow} of {dimensions} change by less than "
        "{least:g} over all positions.",
        **values,
        slow=int(np.sum(np.ptp(table, axis=0) < SLOW)),
        least=SLOW,
    )


def length(values: NDArray[Any]) -> str:
    """The Euclidean length of a vector."""
    return number(float(np.linalg.norm(values)))


def single(value: float) -> str:
    """A number as a print of single precision shows it, with at most eight decimals."""
    return f"{round(float(str(np.float32(value))), 8):.10g}"


def as_printed(ours: Sequence[float] | NDArray[Any], printed: Sequence[float] | NDArray[Any]) -> list[str]:
    """Write numbers as the slides print them, each with ✓ if ours agrees in its digits, else with ✗."""
    return [
        f"{single(text)} {'✓' if agrees(float(value), text, DIGITS) else '✗'}"
        for value, text in zip(ours, printed, strict=True)
    ]


def formula(
    place: int, dimension: int, width: int, base_number: float, value: float, halves: bool = False
) -> tuple[str, str]:
    """Derive one number of the sinusoids.

    Args:
        place: position, from 0.
        dimension: from 0.
        width: dimensions of the table.
        base_number: of the sinusoids.
        value: the number.
        halves: whether all sines come first.

    Returns:
        The formula with its numbers in LaTeX, and a sentence.
    """
    entry = cell(place, dimension, width, base_number, halves)
    cosine = entry.function == "cos"
    index = f"2 \\cdot {entry.pair}" + (" + 1" if cosine else "")
    if halves:
        index = f"{(width + 1) // 2} + {entry.pair}" if cosine else str(entry.pair)
    power = rf"{base_number:.10g}^{{{2 * entry.pair}/{width}}}"
    return (
        rf"\begin{{aligned}}PE({place}, {index}) &= \{entry.function}({place} \,/\, {power})\\ "
        rf"&= \{entry.function}({place} \,/\, {entry.divisor:.6g}) = \{entry.function}({entry.angle:.6g})\\ "
        rf"&= {single(value)}\end{{aligned}}",
        " ".join(
            [
                say("Dimension {dimension} is i = {pair}, a cosine.", dimension=dimension, pair=entry.pair)
                if cosine
                else say("Dimension {dimension} is i = {pair}, a sine.", dimension=dimension, pair=entry.pair),
                say(
                    "The angle at p = {place} is {angle:,.6g} radians; the wave repeats after 2π × {divisor:,.6g} = "
                    "{wavelength:,.2f} positions.",
                    place=place,
                    angle=entry.angle,
                    divisor=entry.divisor,
                    wavelength=entry.wavelength,
                ),
                say("Vaswani et al. 2017, section 3.5, with b = 10,000."),
            ]
        ),
    )
