"""The error boundary and messages that hold a user's text."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import DialoscopeError
from pages.shared import state

LOG = logging.getLogger(__name__)
_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")


def literal(text: str) -> str:
    """Text for a Markdown message, shown as it is: names of files and speakers come from users."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def show(error: DialoscopeError) -> None:
    """Show the one line of an error that a user caused, with a capital letter."""
    message = str(error)
    st.error(literal(message[:1].upper() + message[1:]), icon=":material/error:")


def show_complaint() -> None:
    """Show why the last input was refused, if one was."""
    refused = state.complaint()
    if refused:
        show(refused)


@contextmanager
def boundary(key: str = "page") -> Iterator[None]:
    """Turn an exception into a message; what was typed and chosen stays.

    Args:
        key: tells two boundaries of one page apart.
    """
    try:
        yield
    except DialoscopeError as error:
        show(error)
    except Exception as error:
        LOG.exception("a page failed")
        st.error(
            f"Something went wrong here (`{type(error).__name__}`). Your dialogue is kept. "
            "Try another setting, or start over.",
            icon=":material/error:",
        )
        st.button("Start over", key=f"reset_{key}", icon=":material/restart_alt:", on_click=state.reset)
