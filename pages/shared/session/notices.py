"""Say what went wrong: the error boundary, refused input, and notes on what a link asks for and does not exist."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import BusyError, DialoscopeError
from core.figures.shared.wording import capital
from core.figures.shared.wording import literal as literal
from core.words import say
from pages.shared.session import session

LOG = logging.getLogger(__name__)
NOTES, COMPLAINT = "notes", "complaint"


def note(text: str) -> None:
    """Show a sentence above the page until it is read, for instance that a link asks for what does not exist."""
    if text not in notes():
        st.session_state[NOTES] = (*notes(), text)


def notes() -> tuple[str, ...]:
    """Return the notes that nobody has read yet."""
    unread: tuple[str, ...] = st.session_state.get(NOTES, ())
    return unread


def clear_notes() -> None:
    """Forget the notes; for a button."""
    st.session_state[NOTES] = ()


def show_notes() -> None:
    """Show the notes with a button that clears them."""
    if notes():
        with st.container(horizontal=True, vertical_alignment="center", key=NOTES):
            st.warning("  \n".join(literal(text) for text in notes()), icon=":material/link_off:")
            st.button(say("Got it"), key="notes_read", on_click=clear_notes)


def complain(error: DialoscopeError | None) -> None:
    """Keep the message of a refused input for the next run; None clears it."""
    st.session_state[COMPLAINT] = error


def complaint() -> DialoscopeError | None:
    """Return why the last input was refused."""
    return st.session_state.get(COMPLAINT)


def attempt(action: Callable[[], object]) -> bool:
    """Run a callback; if it refuses the input, the page says why. Return whether it took it."""
    try:
        action()
    except DialoscopeError as error:
        complain(error)
        return False
    complain(None)
    return True


def show(error: DialoscopeError) -> None:
    """Show the one line of an error that a user caused."""
    st.error(literal(sentence(error)), icon=":material/error:")


def sentence(error: DialoscopeError) -> str:
    """Return the line of an error with a capital letter, if it begins with a word and not with a file or a setting."""
    message = str(error)
    return capital(message) if message.partition(" ")[0].isalpha() else message


def show_failure(error: Exception | None, what: str) -> None:
    """Show why work in the background failed: in one line if a user caused it, else what failed, said, and the kind."""
    if isinstance(error, DialoscopeError):
        show(error)
    else:
        st.error(f"{what} (`{type(error).__name__}`).", icon=":material/error:")


def show_complaint() -> None:
    """Show why the last input was refused, if one was."""
    refused = complaint()
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
        if isinstance(error, BusyError):
            st.button(say("Try again"), key=f"again_{key}", icon=":material/refresh:")
    except Exception as error:
        LOG.exception("a page failed")
        st.error(
            say(
                "Something went wrong here (`{error}`). Your dialogue is kept. Try another setting, or start over.",
                error=type(error).__name__,
            ),
            icon=":material/error:",
        )
        icon = ":material/restart_alt:"
        st.button(say("Start over"), key=f"reset_{key}", icon=icon, on_click=session.reset)
