"""Positions: how the order of words gets into a network that reads all of them at once."""

import streamlit as st

from pages.parts.positions import distance, encoding, summed, table, tested
from pages.shared import address, errors, state
from pages.shared.choices import one_of
from pages.shared.state import Key

VIEWS = {
    "encoding": ":material/waves: Encoding",
    "distance": ":material/straighten: Distance",
    "sum": ":material/add_circle: Sum",
    "test": ":material/science: Test it",
}
OF_TABLE = {"encoding": encoding.draw, "distance": distance.draw}
OF_DIALOGUE = {"sum": summed.draw, "test": tested.draw}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Where a word stands", anchor=False)
    _view()


@st.fragment
def _view() -> None:
    """Controls and view; a change draws them alone again, not the page."""
    before = state.notes()
    view = one_of("View", VIEWS, Key.POS_VIEW, hidden=True)
    address.write()
    with errors.boundary("view"):
        if view in OF_TABLE:
            chosen = table.current()
            address.write()
            if chosen is not None:
                OF_TABLE[view](chosen)
        else:
            OF_DIALOGUE[view]()
    table.link_was_read()
    address.write()
    if state.notes() != before:
        st.rerun()  # the notes stand above the page


draw()
