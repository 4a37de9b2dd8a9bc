"""The panel of the open stop, at the lower edge of every page: text, question, task, and the way to the next stop."""

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import LessonError
from core.figures.shared.wording import count
from core.lessons import questions
from core.lessons.asking import Answer, Case, Question
from core.lessons.stop import Stop, Talk
from core.trace import Summary
from core.words import later, say
from pages.shared.components.lesson_keys import lesson_keys
from pages.shared.model import loading, model_parts, queue_notice
from pages.shared.model.cache import cached
from pages.shared.place import address, declarations, open_stop, places
from pages.shared.session import notices, option_labels, selection
from pages.shared.session.notices import literal
from pages.shared.teaching import projector
from pages.shared.teaching.course import TALK

if TYPE_CHECKING:
    from core.service import Summarizer

FOLDED, GUESSES, STEPS = "lesson_folded", "lesson_guesses", "lesson_steps"
"""Session keys: whether the panel is folded; by stop the run of the last guess and the guess; how many stops the keys
ask to go on."""
KEPT = 64
"""Guesses that a session keeps."""
LACKING = {
    "heads": later("attention heads"),
    "positions": later("positions"),
    "blocks": later("stacks of attention and its masks"),
}
"""What a model lacks, by the part that a stop needs; to be said."""
Pairs = tuple[tuple[str, str], ...]
Numbers = tuple[tuple[str, int], ...]


def draw() -> None:
    """Draw the panel, if a stop is open; in the frame of the app, before the page."""
    open_stop.follow_history()
    st.fragment(_panel)()


def keys() -> None:
    """Listen to the keys of the open stop, and exchange with the browser which stops are done."""
    stop = open_stop.current()
    view = declarations.page_at(st.session_state[places.PAGE]).view.name
    opened, done, cleared = open_stop.opened(), open_stop.done(), open_stop.cleared()

    def pressed(steps: int) -> None:
        st.session_state[STEPS] = steps

    lesson_keys(stop.id if stop else "", view, opened, done, cleared, pressed, open_stop.remember)


def _panel() -> None:
    stop = open_stop.current()
    if stop is None:
        return
    talk = open_stop.every().talk(TALK.value, stop.id)
    if steps := st.session_state.pop(STEPS, 0):
        open_stop.go(stop, talk, steps)
    with st.bottom, st.container(key="lesson", gap="xsmall"), notices.boundary("lesson"):
        keys()
        _head(stop, talk)
        if not st.session_state.get(FOLDED):
            _body(stop, talk)


def _head(stop: Stop, talk: Talk) -> None:
    """Draw the title, where in the talk it is, and the buttons."""
    place = talk.place(stop.id) or 0
    leg = talk.legs[place]
    where = say("stop {place} of {stops}", place=place + 1, stops=len(talk.legs))
    if leg.minutes:
        where = f"{where}, {count(leg.minutes, 'minute')}"
    folded = bool(st.session_state.get(FOLDED))
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="xsmall"):
        tick = ":material/check_circle:" if stop.id in open_stop.done() else ":material/school:"
        st.markdown(f"{tick} **{literal(stop.title)}** · {where}", width="content")
        with st.container(horizontal=True, gap="xsmall", width="content"):
            icon, tip = ":material/arrow_back:", say("Page Up")
            back = st.button(say("Back"), icon=icon, key="lesson_back", disabled=not place, help=tip)
            label = say("Finish") if leg is talk.legs[-1] else say("Next")
            tip = say("Page Down, on the keyboard or on a presenter's remote. Space plays what the page can play.")
            ahead = st.button(label, icon=":material/arrow_forward:", key="lesson_next", type="primary", help=tip)
            label, fold = say("Unfold") if folded else say("Fold"), st.session_state.update
            icon = ":material/expand_less:" if folded else ":material/expand_more:"
            st.button(label, icon=icon, key="lesson_fold", type="tertiary", on_click=fold, args=({FOLDED: not folded},))
            st.button(say("Close"), icon=":material/close:", key="lesson_close", type="tertiary", on_click=_close)
    if back or ahead:
        open_stop.go(stop, talk, 1 if ahead else -1)


def _body(stop: Stop, talk: Talk) -> None:
    """Draw what there is to read, to predict and to do, or what the model lacks for it."""
    read, predict, do = st.columns([7, 9, 6], gap="medium")
    read.markdown(stop.text)
    with predict:
        if stop.needs and not model_parts.has_or_note(stop.needs, say(LACKING[stop.needs])):  # type: ignore[arg-type]
            return
        _question(stop)
    with do:
        done = stop.id in open_stop.done()
        tick = say(":material/check_circle: **Done.**") if done else say(":material/touch_app: **Do.**")
        folded = say("(f shows the controls.)") if projector.on() else ""
        st.markdown(f"{tick} {stop.task} {folded}")
        here = st.session_state[places.PAGE] == stop.place.page
        label = say("Set the page up again") if here else say("Go to its page")
        icon = ":material/restart_alt:" if here else ":material/open_in_new:"
        if st.button(label, icon=icon, key="lesson_set", type="tertiary" if here else "primary"):
            open_stop.open_stop(stop, talk.id)


def _question(stop: Stop) -> None:
    """Draw the question with what can be answered, or the answer after a guess."""
    ask = stop.ask
    if ask is None:
        return
    job = loading.current_job()
    if job.summarizer is None:
        if job.error is None:  # else the page says why
            _wait()
        return
    queue_notice.begin()
    summary = loading.current_summary()
    if summary is None:
        st.caption(say("Choose a dialogue first: the question is about its summary."))
        return
    references = selection.current().references
    try:
        question = questions.ask(ask.name, Case(job.summarizer, summary, references, stop.place.link, ask.numbers))
    except LessonError as error:
        st.caption(literal(say("No question here: {why}.", why=error)))
        return
    run = hash((summary.checkpoint, summary.dialogue.text, summary.text))
    of_run, guess = st.session_state.get(GUESSES, {}).get(stop.id, (run, None))
    text = f"{say(':material/help: **Predict.**')} {literal(question.text)}"
    if guess is None or of_run != run:
        _choices(text, stop, question, run)
        return
    st.markdown(text)
    link, numbers = tuple(sorted(stop.place.link.items())), tuple(sorted(ask.numbers.items()))
    _answer(question, guess, _solved(job.summarizer, summary, ask.name, references, link, numbers))


@st.fragment(run_every=1.0)
def _wait() -> None:
    """Say that the question needs the model; draw everything again when that is there."""
    if loading.current_job().done.is_set():
        st.rerun()
    st.caption(say("The question comes as soon as the model is ready."))


def _choices(text: str, stop: Stop, question: Question, run: int) -> None:
    """Draw what can be answered: some options, or a box for a number."""
    key = f"lesson_guess_{stop.id}"

    def chosen() -> None:
        guess = st.session_state[key]
        if guess is not None:
            kept = {**st.session_state.get(GUESSES, {}), stop.id: (run, int(guess))}
            st.session_state[GUESSES] = dict([*kept.items()][-KEPT:])

    if question.options:
        places, names = range(len(question.options)), [literal(option) for option in question.options]
        option_labels.follow(key, dict(enumerate(names)))
        st.pills(text, places, format_func=names.__getitem__, key=key, on_change=chosen, wrap=True)
    else:
        hint = say("Type a number, then Enter")
        st.number_input(text, 0, question.most, None, key=key, on_change=chosen, placeholder=hint)


def _answer(question: Question, guess: int, answer: Answer) -> None:
    """Draw whether a guess is right, and why."""

    def said(value: int) -> str:
        return literal(question.options[value]) if question.options else f"{value:,}"

    if answer.accepts(guess):
        right = said(answer.right)
        verdict = (
            say(":material/check: **Right: {answer}.**", answer=right)
            if guess == answer.right
            else say(":material/check: **Close: {answer}.**", answer=right)
        )
    else:
        verdict = say(
            ":material/close: You said: {guess}. **It is: {answer}.**", guess=said(guess), answer=said(answer.right)
        )
    st.markdown(f"{verdict} {literal(answer.because)}")


@cached(64, later("Computing the answer"), worded=True)
def _solved(
    summarizer: "Summarizer", summary: Summary, name: str, references: tuple[str, ...], link: Pairs, numbers: Numbers
) -> Answer:
    return questions.ask(name, Case(summarizer, summary, references, dict(link), dict(numbers))).solve()


def _close() -> None:
    open_stop.close()
    address.write()
