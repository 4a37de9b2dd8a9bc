"""The keys of a lesson, and what the browser remembers of it; it draws nothing."""

from collections.abc import Callable, Collection

import streamlit as st

from pages.shared.components import component

KEY = "lesson_keys"
_MOUNT = component(__file__, go=range(-1, 2), stored=[str])


def lesson_keys(
    stop: str,
    view: str,
    opened: int,
    done: Collection[str],
    cleared: int,
    on_go: Callable[[int], None],
    on_stored: Callable[[list[str]], None],
) -> None:
    """Listen to the keys while a stop is open, and keep the ids of the stops that are done.

    Args:
        stop: what is open, "" for nothing: the keys then mean what they always do.
        view: key of the page's choice of views; a stop that was just opened begins there, so that its picture is seen.
        opened: another number for each stop that is opened.
        done: ids of the stops that are done.
        cleared: a larger number than before forgets what the browser had stored.
        on_go: called with 1 for the next stop, -1 for the one before.
        on_stored: called with the ids that the browser had stored and `done` lacks.
    """
    data = {"stop": stop, "view": view, "opened": opened, "done": sorted(done), "cleared": cleared}
    _MOUNT(
        key=KEY,
        data=data,
        on_go_change=lambda: on_go(int(st.session_state[KEY].go or 0)),
        on_stored_change=lambda: on_stored(list(st.session_state[KEY].stored or ())),
    )
