"""Attention lab: change a number in a small matrix and see formula, picture and code agree."""

import streamlit as st

from pages.parts.attention_lab import attention, block, editors, scale, scoring, slips
from pages.shared import state, views
from pages.shared.state import Key

VIEWS = {
    "attention": (":material/grid_on: Attention", attention.draw),
    "scoring": (":material/compare_arrows: Scoring", scoring.draw),
    "scale": (":material/show_chart: Scale", scale.draw),
    "block": (":material/layers: Block", block.draw),
    "slips": (":material/report: Slips", slips.draw),
}


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Attention by hand", anchor=False)
    _view()


@st.fragment
def _view() -> None:
    """Controls and view; a change draws them alone again, not the page."""
    editors.count_run()
    with views.part():
        views.choose(VIEWS, Key.LAB)()


draw()
