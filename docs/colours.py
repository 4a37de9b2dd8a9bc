"""Write the colours of `palette` into docs/colours.md, with a picture of each: `make docs`; `--check` compares them."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.figures.shared import palette
from docs.tables import with_table, write

DOCUMENT = ROOT / "docs" / "colours.md"
FOLDER = ROOT / "docs" / "colours"
HEAD = "| colour | name in style sheets | in `palette` | value |\n|---|---|---|---|\n"
NAMES = {
    value: f"{name}[{place}]" if many else name
    for name in ("ATTENTION", "SUPPORTS", "OPPOSES", "SPEAKERS", "CHOSEN", "AMOUNT", "SERIES", "GREY")
    for many in [isinstance(getattr(palette, name), tuple)]
    for place, value in enumerate(getattr(palette, name) if many else [getattr(palette, name)])
}
SAMPLE = """<svg xmlns="http://www.w3.org/2000/svg" width="120" height="28" viewBox="0 0 120 28">
  <title>{name}</title>
  <rect width="60" height="28" fill="#ffffff"/><rect x="60" width="60" height="28" fill="#0d1218"/>
  <rect x="8" y="6" width="44" height="16" fill="{color}"/><rect x="68" y="6" width="44" height="16" fill="{color}"/>
</svg>
"""
"""A colour on the grounds of both themes."""


def table() -> str:
    """Return the table as Markdown."""
    rows = [
        f"| ![{name}](colours/{name}.svg) | `--{name}` | `{NAMES[color]}` | `{color}` |\n"
        for name, color in palette.ROLES.items()
    ]
    return HEAD + "".join(rows)


def main() -> int:
    """Write the table and the samples, or with `--check` say what is out of date; returns the exit status."""
    FOLDER.mkdir(exist_ok=True)
    samples = {FOLDER / f"{name}.svg": SAMPLE.format(name=name, color=color) for name, color in palette.ROLES.items()}
    return write(samples | {DOCUMENT: with_table(DOCUMENT.read_text(encoding="utf-8"), HEAD, table())})


if __name__ == "__main__":
    sys.exit(main())
