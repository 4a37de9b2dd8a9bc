"""The focus of the boxes that buttons open (`st.popover`); it draws nothing.

Streamlit draws an opened box at the end of the page: with the keyboard, all other controls would come first.
"""

from pages.shared.components import component

_MOUNT = component(__file__, kit=False)


def opened_box() -> None:
    """Let the focus go into a box that the keyboard opens, and back to its button when Escape closes it."""
    _MOUNT(key="opened_box")
