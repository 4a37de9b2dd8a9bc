"""A matrix of how much parts of a dialogue count for written tokens, and the sentence that says if it passed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from plotly.graph_objects import Figure

from core.explain.attribution.attribution import UNITS, Attribution, Check
from core.explain.attribution.methods import METHODS
from core.explain.shared.rollup import Group, groups
from core.figures.attention.maps import LABEL
from core.figures.experiments.effect_scale import signed_figures
from core.figures.shared.files import MatrixTable
from core.figures.shared.marks import heat, top_bar
from core.figures.shared.palette import AMOUNT, ATTENTION, SIGNED, SUPPORTS, base, ramp, token_ticks
from core.figures.shared.picture import Picture
from core.figures.shared.wording import cut, escape, figures, plain
from core.words import later, say

CELL, SCALE, ROOM, LOWEST = 24, 66, 210, 340
"""Pixels of a row, of the colour scale above the rows, of all that is not rows, and of the lowest picture."""


def attribution(answer: Attribution) -> Picture:
    """Draw an answer: one scale around 0 for all rows; its caption ends with the check.

    Raises:
        ValueError: there are no rows or no columns.
    """
    if not answer.rows or not answer.columns:
        raise ValueError("an answer needs a row and a column")
    rows = [plain(text) for text in answer.rows]
    turns = groups(answer.source, "turn")
    columns = [turn_label(column) if column in turns else cut(plain(column.label), LABEL) for column in answer.columns]
    unit, axes = say(UNITS[answer.unit]), (say("Written token"), say("Part of the dialogue"))
    hue = ATTENTION if answer.method == "attention" else AMOUNT if answer.unit == "share" else SUPPORTS
    figure = cells(answer.values, rows, columns, axes, unit, hue=hue)
    size = len(columns)
    labels = {later("Written token"): rows}, {later("Part of the dialogue"): columns}
    table = MatrixTable(labels, {later("Value"): answer.values})
    most = int(np.argmax(np.abs(answer.values)))
    caption = say(
        "{method} ({target}): the strongest cell is “{row}” ← “{column}”, {value} {unit}. {check}",
        method=say(METHODS[answer.method].title),
        target=answer.target,
        row=rows[most // size],
        column=columns[most % size],
        value=(signed_figures if (answer.values < 0).any() else figures)(float(answer.values.ravel()[most])),
        unit=unit,
        check=verdict(answer.check),
    )
    return Picture(f"attribution-{answer.method}", figure, caption, table)


def turn_label(group: Group) -> str:
    """Name a turn with its number; tokens of no turn have their own label."""
    return group.label if group.turn is None else say("turn {number}", number=group.label)


def cells(
    values: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
    unit: str,
    least: float = 1e-9,
    hue: str = SUPPORTS,
) -> Figure:
    """Draw a matrix [R, C] of numbers with or without a sign, on one scale around 0.

    Args:
        values: the numbers.
        rows: plain labels of the rows.
        columns: of the columns.
        axes: titles of rows and columns, translated.
        unit: of the numbers, translated.
        least: the least end of the scale.
        hue: of the largest number where none has a sign.
    """
    limit = max(float(np.abs(values).max()), least)
    signed = bool((values < 0).any())
    hover = [
        [
            f"{escape(row)} ← {escape(column)}<br>{value:+.4g} {escape(unit)}"
            for column, value in zip(columns, line, strict=True)
        ]
        for row, line in zip(rows, values.tolist(), strict=True)
    ]
    limits, colors = (-limit if signed else 0, limit), SIGNED if signed else ramp(hue)
    ends = {-limit: signed_figures(-limit), limit: signed_figures(limit)} if signed else {limit: figures(limit)}
    places = (list(range(1, len(rows) + 1)), list(range(1, len(columns) + 1)))
    figure = Figure(heat(values, places, limits, colors, hover, 1, colorbar=top_bar(unit, {0: "0"} | ends)))
    base(figure, axes[1], axes[0], max(LOWEST, ROOM + CELL * len(rows)))
    figure.update_layout(margin_t=SCALE)
    figure.update_xaxes(**token_ticks(columns))
    figure.update_yaxes(**token_ticks(rows) | {"tickangle": 0, "autorange": "reversed", "range": None})
    return figure


def verdict(check: Check) -> str:
    """Return whether the numbers passed their check, as a sign and a sentence."""
    places = {"name": check.name, "value": f"{check.value:.2g}", "bound": f"{check.bound:g}"}
    if check.holds:
        return f"✓ {say('Check passed: {name} (off by {value}, allowed {bound}).', **places)}"
    failed = say("Check not passed: {name} (off by {value}, allowed {bound}). Do not rely on these numbers.", **places)
    return f"✗ {failed}"
