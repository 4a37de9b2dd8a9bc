"""What a visitor sees of the queue for model work: a place, a time, and a button that leaves the queue.

A script that waits hears of no click. So it draws its place every half second: drawing lets Streamlit begin the run
that a click asks for. Such a click is served at once, and the place in the queue is given up.
"""

import threading
from collections.abc import Hashable
from contextvars import copy_context

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import in_cached_function

from core.errors import BusyError
from core.limits import limits
from core.runtime.queue import CALLS, Place
from core.words import say

BOX, DRAWN, LEAVING, LEFT, COUNT = "queue_box", "queue_drawn", "queue_leaving", "queue_left", "queue_count"
"""Session keys: where the place is drawn; the line of it that was drawn last; whether the visitor has pressed the
button that leaves the queue; whether the run of now follows that, and so does not wait; how often the visitor waited,
so that no two buttons have one key."""


def register() -> None:
    """Tell the queue who waits, how many may, and where a place is drawn."""
    CALLS.who, CALLS.waiting, CALLS.most = who, _show, lambda: limits().waiting_visitors


def begin() -> None:
    """Make room for the place; once whenever the body of a page is drawn."""
    st.session_state[BOX], st.session_state[DRAWN] = st.empty(), None
    st.session_state[LEFT] = st.session_state.pop(LEAVING, False)


def who() -> Hashable:
    """Name the visitor: the session, or the thread where there is none."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else threading.get_ident()


def _show(place: Place | None) -> None:
    """Draw a visitor's place, or take it away; raises BusyError if the visitor left the queue."""
    if get_script_run_ctx(suppress_warning=True) is None or BOX not in st.session_state:
        return
    if place and st.session_state.get(LEFT):
        raise BusyError("you left the queue for the model, so this was not computed")
    copy_context().run(_draw, place)


def _draw(place: Place | None) -> None:
    in_cached_function.set(False)  # a cached function, where the caller may be, would keep what is drawn inside of it
    state = st.session_state
    if place is None:
        state[BOX].empty()
        state[DRAWN] = None
        return
    if state[DRAWN] is None:
        state[COUNT] = state.get(COUNT, 0) + 1
        with state[BOX].container(border=True, horizontal=True, vertical_alignment="center"):
            state[DRAWN] = st.empty()
            key = f"queue_leave_{state[COUNT]}"
            st.button(say("Leave the queue"), key=key, icon=":material/close:", on_click=_leave)
    seconds = max(1, round(place.seconds))
    if place.number == 1:
        line = say("**Others are using the model.** You are next; about {seconds} s.", seconds=seconds)
    else:
        line = say(
            "**Others are using the model.** {number} are before you; about {seconds} s.",
            number=place.number - 1, seconds=seconds,
        )  # fmt: skip
    state[DRAWN].markdown(line)


def _leave() -> None:
    st.session_state[LEAVING] = True
