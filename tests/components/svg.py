"""What Inkscape, PowerPoint and other programs would not read of an SVG that the app saves."""

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
HREF = ("href", "{http://www.w3.org/1999/xlink}href")
ELEMENTS = frozenset(
    "circle clipPath defs ellipse g image line linearGradient path pattern polygon polyline rect stop svg text tspan "
    "title".split()
)
BROWSERS_ONLY = re.compile(
    r"var\(|calc\(|color-mix\(|light-dark\(|rgba\(|hsl|oklab|color\(|currentcolor|@import|@font-face|-gradient\(", re.I
)
ELSEWHERE = re.compile(r"url\((?!['\"]?#)", re.I)


def unreadable(text: str) -> list[str]:
    """List what other programs do not read, one line each; raises ParseError for what is no XML."""
    found = []
    for node in ElementTree.fromstring(text).iter():
        name = node.tag.removeprefix(SVG)
        if name not in ELEMENTS:
            found.append(f"<{name}>")
        for key, value in node.attrib.items():
            if BROWSERS_ONLY.search(value) and key not in HREF:
                found.append(f'{name} {key}="{value[:80]}"')
            if ELSEWHERE.search(value) or (key in HREF and not value.startswith(("data:image/png;base64,", "#"))):
                found.append(f'{name} {key}="{value[:80]}" is not in the file')
            if key.startswith("on") or value.strip() in ("NaN", "undefined", "null"):
                found.append(f'{name} {key}="{value[:80]}"')
    return found
