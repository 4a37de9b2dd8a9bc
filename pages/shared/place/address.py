"""The address of the page: a session is filled from it, and it follows the session.

What can be shared stands in the address. A fresh session reads it, and so does a step through the browser's history;
otherwise the session wins and the address follows.

At a change of page Streamlit pushes two kinds of history entries that need care. One has the path of the new page and
no link: a step to it asks for all defaults only if the page was once shown with them (`BARE`). The other has the path
of the old page and the link of the new one: it asks nothing of the old page (`Left.of_next`).

`bind="query-params"` would reset every widget at such an entry, and put labels instead of ids into links.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.place import Place
from pages.shared.place import places
from pages.shared.place.declarations import SHARED, names, own_fields
from pages.shared.place.places import ABOUT, PAGE, VISIT
from pages.shared.session import decoding, fields, language, notices, selection, session
from pages.shared.session.fields import Field
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching import classroom, course
from pages.shared.teaching.projector import PROJECTOR

LEFT, BARE, JUMPS, WRITTEN = "left", "bare", "jumps", "written"
"""Session keys: what of pages that were left may be in the history; paths of pages that were shown with all defaults;
how many links were read; what the address of the open page said last."""
HELD = "playing"
"""Session key: true while something plays by itself, which should not fill the browser's history."""
KEPT = 16
"""How many pages that were left are remembered."""


class Left(NamedTuple):
    """A page that was left for another one.

    Args:
        page: its path.
        link: what its address said.
        of_next: what the address of the other page said, which Streamlit may have pushed under this path.
    """

    page: str
    link: dict[str, str]
    of_next: dict[str, str]


def begin(path: str) -> None:
    """Fill the session from the link where it has to be, then let the address follow; once a run, before widgets.

    Args:
        path: of the page, "" for the first.
    """
    state = st.session_state
    due, may_leave = classroom.due()
    if due and due.page != path:
        if may_leave:
            places.turn_to(due.page, due.link)
        due = None  # the browser is on its way to another page
    before, was = state.get(PAGE), state.get(WRITTEN, {})
    moved = before not in (None, path)
    state[PAGE] = path
    asked = state.pop(VISIT, frozenset())
    if moved:
        notices.complain(None)
        state[HELD] = False
    fresh = session.is_new()
    if due:
        asked = _show(due)
    elif fresh and names(path) & st.query_params.keys() or is_history_step() and _asks(path):
        asked = _read(Place(path, _browser_link()))
    elif not moved and is_history_step() and not _browser_link() and path in state.get(BARE, ()):
        state.update({field.name: field.default for field in own_fields(path)})
        state[JUMPS] = state.get(JUMPS, 0) + 1
    if asked:
        state[fields.ASKED] = state[fields.FRESH] = asked
    _complete(path, again=language.changed() or moved)
    check(path)
    _forget_other_dialogue(path, asked)
    if not classroom.is_led():
        classroom.compare(places.now)
    if moved:
        write()  # the browser has the path alone, and the page may take seconds
        if not is_history_step():
            state[LEFT] = (*state.get(LEFT, ())[1 - KEPT :], Left(str(before), was, _browser_link()))


def check(path: str) -> None:
    """Replace values that no widget of the page can have had by the default; before its widgets are drawn."""
    fields.check((*SHARED, *own_fields(path)))


def write() -> None:
    """Let the address say what differs from a first visit: once, when the body of a page has been drawn.

    Each writing is a step of the browser's history; but where Back led, Streamlit replaces the address it came to.
    Nothing is written where the body sends the browser to another page: the session then holds what that page shows.
    """
    if VISIT in st.session_state:
        return
    classroom.publish(places.now)
    if st.session_state.get(HELD):
        return
    path = st.session_state[PAGE]
    link = places.wanted(path)
    if not link:
        st.session_state[BARE] = st.session_state.get(BARE, frozenset()) | {path}
    st.session_state[WRITTEN] = link
    link = link | classroom.membership()
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)


def _show(place: Place) -> frozenset[str]:
    """Show a scene and nothing else, and return the names of its fields."""
    st.session_state.update({selection.DIALOGUE: None, selection.EDITS: None})
    asked = _read(place, kept=(LANGUAGE, PROJECTOR))
    classroom.arrived()
    return asked


def _complete(path: str, again: bool) -> None:
    """Give every field of the page a value.

    A value that another page's widget held is set again, or it is lost; so is one whose options were named in another
    language: the browser knows a chosen option by its name alone.
    """
    state = st.session_state
    values = decoding.defaults(decoding.checkpoint()) | selection.BOXES | {session.UPLOADS: 0}
    kept = (selection.EXAMPLE, selection.INPUT, *course.FIELDS, PROJECTOR, LANGUAGE, *own_fields(path))
    values |= {field.name: field.default for field in kept}
    state[session.CHOICES] = state.get(session.CHOICES, frozenset()) | values.keys()
    for name, value in values.items():
        state.setdefault(name, value)
    if again:
        for name in values:
            state[name] = state[name]


def _asks(path: str) -> bool:
    """Return whether the address asks something of its page, and nothing of another one.

    A page that was left may stand in the history with the link of the next page (`Left.of_next`). When the browser
    comes to such an entry, the session's own address replaces it; when it comes to the page as it was left, there is
    none. So in both cases the leaving is forgotten: nothing of it can be met again.
    """
    link, left = _browser_link(), st.session_state.get(LEFT, ())
    met = next((each for each in reversed(left) if each.page == path and link in (each.link, each.of_next)), None)
    st.session_state[LEFT] = tuple(each for each in left if each is not met)
    if met and link != met.link:
        return False
    return bool(link) and link.keys() <= names(path)


def _browser_link() -> dict[str, str]:
    """Return the link in the browser's address, without what it says of a class."""
    link = st.query_params.to_dict()
    return {name: value for name, value in link.items() if name not in (classroom.FOLLOW, classroom.NOW)}


def _forget_other_dialogue(path: str, asked: Collection[str]) -> None:
    """Choose nothing in a dialogue that is new; before the address names it, or Back would find old choices in it."""
    text = selection.current().text
    if places.is_other_dialogue(path, text):
        for field in own_fields(path):
            if field.of_dialogue and field.name not in asked:
                field.value = field.default
    st.session_state[ABOUT] = {**st.session_state.get(ABOUT, {}), path: text}


def is_history_step() -> bool:
    """Return whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return bool(getattr(context, "is_history_navigation", False))


def _read(place: Place, kept: Collection[Field[Any]] = (LANGUAGE,)) -> frozenset[str]:
    """Take over what a link says, and return its names; what was chosen before is forgotten but for `kept`."""
    state = st.session_state
    for key in (ABOUT, *(key for key in state if str(key).startswith(fields.SUBJECT))):
        state.pop(key, None)
    asked = places.take(place, kept=kept)
    state[JUMPS] = state.get(JUMPS, 0) + 1  # components that keep their own position follow
    return asked
