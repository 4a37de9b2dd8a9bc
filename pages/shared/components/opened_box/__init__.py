"""The focus of the boxes that buttons open (`st.popover`), the page's language and theme, and Back; it draws nothing.

Streamlit draws an opened box at the end of the page: with the keyboard, all other controls would come first. And it
calls every page English: a screen reader would read Turkish as if it were, and browsers offer to translate it. A page
of the menu whose address says something would be two steps of the browser's history. And when light turns dark, it does
not run the page again, which has given each chart the colours of a theme.
"""

import streamlit as st

from core.words import language
from pages.shared.components import component

_MOUNT = component(__file__, kit=False, theme=str)


def opened_box() -> None:
    """Let the focus go into a box that the keyboard opens, and back to its button when Escape closes it.

    The script is told the page's language, a code such as "tr", and tells the browser; and for which theme it is drawn.
    """
    data = {"language": language(), "theme": st.context.theme.type or "light"}
    _MOUNT(key="opened_box", data=data, on_theme_change=_drawn_anew)


def _drawn_anew() -> None:
    """Do nothing: the page is drawn because it was asked for."""
