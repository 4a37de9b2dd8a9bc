"""Which colours of the palette stand on a screen, and what each means there."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from plotly.graph_objects import Figure
from streamlit.testing.v1 import AppTest

from core.figures.shared import palette
from pages.shared import components
from tests.pages.conftest import ROOT

ENTRIES = ("precision", "recall", "sines", "cosines", "dimension", "position")
"""Entries of a legend whose names hold numbers or more words, too."""
COLOUR = re.compile(r"#[0-9a-fA-F]{3,6}\b|rgba?\([^)]*\)")
ROLES = {tuple(bytes.fromhex(color[1:])): role for role, color in palette.ROLES.items()}
"""Roles by red, green and blue."""
LEGENDS = {
    "stack_diagram": {"series-1": "embeddings", "series-3": "feed-forward", "series-4": "output"},
    "probability_table": {"series-4": "after the filters"},
    "summary_check": {
        "series-1": "similar",
        "series-2": "not in the dialogue",
        "series-3": "in the dialogue",
        "series-4": "a speaker, a hint",
    },
}
"""What a colour of a legend means in a component; the others have none."""


def in_figure(figure: Figure) -> Iterator[tuple[str, str]]:
    """Yield each role in a figure with its meaning; raises KeyError for a colour that the palette does not have."""
    spec = figure.to_plotly_json()
    for part in (*spec["data"], *spec["layout"].get("shapes", ())):
        name = part.get("name") or ""
        entry = next((entry for entry in ENTRIES if entry in name), re.sub(r" \(\d+\)$", "", name))
        for role in roles(part):
            if not role.startswith("series"):
                yield role, role
            elif entry:  # bars beside a map have no name of their own
                yield role, entry


def roles(part: Any) -> set[str]:
    """Return the roles of all colours in a part of a figure, by the names of its properties."""
    found: set[str] = set()
    for name, value in part.items() if isinstance(part, dict) else ():
        if name in ("color", "fillcolor", "colorscale", "bordercolor", "bgcolor"):
            found |= {_role(color) for color in COLOUR.findall(str(value))} - {""}
        elif isinstance(value, dict):
            found |= roles(value)
    return found


def _role(color: str) -> str:
    if color == palette.NOTHING:
        return ""
    parts = tuple(bytes.fromhex(color[1:]) if color.startswith("#") else map(int, re.findall(r"\d+", color)[:3]))
    return (ROLES | {tuple(bytes.fromhex(palette.INVERSE[1:])): ""})[parts]  # however faded, it is the same


def in_components(app: AppTest) -> Iterator[tuple[str, str]]:
    """Yield each role in the components of a page with its meaning."""
    for name in {each.proto.component_name.removeprefix("dialoscope_") for each in app.get("bidi_component")}:
        legend = LEGENDS.get(name, {})
        for role in in_sources(name):
            yield role, legend[role] if role.startswith("series") else role


@cache
def in_sources(component: str) -> frozenset[str]:
    """Return the roles that the script and the style sheet of a component name."""
    (home,) = (path for folder in ("pages/shared", "pages/parts") for path in (ROOT / folder).glob(f"**/{component}"))
    own = components.sources(home)[0].partition("}")[2] + "".join(path.read_text("utf-8") for path in home.glob("*.js"))
    return frozenset(role for role in palette.ROLES if re.search(rf"--{role}\b(?!-)", own))
