"""Which colours of the palette stand on a screen, and what each means there."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from plotly.graph_objects import Figure
from streamlit.testing.v1 import AppTest

from core.figures.shared import palette
from tests.pages.conftest import ROOT

MEANINGS = {
    "attention": "attention|softmax|share of the row|scores and weighted sums",
    "supports": r"\(\+\)|is better|map with a sign",
    "opposes": r"\(−\)|is better|map with a sign",
    "chosen": "opened|this step|this dialogue|shown here|where they part|your schedule|frame|unnamed",
    "grey": "0: the key is|blocked|as before|no merge|no turn|not there|padding|special tokens|From the start|frame|"
    "norms|all other|the same|mean|equal weights|random|longest source|S² part|may know|chosen amount|fork|pruned|"
    "opened|forced token|A second human|BART-large|first three turns|decoder self-attention|ends of turns|summaries|"
    "map with a sign|unnamed",
    "amount": "cosine|embedding|F1|dot product|distance|probability|rank|share$|loss|surprise|summar|interval|cut off|"
    "mean of few|with the mask|both padding masks|From the dialogue|this layer|decoder, all",
}
"""What the figures call what has such a colour: a legend's entry, a scale's title, or the axis of the numbers.

Of a slate that is one entry of a legend, beside others, the name is the meaning: two such on a screen are one too many.
"""
PLACES = {
    "attention": {
        "stack_diagram: .attention": "a layer that makes weights",
        "stack_diagram: .arrows .memory": "what cross-attention reads",
        "stack_diagram: .line.memory": "its sample in the legend",
        "head_stages: .bar": "a weight, after the softmax",
        "head_view: script.js": "weights as lines and as bands",
        "ribbons: .ribbon": "weights of turns",
        "attention: .strong .ramp": "the scale of weights",
        "attention: weights.js": "weights as cells",
        "matrix_board: .grid.weights": "the softmax",
        "writing: .turn": "the weight of a turn",
        "writing: .cross .row .part": "weights in the box of cross-attention",
        "conversation: .read .bubble": "the turn with the largest weight",
    },
    "supports": {"head_stages: .line", "head_stages: .signed .ramp", "head_stages: script.js", "matrix_board: .grid",
                 "matrix_board: .ramp", "writing: script.js"},
    "opposes": {"head_stages: .line.left", "head_stages: .signed .ramp", "head_stages: script.js",
                "matrix_board: .cell.below", "matrix_board: .ramp", "writing: script.js"},
    "chosen": set(),
    "grey": {"components: kit.js", "stack_diagram: .norms", "summary_check: .hint.wrong",
             "summary_check: .share.reference .fill"},
    "amount": {"probability_table: .root", "summary_check: .fill", "summary_check: .cell", "writing: .fill",
               "writing: .row .part", "token_strip: .root"},
}  # fmt: skip
"""Rules of style sheets and scripts of components that draw with a colour; why orange stands there."""
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
            if role in MEANINGS:
                yield role, role if re.search(MEANINGS[role], _told(part, spec["layout"], role)) else entry
            elif entry:  # bars beside a map have no name of their own
                yield role, entry


def _told(part: Any, layout: Any, role: str) -> str:
    """Return what a figure says of a part: its name, the titles of its scale and axes, and what its form says."""
    titles = [
        part.get("colorbar", {}),
        *(layout.get(f"{each}axis{part.get(f'{each}axis', each)[1:]}", {}) for each in "xy"),
    ]
    told = [part.get("name") or "unnamed", *(each.get("title", {}).get("text") or "" for each in titles)]
    if role not in roles(part | {"marker": part.get("marker", {}) | {"line": {}}}):
        told.append("frame")
    if part.get("colorscale") and part["zmin"] == -part["zmax"]:
        told.append("map with a sign")
    return "\n".join(told)


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
        for role, place in in_sources(name):
            yield role, LEGENDS[name][role] if role.startswith("series") else role if place in PLACES[role] else place


@cache
def in_sources(component: str = "*") -> frozenset[tuple[str, str]]:
    """Return the roles that the scripts and style sheets of a component name, or of all, and the places of each."""
    homes = [path for folder in ("shared", "parts") for path in (ROOT / "pages" / folder).glob(f"**/{component}")]
    files = {path for home in homes for path in (*home.glob("*.[jc]s*"), *home.parent.glob("*.css")) if path.is_file()}
    found = set()
    for path in files:
        text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        rules = re.findall(r"([^{}]+){([^{}]*)}", text) if path.suffix == ".css" else [(path.name, text)]
        found |= {
            (role, f"{path.parent.name}: {place.strip()}")
            for place, drawn in rules
            for role in palette.ROLES
            if re.search(rf"--{role}\b(?!-)", drawn)
        }
    return frozenset(found)
