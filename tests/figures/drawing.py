"""Pictures as text: a test approves the sentence, the table and what is drawn, and a diff of it can be read.

`assert drawn(picture) == snapshot` compares with `__snapshots__`; `pytest --snapshot-update` writes it anew. Numbers
have four digits: inputs are made by hand, so that no processor changes one of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from core.figures.shared import palette
from core.figures.shared.picture import Picture
from core.figures.shared.wording import BLANK

COLORS = {color: name for name, color in palette.ROLES.items()} | {palette.NOTHING: "nothing"}
TRACE = """showlegend mode orientation xaxis x yaxis y base width z zmin zmax text hovertext customdata error_x.array
    error_x.arrayminus error_y.array error_y.arrayminus marker.color marker.symbol marker.size marker.pattern.shape
    marker.line.width line.color line.dash line.width colorbar.title.text colorbar.tickvals colorbar.ticktext""".split()
AXIS = "title.text type side range domain tickvals ticktext".split()
SHAPE = "name showlegend x0 x1 y0 y1".split()
NOTE = "text x y xanchor yanchor".split()
LONGEST = 2000
MANY = 48
"""Of a longer list the ends are written."""


def drawn(*things: Any) -> str:
    """Return pictures, tables (columns by heading), texts and values as text, one below the other."""
    return "\n\n".join(part for thing in things for part in _parts(thing)).replace(BLANK, " ")


def _parts(thing: Any) -> Iterator[str]:
    if isinstance(thing, Picture):
        layout = thing.figure.layout.to_plotly_json()
        yield f"{thing.name}: {thing.caption}"
        lines = [
            _line(f"{trace.type} “{trace.name or ''}”", trace.to_plotly_json(), TRACE) for trace in thing.figure.data
        ]
        lines += [_line(name, layout[name], AXIS) for name in layout if name[1:].startswith("axis")]
        lines += [_line(shape["type"], shape, SHAPE) for shape in layout.get("shapes", ())]
        lines += [_line("note", note, NOTE) for note in layout.get("annotations", ())]
        yield "\n".join(lines)
        yield table(thing.table)
    elif isinstance(thing, Mapping):
        yield table(thing)
    else:
        yield thing if isinstance(thing, str) else _text(thing)


def table(columns: Mapping[str, Any]) -> str:
    """Return a table with its columns below their headings; all must be of one length."""
    cells = [[heading, *map(_text, values)] for heading, values in columns.items()]
    widths = [max(map(len, column)) for column in cells]
    rows = [" | ".join(map(str.ljust, row, widths)).rstrip() for row in zip(*cells, strict=True)]
    return "\n".join(
        [*rows[: MANY // 2], f"… {len(rows) - MANY} more", *rows[-MANY // 2 :]] if len(rows) > MANY else rows
    )


def _line(what: str, values: Mapping[str, Any], names: list[str]) -> str:
    """Return what something drawn has of these names: lists stand below it on a line each."""
    found = {name: value for name in names if (value := _within(values, name.split("."))) is not None}
    several = [name for name, value in found.items() if isinstance(value, list | tuple | np.ndarray)]
    first = ", ".join([what, *(f"{name} {_text(value)}" for name, value in found.items() if name not in several)])
    return "\n    ".join([first, *(f"{name} {_text(found[name])}" for name in several)])


def _within(values: Any, names: list[str]) -> Any:
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _text(value: Any) -> str:
    """Return a value: numbers with four digits, lists in brackets, of a long one the ends, of equal values one."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        parts = [_text(each) for each in value]
        if len(parts) > 3 and len(set(parts)) == 1:
            return f"[{len(parts)} × {parts[0]}]"
        return f"[{' | '.join(parts if len(parts) <= MANY else [*parts[:3], f'… {len(parts)} in all', *parts[-3:]])}]"
    if isinstance(value, float | np.floating):
        return f"{float(value) + 0.0:.4g}".replace("nan", "–")
    text = "–" if value is None else COLORS.get(str(value), str(value))
    return text if len(text) <= LONGEST else f"{text[:40]}… {len(text):,} characters"
