"""Write the table of pages in README.md from what the pages declare: `make docs`; `--check` compares it.

A row is a page of the menu: its title, the sentence `about` of its file, and the names of its views.
"""

import logging
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

logging.disable(logging.WARNING)  # Streamlit warns that no session is there

from docs.tables import with_table, write
from pages.shared.place import declarations, menu

README = ROOT / "README.md"
HEAD = "| page | what it is about | views |\n|---|---|---|\n"
ICON = re.compile(r"^:material/\w+: ")


def table() -> str:
    """Return the table as Markdown."""
    rows = []
    for entry in menu.ENTRIES.values():
        page: Any = declarations.page_at(entry.name)
        labels = [view.label if isinstance(view.label, str) else view.label() for view in page.views.values()]
        views = " · ".join(ICON.sub("", label) for label in labels) if len(labels) > 1 else ""
        rows.append(f"| **{entry.title}** | {page.about} | {views} |\n")
    return HEAD + "".join(rows)


def main() -> int:
    """Write the table, or with `--check` say whether it is out of date; returns the exit status."""
    return write({README: with_table(README.read_text(encoding="utf-8"), HEAD, table())})


if __name__ == "__main__":
    sys.exit(main())
