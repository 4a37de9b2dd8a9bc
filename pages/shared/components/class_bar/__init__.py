"""The bar of a class that follows: who presents, who follows, and how to let go and come back."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.lessons.following import spaced
from pages.shared.components import component
from pages.shared.guard import server_access
from pages.shared.teaching import stream

KEY = "class_bar"
_MOUNT = component(__file__, act=str, resume=[str])


def class_data(
    role: str = "", code: str = "", who: str = "", version: int = 0, alone: bool = False, over: str = ""
) -> dict[str, Any]:
    """Return what the bar shows, and where it hears of news.

    Args:
        role: "presenter", "follower" or "" for neither.
        code: of the class.
        who: the presenter's key, which the browser keeps for a page that is loaded again, or the name of a follower.
        version: of the scene that a follower was shown last.
        alone: whether the follower was let go.
        over: why the session is in no class any more.
    """
    shown = {"role": role, "code": code, "spaced": spaced(code), "alone": alone, "over": over}
    return shown | {"who": who, "version": version, "stream": stream.PATH, "root": server_access.root()}


def class_bar(data: dict[str, Any], on_act: Callable[[str], None], on_resume: Callable[[list[str]], None]) -> None:
    """Draw the bar, which draws nothing for who is in no class; follow the presenter.

    Args:
        data: as `class_data` returns it.
        on_act: called with what was pressed: show, end, explore, back, leave, close; or with "lost", where the server
            refuses to tell what is new.
        on_resume: called with the code and the key that the browser kept.
    """
    _MOUNT(
        key=KEY,
        data=data,
        on_act_change=lambda: on_act(str(st.session_state[KEY].act or "")),
        on_resume_change=lambda: on_resume(list(st.session_state[KEY].resume or ())),
    )
