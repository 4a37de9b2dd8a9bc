"""What this session is in a class that follows: its presenter, a follower, or neither.

`address` tells it what the page shows, and asks it what a follower is to be shown.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import streamlit as st

from core.errors import FollowingError
from core.lessons.following import CLASSES, Ticket, read_code
from core.place import Place
from core.words import say
from pages.shared.guard import demo
from pages.shared.session import selection, session

FOLLOW, NOW = "follow", "now"
"""Names in a link: the code of a class; what stands there, too, where a browser was sent to the newest scene."""
OVER, RETURN = "class_over", "class_return"
"""Session keys: why the session is in no class any more; what it showed before it followed, to be shown again."""
PATIENCE = 2.0
"""Seconds."""
_TURNS = Lock()


@dataclass(frozen=True)
class Presenter:
    """A session that others follow."""

    ticket: Ticket


@dataclass(frozen=True)
class Before:
    """What a session showed before it followed: the scene, and what a link cannot carry of the dialogue."""

    scene: Place
    dialogue: Mapping[str, Any]


@dataclass(frozen=True)
class Follower:
    """A session that follows.

    Args:
        code: of the class.
        before: what it showed; None if it began with the link of the class.
        due: whether it goes to the newest scene in the next run.
        alone: whether it was let go.
        version: of the scene that it showed last.
        coming: of the scene that this run has to show.
        settled: that scene as this session shows it; None until it is drawn.
        who: a name without meaning.
    """

    code: str
    before: Before | None = None
    due: bool = True
    alone: bool = False
    version: int = 0
    coming: int = 0
    settled: Place | None = None
    who: str = field(default_factory=lambda: secrets.token_hex(8))


def role() -> Presenter | Follower | None:
    """Return what the session is."""
    participant: Presenter | Follower | None = st.session_state.get(session.ROLE)
    return participant


def over() -> str:
    """Return why the session is in no class any more, or ""."""
    return str(st.session_state.get(OVER, ""))


def membership() -> dict[str, str]:
    """Return what the address of a follower says of the class: a new session of it follows again."""
    own = role()
    return {FOLLOW: own.code} if isinstance(own, Follower) else {}


# The presenter --------------------------------------------------------------------------------------------------------


def present(scene: Place) -> None:
    """Let others follow this session; raises DialoscopeError in a demonstration, and where all codes are taken."""
    demo.check(say("nobody can follow another one"))
    _be(Presenter(CLASSES.begin(scene)))


def resume(code: str, key: str) -> None:
    """Present again after the page was loaded again; the browser has kept the key."""
    ticket = Ticket(code, key)
    try:
        CLASSES.publish(ticket, CLASSES.look(code).scene)
    except FollowingError:
        return
    _be(Presenter(ticket))


def publish(scene: Callable[[], Place]) -> None:
    """Show the class what this session shows, if it presents."""
    own = role()
    if isinstance(own, Presenter):
        try:
            CLASSES.publish(own.ticket, scene())
        except FollowingError as error:
            _be(None, str(error))


# A follower -----------------------------------------------------------------------------------------------------------


def join(text: str, before: Before | None) -> None:
    """Follow the class of a code; raises FollowingError if there is none, or if it is full."""
    code = read_code(text)
    follower = Follower(code, before)
    CLASSES.admit(code, follower.who)
    _be(follower)


def due() -> tuple[Place | None, bool]:
    """Return the scene that this run has to show, and whether the page may be left for it; at the start of a run."""
    state = st.session_state
    asked = st.query_params.get(FOLLOW, "")
    if session.STARTED not in state and role() is None and asked:
        try:
            join(asked, None)
        except FollowingError as error:
            _be(None, str(error))
    if RETURN in state:
        return state[RETURN].scene, True
    own = role()
    if not isinstance(own, Follower) or not (own.due or is_led() and not own.alone):
        return None, False
    try:
        view = CLASSES.look(own.code)
    except FollowingError as error:
        _be(None, str(error))
        return None, False
    state[session.ROLE] = replace(own, coming=view.version, settled=None)
    return view.scene, own.due


def arrived() -> None:
    """Note that this run shows the scene that was due."""
    before, own = st.session_state.pop(RETURN, None), role()
    if before:
        st.session_state.update(before.dialogue)
    elif isinstance(own, Follower):
        st.session_state[session.ROLE] = replace(own, version=own.coming, due=False, alone=False)


def is_led() -> bool:
    """Return whether the presenter, not the visitor, asked for this run; until the address is written."""
    return NOW in st.query_params


@contextmanager
def turn() -> Iterator[None]:
    """Let a session that the presenter has sent on wait while others are drawn: thirty at once hold each other up.

    It waits for `PATIENCE` at most, so that one that has to compute does not keep all others from the new page.
    """
    waited = is_led() and _TURNS.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if waited:
            _TURNS.release()


def compare(scene: Callable[[], Place]) -> bool:
    """Let a follower go whose session shows something else than when it was last drawn; return whether it did."""
    own = role()
    if not isinstance(own, Follower) or own.alone or own.due or own.settled in (None, scene()):
        return False
    explore()
    return True


def settle(scene: Callable[[], Place]) -> None:
    """Keep what a follower shows now, when all of it is drawn."""
    own = role()
    if isinstance(own, Follower) and not own.alone:
        st.session_state[session.ROLE] = replace(own, settled=scene())


def explore() -> None:
    """Let go: the presenter's changes do not reach this session until `back`."""
    own = role()
    if isinstance(own, Follower):
        st.session_state[session.ROLE] = replace(own, alone=True, due=False)


def back() -> None:
    """Come back to what the presenter shows."""
    own = role()
    if isinstance(own, Follower):
        st.session_state[session.ROLE] = replace(own, due=True, settled=None)


def leave() -> None:
    """End the class, as its presenter, or leave it and get back what was there before."""
    own = role()
    if isinstance(own, Presenter):
        CLASSES.end(own.ticket)
    elif isinstance(own, Follower) and own.before:
        st.session_state[RETURN] = own.before
    _be(None)


def lost() -> None:
    """The browser hears nothing any more: leave a class that is over or full."""
    own = role()
    try:
        if isinstance(own, Follower):
            CLASSES.admit(own.code, own.who)
        elif isinstance(own, Presenter):
            CLASSES.look(own.ticket.code)
    except FollowingError as error:
        _be(None, str(error))


def refuse(why: str) -> None:
    """Say why a class was not begun or joined, or "" no more; the session is what it was."""
    st.session_state[OVER] = why


def kept() -> dict[str, Any]:
    """Return what a link cannot carry of the current dialogue."""
    return {name: st.session_state.get(name) for name in (selection.DIALOGUE, selection.EDITS)}


def _be(role: Presenter | Follower | None, why: str = "") -> None:
    st.session_state.update({session.ROLE: role, OVER: why})
