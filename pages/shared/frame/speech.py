"""The language of the session: what its address or the sidebar says, or else the browser."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import words
from core.words import ENGLISH, LANGUAGES, language, say, speaking
from pages.shared.frame import session
from pages.shared.frame.fields import Choice

P, T = ParamSpec("P"), TypeVar("T")
BROWSER = "browser"
LANGUAGE = Choice(session.LANGUAGE, (BROWSER, *LANGUAGES))
SPOKEN = "spoken"
"""Session key: the language of the last run."""


def current() -> str:
    """Return the code of the session's language; English where there is no session."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    chosen: object = LANGUAGE.value  # a browser may send anything
    return chosen if isinstance(chosen, str) and chosen in LANGUAGES else _of_browser()


def _of_browser() -> str:
    code = (st.context.locale or "").partition("-")[0].lower()
    return code if code in LANGUAGES else ENGLISH


def changed() -> bool:
    """Return whether the run before spoke another language; once a run."""
    now, before = current(), st.session_state.get(SPOKEN)
    st.session_state[SPOKEN] = now
    return before not in (None, now)


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """Let a function that Streamlit calls later, without a session, speak the language of here and now: for files."""
    code = language()

    @wraps(make)
    def in_language(*args: P.args, **named: P.kwargs) -> T:
        with speaking(code):
            return make(*args, **named)

    return in_language


def choose() -> None:
    """Draw the choice of a language."""
    st.selectbox(
        f":material/translate: {say('Language')}",
        LANGUAGE.options,
        format_func=lambda code: LANGUAGES.get(code) or say("As the browser: {name}", name=LANGUAGES[_of_browser()]),
        key=LANGUAGE.name,
        persist_state="session",
    )


words.ask(current)
