"""The stops with what is done, the talks, and what a teacher has to know."""

import streamlit as st

from core.figures.shared.wording import count
from core.lessons import course
from core.lessons.course import OWN, PATH, Course
from core.lessons.stop import Talk
from core.words import later, say
from pages.shared.controls import classes, lesson
from pages.shared.place import open_stop
from pages.shared.session.notices import literal

TEACH = later(
    "A lesson is a text file: what to read, a link that sets a page up, what to do there, what to predict. "
    "Put your own into a folder, and start the app with the environment variable `{setting}` set to it. "
    "A file with the name of one of ours takes its place. `docs/teaching.md` has the form of a file, a plan for 45 "
    "minutes, and exercises with solutions. `python -m core lessons FOLDER` checks the files."
)
TOGETHER = later(
    "Who presents shows a code and a link, and all who open it see the same page, view and step on their own screens. "
    "Whoever changes something explores alone from then on, and comes back with one click."
)


def draw() -> None:
    """Draw stops, talks and the part for teachers."""
    if open_stop.current() is None:
        lesson.keys()  # else the panel listens
    lessons = open_stop.every()
    if PATH in lessons.talks:
        _stops(lessons, lessons.talks[PATH])
    if OWN in lessons.talks:
        st.header(say("Your own lessons"), anchor=False)
        _stops(lessons, lessons.talks[OWN])
    st.header(say("Talks"), anchor=False)
    st.markdown(say("A talk leads through some of the stops. Page Down, a presenter's remote or **Next** goes on."))
    with st.grid(3, min_column_width=240, gap="small"):
        for talk in lessons.talks.values():
            if talk.id not in (PATH, OWN):
                _talk(lessons, talk)
    st.header(say("A class that follows"), anchor=False)
    st.markdown(say(TOGETHER))
    with st.grid(3, min_column_width=240, gap="small", vertical_alignment="bottom"):
        classes.offer("page")
    st.header(say("For teachers"), anchor=False)
    st.markdown(say(TEACH, setting=course.SETTING))
    _own(lessons)


def _stops(lessons: Course, talk: Talk) -> None:
    """Draw a button for each stop, which opens it, and how many are done."""
    done = open_stop.done()
    with st.grid(3, min_column_width=220, gap="small"):
        for number, leg in enumerate(talk.legs, 1):
            stop = lessons.stops[leg.stop]
            title, icon = literal(stop.title), ":material/radio_button_unchecked:"
            label = f"{number} · {title}"
            if stop.id in done:
                icon, label = ":material/check_circle:", say("{number} · {title} (done)", number=number, title=title)
            if st.button(label, key=f"open_{stop.id}", icon=icon, width="stretch"):
                open_stop.open_stop(stop, talk.id)
    ticked = sum(leg.stop in done for leg in talk.legs)
    with st.container(horizontal=True, vertical_alignment="center"):
        stops = count(len(talk.legs), "stop")
        st.caption(
            say("{count} of {stops} done. Your browser remembers it; the server does not.", count=ticked, stops=stops)
        )
        if ticked:
            label, icon = say("Forget what is done"), ":material/delete:"
            st.button(label, icon=icon, key=f"forget_{talk.id}", type="tertiary", on_click=open_stop.forget)


def _talk(lessons: Course, talk: Talk) -> None:
    with st.container(border=True, height="stretch", key=f"talk_{talk.id}"):
        st.markdown(f"**{literal(talk.title)}**")
        if talk.text:
            st.markdown(talk.text)
        titles = [literal(lessons.stops[leg.stop].title) for leg in talk.legs]
        times = [f" ({say('{minutes:.0f} min', minutes=leg.minutes)})" if leg.minutes else "" for leg in talk.legs]
        st.caption(" · ".join(map("".join, zip(titles, times, strict=True))))
        st.space("stretch")
        start = say("Start: {title}", title=literal(talk.title))
        if st.button(start, key=f"start_{talk.id}", icon=":material/play_arrow:"):
            open_stop.open_stop(lessons.stops[talk.legs[0].stop], talk.id)


def _own(lessons: Course) -> None:
    """Say which folder is read, and what is wrong with files."""
    folder = course.own_folder()
    if folder:
        st.caption(say("Read from {folder}.", folder=literal(str(folder))))
    else:
        st.caption(say("{setting} is not set: these are our lessons alone.", setting=course.SETTING))
    for fault in lessons.faults:
        st.warning(literal(fault.reason), icon=":material/block:")
