"""The focus of the boxes that buttons open (`st.popover`), the language of the page, and Back; it draws nothing.

Streamlit draws an opened box at the end of the page: with the keyboard, all other controls would come first. And it
calls every page English: a screen reader would read Turkish as if it were, and browsers offer to translate it. A page
of the menu whose address says something would be two steps of the browser's history.
"""

from core.words import language
from pages.shared.components import component

_MOUNT = component(__file__, kit=False)


def opened_box() -> None:
    """Let the focus go into a box that the keyboard opens, and back to its button when Escape closes it.

    The script is told the page's language, a code such as "tr", and tells the browser.
    """
    _MOUNT(key="opened_box", data={"language": language()})
