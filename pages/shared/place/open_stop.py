"""The open stop of a lesson: go to its page, notice when its task is done, remember that."""

from collections.abc import Collection

import streamlit as st

from core.errors import DialogueError
from core.lessons import course
from core.lessons.course import Course
from core.lessons.stop import EDITED, PAGE, State, Stop, Talk
from core.text import links
from core.words import say
from pages.shared.place import address, declarations, places
from pages.shared.session import fields, selection
from pages.shared.teaching.course import CLOSED, LESSON, TALK

HOME = "lessons"
"""Path of the page with all stops and talks."""
BEFORE, OPENED, LAST = "lesson_before", "lesson_opened", "lesson_last"
DONE, CLEARED = "lesson_done", "lesson_cleared"
"""Session keys: the open stop with its page as it was set up; how many stops were opened; by page the last of them
there; ids of the stops that are done; how often they were forgotten."""


def every() -> Course:
    """Return the lessons; a stop that asks its page for what it cannot show is among the faults."""
    return course.load(check=wrong)


def current() -> Stop | None:
    """Return the open stop."""
    return every().stops.get(LESSON.value) if LESSON.value != CLOSED else None


def wrong(stop: Stop) -> str:
    """Return why the app cannot show a stop: its page or a field does not exist; "" if it can."""
    try:
        every_field = {field.name: field for field in (*declarations.SHARED, *declarations.own_fields(stop.place.page))}
        for condition in stop.done:
            if condition.subject == PAGE:
                declarations.page_at(condition.value or "")
    except (ModuleNotFoundError, AttributeError) as error:
        return say("there is no such page: {page}. Open one in the app and copy its address", page=error)
    link = {name: value for name, value in stop.place.link.items() if name != selection.TEXT}
    link |= {each.subject: each.value for each in stop.done if each.value is not None and each.subject != PAGE}
    used = {*link, *(each.subject for each in stop.done)} - {PAGE, EDITED}
    if unknown := sorted(used - every_field.keys()):
        none, allowed = ", ".join(unknown)[:80], ", ".join(every_field)
        return say(
            "the page /{page} has no field {name}; allowed: {allowed}", page=stop.place.page, name=none, allowed=allowed
        )
    notes = fields.read(link, list(every_field.values()))[1]
    try:
        links.unpack(stop.place.link.get(selection.TEXT) or links.pack("Ann: Hello.") or "")
    except DialogueError as error:
        notes = (str(error),)
    return notes[0] if notes else ""


def open_stop(stop: Stop, talk: str) -> None:
    """Go to the page of a stop, and set it up; what was chosen there before is as on a first visit."""
    state = st.session_state
    state.pop(BEFORE, None)
    state[OPENED] = opened() + 1
    state[LAST] = {HOME: CLOSED, **state.get(LAST, {}), stop.place.page: stop.id}
    places.go(stop.place, kept=declarations.SHARED, **{LESSON.name: stop.id, TALK.name: talk})


def follow_history() -> None:
    """Open the stop that was last open on a page to which the browser's Back or Forward led; before the panel."""
    stop, path = current(), st.session_state[places.PAGE]
    if not stop or not address.is_history_step():
        return
    last = st.session_state.get(LAST, {HOME: CLOSED}).get(path)
    if last and stop.place.page != path:
        LESSON.value = last
    st.session_state[OPENED] = opened() + 1


def go(stop: Stop, talk: Talk, steps: int) -> None:
    """Go on, or back, from a stop to another one of the talk; after the last one to the page with all of them."""
    place = (talk.place(stop.id) or 0) + steps
    if place < 0:
        return
    if place < len(talk.legs):
        open_stop(every().stops[talk.legs[place].stop], talk.id)
    places.visit(HOME, **{LESSON.name: CLOSED, TALK.name: TALK.default})


def opened() -> int:
    """Return how many stops this session has opened."""
    return int(st.session_state.get(OPENED, 0))


def close() -> None:
    """Close the lesson; the page stays as it is."""
    LESSON.value, TALK.value = LESSON.default, TALK.default


def observe() -> None:
    """Notice that the task of the open stop is done, and draw everything again then; when the page is drawn."""
    stop = current()
    if stop is None or stop.id in done():
        return
    path = st.session_state[places.PAGE]
    now = State(path, _values(path), selection.current().edited)
    id, before = st.session_state.get(BEFORE, ("", now))
    if id != stop.id:
        before = now
        if path == stop.place.page:
            st.session_state[BEFORE] = (stop.id, now)
    if stop.is_done(before, now):
        remember([stop.id])
        st.rerun()


def done() -> frozenset[str]:
    """Return the ids of the stops that are done."""
    ids: frozenset[str] = st.session_state.get(DONE, frozenset())
    return ids


def remember(ids: Collection[str]) -> None:
    """Count stops as done; ids of other lessons are left out."""
    st.session_state[DONE] = done() | (frozenset(ids) & every().stops.keys())


def forget() -> None:
    """Count no stop as done; for a button."""
    st.session_state[DONE] = frozenset()
    st.session_state[CLEARED] = cleared() + 1


def cleared() -> int:
    """Return how often this session forgot what is done."""
    return int(st.session_state.get(CLEARED, 0))


def _values(path: str) -> dict[str, str]:
    """Return the fields of a page, each as it stands in a link."""
    return {field.name: field.write(field.value) for field in (*declarations.SHARED, *declarations.own_fields(path))}
