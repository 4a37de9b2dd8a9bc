"""Start over: a button that says what would go, asks, and can be taken back."""

import streamlit as st

from core.figures.shared.wording import count
from core.words import say
from pages.shared.controls import dialogs
from pages.shared.place import declarations, menu, visited
from pages.shared.session import selection, session

RESET = "reset"
"""Key of the button, and name of the dialog that asks."""


def draw() -> None:
    """Draw the button that asks; after a reset also the one that takes it back, then the one that takes that back."""
    icon = ":material/restart_alt:"
    st.button(say("Reset everything"), key=RESET, icon=icon, on_click=dialogs.show, args=(RESET,), width="stretch")
    if session.can_undo():
        st.caption(say("Everything was reset. What was there is kept until this tab is reloaded or closed."))
        st.button(
            say("Undo the reset"), key="reset_undo", icon=":material/undo:", on_click=session.undo, width="stretch"
        )
    if session.can_redo():
        st.button(
            say("Redo the reset"), key="reset_redo", icon=":material/redo:", on_click=session.redo, width="stretch"
        )
    dialogs.draw(RESET, say("Reset everything?"), _dialog, icon=icon)


def _reset() -> None:
    dialogs.show()  # or `undo` would ask again
    session.reset()


def _dialog() -> None:
    if things := held():
        st.markdown("\n".join([say("These go, with every setting:"), "", *(f"- {thing}" for thing in things)]))
    else:
        st.markdown(say("Every setting goes back to where it was on the first visit. Nothing else is lost."))
    st.caption(say("“Undo the reset” in the sidebar brings it back until this tab is reloaded or closed."))
    with st.container(horizontal=True):
        st.button(say("Reset"), key="reset_now", type="primary", on_click=_reset)
        if st.button(say("Keep everything"), key="reset_not", on_click=dialogs.show):
            st.rerun()


def held() -> list[str]:
    """Return what a reset takes away beside settings, each said: what people brought or made."""
    things = []
    if selection.holds_own():
        things.append(say("your own dialogue"))
    if selection.holds_edits():
        things.append(say("your changes of the dialogue"))
    if entries := visited.current().items:
        things.append(say("Visited: {entries}", entries=count(len(entries), "entry")))
    return [*things, *(thing for name in menu.ENTRIES for thing in declarations.page_at(name).holds())]
