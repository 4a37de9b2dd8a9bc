"""The language of the session: what its address or the sidebar says, or else the browser.

Streamlit makes the file behind a button when it is clicked, in a thread without a session: such a file speaks the
language of the page that drew the button.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import words
from core.words import ENGLISH, LANGUAGES, language, say, speaking
from pages.shared.session import session
from pages.shared.session.fields import Choice

BROWSER = "browser"
LANGUAGE = Choice(session.LANGUAGE, (BROWSER, *LANGUAGES))
SPOKEN = "spoken"
"""Session key: the language of the last run."""


def current() -> str:
    """Return the code of the session's language; English where there is no session."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    chosen: object = st.session_state.get(LANGUAGE.name)  # a browser may send anything
    if chosen is None:  # the menu is drawn before the link is read
        chosen = st.query_params.get(LANGUAGE.name)
    return chosen if isinstance(chosen, str) and chosen in LANGUAGES else _of_browser()


def _of_browser() -> str:
    code = (st.context.locale or "").partition("-")[0].lower()
    return code if code in LANGUAGES else ENGLISH


def changed() -> bool:
    """Return whether the run before spoke another language; once a run."""
    now, before = current(), st.session_state.get(SPOKEN)
    st.session_state[SPOKEN] = now
    return before not in (None, now)


def names() -> dict[str, str]:
    """Return what a session can choose: each language by its own name."""
    own = say("As the browser: {name}", name=LANGUAGES[_of_browser()])
    return {code: LANGUAGES.get(code, own) for code in LANGUAGE.options}


def _add_file(manager: MediaFileManager, make: Callable[[], Any], *args: Any, **options: Any) -> str:
    """Keep a function that makes a file, and the language of here and now."""
    code = language()

    def made() -> Any:
        with speaking(code):
            return make()

    return _add(manager, made, *args, **options)


_add = MediaFileManager.add_deferred
MediaFileManager.add_deferred = _add_file  # type: ignore[method-assign,assignment]
words.ask(current)
