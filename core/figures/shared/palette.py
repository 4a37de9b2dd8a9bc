"""The colours of the app, each with one meaning, and the common frame of all figures.

Figures, components (as variables of CSS, see `pages.shared.components`), the report and the notebook take their colours
from here; `docs/colours.md` shows them. Each has a contrast of at least 3:1 on #ffffff and on #0d1218, the two grounds
of `.streamlit/config.toml`; no two of them are alike, and those that are compared differ for the colour-blind, too.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

from plotly.graph_objects import Figure

from core.figures.shared.wording import escape

ATTENTION = "#cf5f08"
"""Orange: attention, that is its weights, what is computed from them, and the layers that make them."""
SUPPORTS, OPPOSES = "#178a63", "#8447c0"
"""Green and purple: a signed number above and below 0, the same in every picture, map and table of the app.

An effect is the log-probability as it is minus the log-probability with the change (a part left out, replaced or
moved), in nats. Above 0, green: the part supports the text, which is less probable without it. Below 0, purple: the
part works against it. Other numbers with a sign have the same two colours.
"""
SPEAKERS = ("#0b7d95", "#d3316a")
"""Teal and rose: who speaks. A name, an initial or a hatching stands beside: a third speaker has the first colour."""
CHOSEN = "#2f80d8"
"""Blue: what is chosen or open, and what is computed of it alone; controls have it, too (`primaryColor`)."""
AMOUNT = "#5c607c"
"""Slate: amounts without a sign or a kind: a probability, a share, a similarity, a number of words."""
SERIES = ("#98901c", "#a34747", "#647f10", "#c66cc4")
"""Gold, brick, moss, pink: entries of a legend, beside an amount. On one screen each stands for one of them."""
GREY = "#7b8694"
"""What is not counted, or stands for all the others: a mask, a mean, a rule."""
ROLES = {
    "attention": ATTENTION, "supports": SUPPORTS, "opposes": OPPOSES, "speaker-1": SPEAKERS[0],
    "speaker-2": SPEAKERS[1], "chosen": CHOSEN, "amount": AMOUNT,
    **{f"series-{place}": each for place, each in enumerate(SERIES, 1)}, "grey": GREY,
}  # fmt: skip
"""Every colour by its name in style sheets: `var(--attention)`."""
VARIABLES = "".join(f"--{name}: {color}; " for name, color in ROLES.items())
"""Their declarations in a style sheet."""


def faded(color: str, opacity: float) -> str:
    """Return a colour of this module, "#rrggbb", through which the ground is seen."""
    return f"rgba({', '.join(map(str, bytes.fromhex(color[1:])))}, {opacity:.2f})"


def ramp(color: str) -> list[list[object]]:
    """Return a colour scale of one hue, from the ground of the page: it reads on white and on the dark theme."""
    return [[0.0, faded(color, 0.03)], [1.0, color]]


SIGNED = [[0.0, OPPOSES], [0.5, faded(GREY, 0.06)], [1.0, SUPPORTS]]
"""Colour scale of a map of signed numbers: the ground of the page at zero."""
INVERSE = "#ffffff"
"""Colour of texts on the strongest ground of a scale or on a filled bar."""
FAINT, RULE, BAND = faded(GREY, 0.13), faded(GREY, 0.35), faded(CHOSEN, 0.22)
NOTHING = "rgba(0, 0, 0, 0)"
FONT = 14
"""Pixels: the smallest text of an axis title or a row; tick texts may be two smaller."""
FAMILY = '"Source Sans", sans-serif'
"""The font of the app's texts; a file that is opened elsewhere shows the second one."""
SHOWN_TICKS = 40
"""Token texts under an axis: of more, only every second, third, … is written."""
LEAST = 16
"""Pixels of the smallest text for the last row of a lecture."""
AROUND, WIDE, LETTER = 130, 1150, 0.5
"""About: pixels above and below a plot, pixels of its width on a projector, and the width of a letter in font sizes."""


def speaker_styles(speakers: Sequence[str | None]) -> dict[str | None, dict[str, object]]:
    """A bar style for each speaker, by first turn; when the colours are used up, they come again, hatched."""
    styles: dict[str | None, dict[str, object]] = {}
    for speaker in speakers:
        if speaker not in styles:
            lap, place = divmod(len(styles), len(SPEAKERS))
            shape = ("", "/", ".", "x")[lap % 4]
            styles[speaker] = {"color": SPEAKERS[place], "pattern": {"shape": shape, "solidity": 0.4}}
    return styles


def base(figure: Figure, x: str, y: str, height: int) -> Figure:
    """Give a figure its frame: transparent ground, no title, legend on top, axis titles.

    Args:
        figure: with its traces; changed in place.
        x: title of the x axis, with its unit; a second line after a line break.
        y: title of the y axis, with its unit.
        height: in pixels; the width is that of the page.
    """
    frame: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 12, "b": 8, "pad": 8},
        "paper_bgcolor": NOTHING,
        "plot_bgcolor": NOTHING,
        "font": {"family": FAMILY, "size": FONT},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "bordercolor": GREY, "font": {"family": FAMILY, "size": FONT}},
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1 + 10 / max(height - 120, 100),  # ten pixels above the plot, whatever its height
            "yanchor": "bottom",
            "valign": "top",
            "font": {"size": FONT},
            "itemsizing": "trace",
            "traceorder": "normal",
            "title": {"text": ""},
            "bgcolor": NOTHING,
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "dragmode": False,
        "modebar": {"bgcolor": NOTHING, "color": GREY, "activecolor": CHOSEN},
    }
    before = figure.layout.to_plotly_json()
    before.pop("template", None)  # plotly's own, which it gives to each layout; to check it would take most of the time
    for axis, title, grid in (("xaxis", x, False), ("yaxis", y, True)):
        for name in {axis, *(each for each in before if each.startswith(axis))}:
            frame[name] = {
                "automargin": True,
                "showgrid": before.get(name, {}).get("showgrid", grid),
                "zeroline": False,
                "gridcolor": RULE,
                "tickfont": {"size": FONT - 1},
                "ticks": "",
                "ticklabeloverflow": "allow",  # to find those that leave the picture, plotly measures every one
                "title": _title(title),
            }
    figure.layout = _merged(before, frame)
    for trace in (each for each in figure.data if "unselected" in each):  # a click marks one; others shall not fade
        trace.unselected = {"marker": {"opacity": 1}}
    return figure


def _merged(before: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a layout with changes, which are merged level by level."""
    both = {name: _merged(before[name], value) for name, value in changes.items() if isinstance(before.get(name), dict)}
    return before | changes | both


def themed(figure: Figure, ink: str, ground: str) -> Figure:
    """A copy for one theme: all texts in its own colour, words inside the plot with a halo of its ground.

    Args:
        figure: any figure of this package.
        ink: colour of texts; Streamlit's own theme would make them grey.
        ground: colour of the page.
    """
    spec = figure.to_dict()  # a Figure would check each change: 2.5 times as slow
    layout = spec["layout"]
    layout.setdefault("hoverlabel", {})["bgcolor"] = ground
    axes = [value for name, value in layout.items() if name.startswith(("xaxis", "yaxis"))]
    for owner in (layout, layout["hoverlabel"], *(axis.setdefault("title", {}) for axis in axes)):
        owner.setdefault("font", {})["color"] = ink
    for axis in axes:
        axis.setdefault("tickfont", {})["color"] = ink
    for text in layout.get("annotations", ()):
        text.setdefault("font", {})["shadow"] = ", ".join([f"0 0 2px {ground}"] * 3)
    return Figure(spec, _validate=False)  # it was checked before, and this is sent as it is


def enlarged(figure: Figure, factor: float, tallest: int) -> Figure:
    """A copy for a large screen: larger, with its texts, but no taller than the screen.

    Args:
        figure: any figure of this package.
        factor: by which it grows. The texts of a figure that must shrink grow less, but can be read from far. With 1
            the figure may shrink, and its texts stay as they are.
        tallest: pixels of its height.
    """
    spec = figure.to_dict()
    height = spec["layout"].get("height") or tallest
    spec["layout"]["height"] = int(min(height * factor, tallest))
    if factor > 1:
        _grow(spec, factor * min(1.0, tallest / height))
        for axis in (value for name, value in spec["layout"].items() if name.startswith("yaxis")):
            _thin(axis, spec["layout"]["height"])
        _leave_out_overlaps(spec["layout"])
    return Figure(spec, _validate=False)


def _grow(node: Any, factor: float) -> None:
    """Multiply the sizes of all fonts in a figure's description, up to one that can be read from far."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name.endswith("font") and isinstance(value, dict) and isinstance(value.get("size"), int | float):
                value["size"] = max(LEAST, round(value["size"] * factor, 1))
            _grow(value, factor)
    elif isinstance(node, list | tuple):
        for value in node:
            if isinstance(value, dict):
                _grow(value, factor)


def _thin(axis: dict[str, Any], height: float) -> None:
    """Leave out every second, third, … text of an upright axis with more than fit; height: of its figure, in pixels."""
    places, (low, high) = axis["tickvals"] if "ticktext" in axis else (), axis.get("domain", (0.0, 1.0))
    room = (high - low) * (height - AROUND)
    every = ceil(len(places) * axis["tickfont"]["size"] / max(room, 1.0))
    if every > 1:
        axis.update(tickvals=places[::every], ticktext=axis["ticktext"][::every])


def _leave_out_overlaps(layout: dict[str, Any]) -> None:
    """Leave out notes at a place of both axes that would lie over earlier ones."""
    (left, right), (low, high) = (layout[axis].get("range", (0.0, 0.0)) for axis in ("xaxis", "yaxis"))
    places: list[tuple[float, float, float]] = []
    labels = []
    for label in layout.get("annotations", ()) if right != left and high != low else ():
        size = label["font"]["size"]
        x, half = WIDE * (label["x"] - left) / (right - left), LETTER * size * len(label["text"]) / 2
        y = (layout["height"] - AROUND) * (label["y"] - low) / (high - low) + label.get("yshift", 0)
        overlaps = any(abs(x - at) < half + other and abs(y - up) < 1.25 * size for at, other, up in places)
        if "xref" in label or not overlaps:
            places.append((x, half, y))
            labels.append(label)
    if labels:
        layout["annotations"] = labels


Note = dict[str, Any]
"""A text inside the plot, as plotly's annotation."""


def note(markup: str, x: float, y: float, **where: Any) -> Note:
    """A text inside the plot, without an arrow; `where`: further properties of plotly's annotation."""
    return {"text": markup, "x": x, "y": y, "showarrow": False, "font": {"size": FONT - 1}, **where}


def annotate(figure: Figure, notes: Iterable[Note]) -> None:
    """Write all texts inside the plot at once: one by one, plotly would check all before it again."""
    figure.update_layout(annotations=[*figure.layout.annotations, *notes])


def _title(text: str) -> dict[str, object]:
    written = {"text": escape(text).replace("\n", "<br>")} if text else {}  # an empty one would take room
    return {"font": {"size": FONT}, "standoff": 10, **written}


def token_ticks(texts: Sequence[str]) -> dict[str, object]:
    """Ticks of an axis whose value 1, 2, … stands for a token: a category axis would merge tokens that read alike."""
    every = -(-len(texts) // SHOWN_TICKS)
    places = list(range(1, len(texts) + 1, max(1, every)))
    return {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [escape(texts[place - 1]) for place in places],
        "tickangle": -90,
        "showgrid": False,
        "range": [0.4, len(texts) + 0.6],
    }


def band(figure: Figure, ends: tuple[float, float], name: str, color: str = BAND, axis: str = "x") -> None:
    """Draw a band between two places of an axis, with an entry in the legend; the name is escaped."""
    other = "y" if axis == "x" else "x"
    place = {f"{axis}ref": axis, f"{axis}0": ends[0], f"{axis}1": ends[1]}
    place |= {f"{other}ref": f"{other} domain", f"{other}0": 0, f"{other}1": 1}
    style = {"fillcolor": color, "line": {"width": 0}, "layer": "below"}
    figure.add_shape(type="rect", **place, **style, showlegend=True, name=name)


def mark_step(figure: Figure, place: float, name: str) -> None:
    """Draw a vertical band over one place of the x axis, with an entry in the legend."""
    band(figure, (place - 0.5, place + 0.5), name)
