"""A matrix of attention as a drawing: an SVG whose cells are one image, and a table of its groups.

Shapes: R rows, C columns.
"""

import base64
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from core.explain.shared.rollup import groups
from core.figures.attention.weights import Weights
from core.figures.shared.palette import ATTENTION
from core.figures.shared.wording import cut
from core.report.markup import Html, h
from core.trace import Token
from core.words import later, say

ROW, WIDTH, GUTTER, HEAD, MARGIN = 17, 860, 120, 24, 28
"""Pixels: height of a row, width of all columns, of the rows' labels, height of the columns' labels, and the room for
the last of them."""
NARROW, WIDE = 2, 16
"""Pixels of a column at least and at most."""
LABEL = 16
"""Characters of a row's label."""
ACROSS = 12
"""Columns of a table: more do not fit a sheet of paper, so there are further tables."""
SCALE = later("The darker a cell, the more attention: 0 % is blank, 25 % half as dark as 100 % (square root).")
"""In English, and translated when shown."""


def drawing(weights: Weights, source: Sequence[Token], label: str) -> Html:
    """Return the matrix of one head, its rows named and its columns gathered by turn.

    Args:
        weights: values [R, C], a column for each source token.
        source: the C source tokens.
        label: one sentence about it.
    """
    rows, columns = weights.values.shape
    cell = min(max(WIDTH / columns, NARROW), WIDE)
    width, height = columns * cell, rows * ROW
    image = base64.b64encode(png(shade(weights.values))).decode("ascii")
    names = [
        h("text", cut(row.text, LABEL), x=GUTTER - 6, y=HEAD + ROW * place + 13, text_anchor="end")
        for place, row in enumerate(weights.rows)
    ]
    return h(
        "svg",
        *_bands(source, cell, height),
        h(
            "image", href=f"data:image/png;base64,{image}", x=GUTTER, y=HEAD, width=f"{width:.1f}", height=height,
            preserveAspectRatio="none", style="image-rendering:pixelated",
        ),
        h("rect.frame", x=GUTTER, y=HEAD, width=f"{width:.1f}", height=height),
        *names,
        viewBox=f"0 0 {GUTTER + width + MARGIN:.1f} {HEAD + height + 1}", width=f"{GUTTER + width + MARGIN:.0f}",
        height=HEAD + height + 1, role="img", aria_label=label, class_="matrix",
    )  # fmt: skip


def _bands(source: Sequence[Token], cell: float, height: int) -> list[Html]:
    """Return the number of each turn above its columns, and a line where it begins."""
    marks, free = [], 0.0
    for part in groups(source, "turn"):
        left = GUTTER + cell * part.members[0]
        marks.append(h("line", x1=f"{left:.1f}", x2=f"{left:.1f}", y1=HEAD - 6, y2=HEAD + height))
        name = say("end") if part.turn is None else str(part.turn + 1)
        if left >= free:
            marks.append(h("text", name, x=f"{left + 2:.1f}", y=HEAD - 8))
            free = left + 9 * len(name) + 4
    return marks


def shade(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return how dark each weight is, 0 to 255: the square root tells small ones apart."""
    return np.round(255 * np.sqrt(np.clip(values, 0, 1))).astype(np.uint8)


def png(shades: NDArray[np.uint8]) -> bytes:
    """Return an image [R, C] of one colour, from transparent at 0 to opaque at 255."""
    image = Image.fromarray(shades).convert("P")
    image.putpalette(bytes.fromhex(ATTENTION[1:]) * 256)
    file = io.BytesIO()
    image.save(file, "PNG", transparency=bytes(range(256)), optimize=True)
    return file.getvalue()


def tables(weights: Weights) -> list[Html]:
    """Return the numbers of a matrix by turn, in tables that are no wider than a sheet of paper."""
    parts, attention = [], say("Percent of each token’s attention on each turn")
    for first in range(0, len(weights.columns), ACROSS):
        columns = weights.columns[first : first + ACROSS]
        head = [
            h("th", column.text if column.turn is None else h("a", column.turn + 1, href=f"#turn-{column.turn + 1}"),
              scope="col")
            for column in columns
        ]  # fmt: skip
        body = [
            h("tr", h("th", row.text, scope="row", dir="auto"), *map(_cell, values.tolist()))
            for row, values in zip(weights.rows, weights.values[:, first : first + ACROSS], strict=True)
        ]
        parts.append(
            h(
                "table.heat",
                h("caption", attention if weights.shows == "weights" else say("Percent of each token’s row")),
                h("thead", h("tr", h("th", say("Token"), scope="col"), *head)),
                h("tbody", *body),
            )
        )
    return parts


def _cell(value: float) -> Html:
    return h("td", f"{100 * value:.1f}", style=f"--w:{value:.3f}")
