"""Choose a page and two checkpoints, and show the page for both."""

import streamlit as st

from core.words import say
from pages.parts.compare import state
from pages.parts.compare.pair import pair, pair_data
from pages.shared.controls.choices import select
from pages.shared.place import address, menu, page_description, places
from pages.shared.session import decoding

KEY, CHOSEN = "compare_pair", "compare_chosen"
"""Session keys: the component; how often somebody chose above it, which both sides follow."""


def draw() -> None:
    """Draw the choices and both sides; what is done on one side is reported here, and the link then says it."""
    if st.context.is_embedded:
        st.info(say("This page is open on one side already. Choose another one."), icon=":material/info:")
        return
    names = state.models()
    if len(names) < 2 and not state.apart():
        st.info(say("Only one checkpoint that reads dialogues is installed. “Add a model” brings one."))
        return
    if state.bring():
        _follow()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = [_choose(label, side, names) for side, label in enumerate((say("Left"), say("Right")))]
        pages = {name: menu.title(name) for name in state.PAGES}
        select(say("Page"), pages, state.SHOW, width=220, on_change=_follow)
        if state.apart():
            st.button(say("One dialogue on both sides"), icon=":material/link:", on_click=_together)
    left, right = chosen
    page_description.describe(
        what=say("{page} of {left} and {right}", page=pages[state.SHOW.value], left=left, right=right)
    )
    sides = [(name, state.link(name, side)) for side, name in enumerate(chosen)]
    own = (decoding.CHECKPOINT.name, *(state.DIALOGUE if state.apart() else ()))
    # once they are there, the sides fill the browser's history, and the component keeps the address
    st.session_state[address.HELD] = KEY in st.session_state
    jump = (st.session_state.get(CHOSEN, 0), st.session_state.get(address.JUMPS, 0))
    pair(key=KEY, data=pair_data(sides, jump, places.wanted("compare"), own), on_moved_change=_moved)


def _choose(label: str, side: int, names: list[str]) -> str:
    """Draw the choice of the checkpoint of a side, and return it."""
    field = state.SIDES[side]
    field.fit(("", *names), say("checkpoint"))
    options = {name: name for name in names}
    return str(select(label, options, field, usual=state.usual(names)[side], width=260, on_change=_follow))


def _together() -> None:
    for field in state.OWN:
        field.clear()
    _follow()


def _follow() -> None:
    st.session_state[CHOSEN] = st.session_state.get(CHOSEN, 0) + 1


def _moved() -> None:
    if moved := st.session_state[KEY].moved:
        state.take(moved["side"], moved["page"], moved["query"])
