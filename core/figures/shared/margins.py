"""Room for the texts around a plot, guessed in advance: if they need more, plotly draws the whole picture again."""

import math
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from core.figures.shared.palette import FONT

NARROW, BROAD = frozenset(" .,:;'|!ijlftrI()·-"), frozenset("mwMW@%#—…")
NARROW_EM, BROAD_EM, OTHER_EM = 0.29, 0.8, 0.55
"""Widths of characters, in font sizes."""
LINE = 1.31
"""Height of a line of text, in font sizes."""
GAP = 14
"""Pixels between a plot and the texts of its ticks."""
LEGEND = 37
"""Pixels above and below the text of a legend of one line."""
BAR = 47
"""Pixels of a colour bar and the space around it, without its texts."""
TICKS = 5
"""About the least number of ticks of an axis of numbers."""
STANDOFF = 10
"""Pixels between the texts of the ticks and a title without a distance of its own."""
SPARE = 4
"""Pixels to spare beside a title."""
ENDS = 18
"""Pixels at the right end, where half of the last tick's text may stand."""

Spec = Mapping[str, Any]


def width(text: str, size: float) -> float:
    """Return the width of a text in pixels, roughly; of one with line breaks, that of its longest line.

    Args:
        text: may hold plotly's `<br>`, other tags, and entities.
        size: of the font, in pixels.
    """
    lines = [unescape(line) for line in re.sub(r"<(?!br>)[^>]*>", "", text).split("<br>")]
    return size * max(sum(_em(character) for character in line) for line in lines)


def _em(character: str) -> float:
    return NARROW_EM if character in NARROW else BROAD_EM if character in BROAD else OTHER_EM


def reserve(spec: Spec) -> None:
    """Widen the margins of a figure's description, in place, to what its texts will probably need.

    Args:
        spec: `data` and `layout` as plotly has them, with the fonts of `palette.base`.
    """
    layout = spec["layout"]
    rooms: dict[str, list[float]] = {"l": [], "r": [ENDS], "t": [_legend(spec)], "b": []}
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")) and axis.get("visible", True):
            side = axis.get("side") or ("left" if name.startswith("y") else "bottom")
            if _at_the_edge(name, axis, side, layout):
                rooms[side[0]].append(_title(axis.get("title")) + _ticks(spec, name, axis))
    for trace in spec["data"]:
        if "colorbar" in trace and trace.get("showscale", True):
            bar = trace["colorbar"]
            size = _size(bar.get("tickfont"))
            flat = bar.get("orientation") == "h"
            texts = LINE * size if flat else max(width(text, size) for text in bar.get("ticktext") or ["0.00"])
            side = "r" if not flat else "t" if bar.get("y", 1) > 0.5 else "b"
            rooms[side].append(BAR + _title(bar.get("title")) + texts)
    margin = layout.setdefault("margin", {})
    margin.update({side: max(margin.get(side, 0), *map(math.ceil, needed)) for side, needed in rooms.items() if needed})


def _at_the_edge(name: str, axis: Spec, side: str, layout: Spec) -> bool:
    """Tell whether no other plot stands between an axis and the margin of its side."""
    anchor = axis.get("anchor") or ("x" if name.startswith("y") else "y")
    begin, end = layout.get(f"{anchor[:1]}axis{anchor[1:]}", {}).get("domain", (0, 1))
    return bool(end == 1 if side in ("right", "top") else begin == 0)


def _legend(spec: Spec) -> float:
    layout = spec["layout"]
    in_legend = [each.get("showlegend", "z" not in each) for each in spec["data"]]
    in_legend += [each.get("showlegend", False) for each in layout.get("shapes", ())]
    legend = layout.get("legend", {})
    if not layout.get("showlegend") or not any(in_legend) or legend.get("yref") == "container":
        return 0
    return LEGEND + LINE * _size(legend.get("font"))


def _title(title: Spec | None) -> float:
    if not title or not title.get("text"):
        return 0
    lines = 1 + str(title["text"]).count("<br>")
    return SPARE + float(title.get("standoff", STANDOFF)) + LINE * _size(title.get("font")) * lines


def _ticks(spec: Spec, name: str, axis: Spec) -> float:
    """Return the room of an axis' tick texts, from the plot outwards."""
    if not axis.get("showticklabels", True):
        return 0
    size = _size(axis.get("tickfont"))
    texts = axis.get("ticktext") or _written(axis, _values(spec, name))
    if name.startswith("y") or abs(axis.get("tickangle") or 0) == 90:
        return GAP + max(width(str(text), size) for text in texts)
    return GAP + LINE * size * (1 + max(str(text).count("<br>") for text in texts))


def _size(font: Spec | None) -> float:
    return float((font or {}).get("size", FONT))


def _values(spec: Spec, name: str) -> list[Any]:
    letter, number = name[0], name.removeprefix(f"{name[0]}axis")
    columns = (trace.get(letter) for trace in spec["data"] if trace.get(f"{letter}axis", letter) == letter + number)
    return [value for values in columns if isinstance(values, list) for value in values if value is not None]


def _written(axis: Spec, values: list[Any]) -> list[str]:
    """Return categories, or texts as long as those of the ticks that plotly chooses for numbers."""
    categories = [value for value in values if isinstance(value, str)]
    if categories:
        return categories
    if axis.get("type") == "log":
        return ["100 M"]
    numbers = [value for value in (*(axis.get("range") or values), 0) if math.isfinite(value)]
    step = (max(numbers) - min(numbers)) / TICKS or 1
    decimals = max(0, -math.floor(math.log10(step)))
    return [f"{value:.{decimals}f}" for value in (min(numbers), max(numbers))]
