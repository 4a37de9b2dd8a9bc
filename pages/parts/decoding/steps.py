"""One step at a time: what could stand here, where the model looks, how sure it is, what people would write."""

import streamlit as st

from core.figures.decoding import steps as step_figures
from core.words import say
from pages.parts.decoding import attention, next_token, reference, runs, votes
from pages.parts.decoding.runs import BRANCH, STEP, Run
from pages.parts.decoding.stepper import stepper, stepper_data
from pages.shared.controls import choices
from pages.shared.figures import pictures
from pages.shared.place import address, page_description
from pages.shared.session import notices

FIELDS = (*attention.FIELDS, *next_token.FIELDS, *votes.FIELDS)
STEPPER, LAST_STEP, VERSION = "stepper", "last_step", "stepper_version"


def draw(run: Run) -> None:
    """Draw the walk through the steps, and what the model saw and weighed at the chosen one."""
    summary = run.summary(run.branch.path)
    page_description.describe(detail=say("step {step}", step=run.step + 1))
    runs.tell(run)
    if len(run.branches.items) > 1:
        with choices.row():
            runs.choose(say("Branch"), BRANCH, run.branches.items)
    at = st.session_state[STEPPER].at if STEPPER in st.session_state else None
    data = stepper_data(summary, run.step, _version(run.step), int((at or {}).get("time", 0)))
    stepper(key=STEPPER, data=data, on_at_change=_moved)
    if not next_token.typed_last():
        notices.show_complaint()
    left, right = st.columns([5, 3], gap="medium")
    with left:
        next_token.draw(run, summary)
    with right:
        attention.draw(run, summary)
    for remark in step_figures.remarks(summary):
        st.caption(remark)
    votes.draw(run, summary)
    with st.expander(say("How sure the model is")):
        pictures.show(run.picture(step_figures.surprise, summary, run.step), "surprise", on_select=_clicked)
    reference.draw(run)


def _version(step: int) -> int:
    """Return a number that changes with each move that the stepper did not make: it follows then, and Play stops."""
    state = st.session_state
    if state.get(LAST_STEP, step) != step:
        state.update({VERSION: state.get(VERSION, 0) + 1, address.HELD: False})
    state[LAST_STEP] = step
    return int(state.get(VERSION, 0))


def _moved() -> None:
    """Follow the stepper; while it plays, the address stays, for each writing is a step of the browser's history."""
    at = st.session_state[STEPPER].at or {}
    step = int(at.get("step", 0))
    STEP.value = step + 1
    st.session_state.update({LAST_STEP: step, address.HELD: bool(at.get("playing"))})
    notices.complain(None)


def _clicked() -> None:
    step = pictures.clicked("surprise")
    if step is not None:
        runs.jump(step)
