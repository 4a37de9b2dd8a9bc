"""The helper that registers a custom component: a folder with its Python, `script.js` and `style.css`.

`kit.js` and `base.css` hold what all components share; files beside a component's folder, what those of one page
share. Texts reach the page through textContent alone.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from core.figures.shared.palette import VARIABLES
from core.words import said_in, translated
from pages.shared.guard import message_guard

HERE = Path(__file__).parent
LEAST = r"font-size: max(\1, calc(var(--least, 0px) / var(--zoom, 1)));"
"""What becomes of each size of type in a style sheet: a projector sets the least one, as seen in a zoomed picture."""


def component(file: str | Path, *, kit: bool = True, **sends: Any) -> Callable[..., Any]:
    """Register the component of a folder.

    Args:
        file: its path, or that of its `__init__.py`.
        kit: whether it needs what all share; one that stands on a page many times travels lighter without.
        sends: for each event that it sends the shape of its message, see `message_guard.expect`; any other is refused.
    """
    home = Path(file)
    home = home.parent if home.suffix else home
    css, js = sources(home) if kit else (_joined(home, ".css"), _text(HERE / "words.js") + _joined(home, ".js"))
    messages = said_in(js)
    mount = st.components.v2.component(f"dialoscope_{home.name}", html="<div class='root'></div>", css=css, js=js)

    def draw(*, key: str | None = None, data: dict[str, Any] | None = None, **options: Any) -> Any:
        if key is not None:
            message_guard.expect(key, sends)
        if words := translated(messages):
            data = {**(data or {}), "words": words}
        return mount(key=key, data=data, **options)

    return draw


def sources(home: Path) -> tuple[str, str]:
    """Return the style sheet and the script of a component's folder, with what they share with others.

    They travel with each message of the component: comments and indentation stay here.
    """
    before = (home.parent, HERE)
    return f".root {{ {VARIABLES}}}\n" + _joined(home, ".css", *before), _joined(home, ".js", *before)


def _joined(home: Path, kind: str, *before: Path) -> str:
    paths = dict.fromkeys(path for folder in (*before[::-1], home) for path in sorted(folder.glob(f"*{kind}")))
    return "".join(_text(path) for path in paths)


def _text(path: Path) -> str:
    text = path.read_text(encoding="utf-8") + "\n"
    text = re.sub(r"^\s*/\*.*?\*/\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"font-size: (?!inherit)([^;{}]+);", LEAST, text) if path.suffix == ".css" else text
    return re.sub(r"^\s+", "", text, flags=re.MULTILINE)
