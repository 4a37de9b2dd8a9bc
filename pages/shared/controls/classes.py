"""A class that follows: the bar that says so on every page, the way in, and the code with its picture."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.errors import DialoscopeError
from core.figures.shared.wording import count
from core.lessons.following import spaced
from core.limits import limits
from core.words import later, say
from pages.shared.components.class_bar import class_bar, class_data
from pages.shared.controls import dialogs
from pages.shared.guard import demo, server_access
from pages.shared.place import places
from pages.shared.teaching import classroom
from pages.shared.teaching.classroom import Before, Follower, Presenter

CLASS = "class"
"""Name of the dialog about one's own class, and key of the bar."""
DRAWN = "class_drawn"
"""Session key: what the frame of the app last drew of the class."""
ICON = ":material/groups:"
ABOUT = later(
    "Others see the page that you show and all that its address says: settings, views, steps, and **your dialogue**, "
    "also one that you pasted or uploaded. What they do and write stays with them: nobody sees it. "
    "Whoever lets go explores alone and comes back with one click."
)
LOCAL = later(
    "Your own address of the app leads nowhere on other machines. Start it with `make app HOST=0.0.0.0`, open the "
    "address that this prints, and show the code there."
)
"""In English, and translated when shown."""
QUIET = 4
"""Empty cells around the QR code of a link; a camera needs them to find it."""


def draw() -> None:
    """Draw the bar, if this session is in a class, and the open dialog; in the frame of the app, before the page.

    A side of two models is in no class: the page around it is.
    """
    if demo.on() or st.context.is_embedded:
        return
    role, over = classroom.role(), classroom.over()
    st.session_state[DRAWN] = _drawn()
    data = _data(role, over)
    if role or over:
        with st.bottom, st.container(key=CLASS):
            class_bar(data, _act, _resume)
    else:
        with st.container(key="class_idle"):
            class_bar(data, _act, _resume)
    dialogs.draw(CLASS, say("Let others follow"), _dialog, width="large", icon=ICON)


def offer(place: str) -> None:
    """Draw the button that begins a class and the box for a code.

    Args:
        place: where they stand; tells two of them apart.
    """
    if demo.on():
        st.caption(say("A class that follows: a demonstration has none."))
        return
    if st.session_state.get(DRAWN, _drawn()) != _drawn():
        st.rerun()  # the frame, too: here only a part of the page is drawn again
    presents = isinstance(classroom.role(), Presenter)
    label = say("Show the code of your class") if presents else say("Let others follow")
    show = dialogs.show
    st.button(label, key=f"class_open_{place}", icon=ICON, on_click=show, args=(CLASS,), width="stretch")
    if not presents:
        label, key = say("Code of a class to follow"), f"class_code_{place}"
        st.text_input(label, key=key, max_chars=20, on_change=_join, args=(key,))


def link(code: str) -> str:
    """Return the link to a class, as this visitor reached the app."""
    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{server_access.root()}?{urlencode({classroom.FOLLOW: code})}"


def _dialog() -> None:
    role, most = classroom.role(), limits()
    if isinstance(role, Presenter):
        _code(role.ticket.code)
        return
    st.markdown(say(ABOUT))
    st.markdown(
        say(
            "At most {followers} can follow. The code ends when you end it, or {minutes} after your last change.",
            followers=most.followers,
            minutes=count(most.following_minutes, "minute"),
        )
    )
    if st.button(say("Give me a code"), key="class_begin", icon=ICON, type="primary"):
        _attempt(lambda: classroom.present(places.now()))
        if classroom.over():
            dialogs.show()  # the bar says why
        st.rerun()


def _code(code: str) -> None:
    """Draw code, link and picture, to be read from the last row."""
    import segno

    target = link(code)
    picture, words = st.columns([5, 6], gap="large", vertical_alignment="center")
    svg = segno.make(target, error="m").svg_inline(scale=10, border=QUIET, light="#fff", omitsize=True)
    picture.image(svg, width="stretch", alt=say("QR code of the link {link}", link=target))
    with words:
        st.markdown(say("Open the link, or type the code on **Lessons**."))
        st.html(f'<p style="font: 700 clamp(2.5rem, 8vw, 5rem)/1.2 monospace; margin: 0">{spaced(code)}</p>')
        st.code(target, language=None, wrap_lines=True)
        if urlsplit(target).hostname in server_access.LOOPBACK:
            st.warning(say(LOCAL), icon=":material/link_off:")
        st.caption(say("Those who follow see your dialogue."))


def _drawn() -> tuple[bool, str, bool]:
    """Return what the frame has to draw of the class."""
    return classroom.role() is None, classroom.over(), dialogs.is_open(CLASS)


def _data(role: Presenter | Follower | None, over: str) -> dict[str, Any]:
    if isinstance(role, Presenter):
        return class_data("presenter", role.ticket.code, role.ticket.key)
    if isinstance(role, Follower):
        return class_data("follower", role.code, role.who, role.version, role.alone)
    return class_data(over=over)


def _act(act: str) -> None:
    acts: dict[str, Callable[[], None]] = {
        "show": lambda: dialogs.show(CLASS),
        "end": classroom.leave,
        "explore": classroom.explore,
        "back": classroom.back,
        "leave": classroom.leave,
        "close": lambda: classroom.refuse(""),
        "lost": classroom.lost,
    }
    acts.get(act, lambda: None)()


def _resume(kept: list[str]) -> None:
    if len(kept) == 2 and classroom.role() is None:
        classroom.resume(*kept)


def _join(key: str) -> None:
    """Follow the class whose code was typed."""
    code, before = st.session_state[key], Before(places.now(), classroom.kept())
    st.session_state[key] = ""
    if code.strip():
        _attempt(lambda: classroom.join(code, before))


def _attempt(action: Callable[[], None]) -> None:
    """Run an action; if it is refused, the bar says why."""
    try:
        action()
    except DialoscopeError as error:
        classroom.refuse(str(error))
