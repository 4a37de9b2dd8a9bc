"""Judge summaries by keys: what was pressed is done in its order, once, and on the row that was seen."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.errors import DialoscopeError
from core.evaluation.verdicts import ERROR_TAGS, Entry, mark_of
from core.words import say
from pages.parts.errors import filters, labels
from pages.parts.errors.data import ROW
from pages.parts.errors.label_bar import MOST, bar_data, label_bar
from pages.parts.errors.summaries import Run
from pages.shared.session import notices

BAR, HEARD, SAID = "label_bar", "err_keys_heard", "err_keys_said"
"""Session keys: the component; the last action that was done, as its mounting and number; what to say of it."""


def draw(run: Run) -> None:
    """Draw the bar of keys for the opened row."""
    place = run.place(ROW.value)
    shown, changes, state = filters.shown(run), labels.changes(), st.session_state
    data = bar_data(
        "" if place is None else run.rows[place].id,
        Entry() if place is None else labels.entry(run.rows[place]),
        (shown.index(place) + 1 if place in shown else 0, len(shown)),
        (labels.judged(run.rows.values()), len(run.rows)),
        changes[-1].what if changes else "",
        state.get(SAID, ""),
        state.get(HEARD, (0, 0)),
    )
    label_bar(data, BAR, lambda: _take(run))


def _take(run: Run) -> None:
    """Do what was pressed since the last time; a refusal does not stop what comes after it."""
    sent = st.session_state[BAR].get("acts")
    if not sent:
        return
    mount, number = st.session_state.get(HEARD, (0, 0))
    number = number if mount == sent["mount"] else 0
    refusals: list[DialoscopeError] = []
    for act in sent["list"][:MOST]:
        if act["number"] > number:
            number = act["number"]
            try:
                st.session_state[SAID] = _act(run, act)
            except DialoscopeError as error:
                refusals.append(error)
    st.session_state[HEARD] = (sent["mount"], number)
    notices.complain(refusals[0] if refusals else None)


def _act(run: Run, act: Mapping[str, Any]) -> str:
    """Do one action; return what is to be said of it."""
    what = act["what"]
    if what == "undo":
        undone = labels.undo()
        return say("Taken back: {change}.", change=undone) if undone else say("There is nothing to take back.")
    if what in ("next", "back", "open"):
        return _move(run, what)
    place = run.place(act["row"] or ROW.value)
    if place is None:
        return say("Open a summary first.")
    row, entry = run.rows[place], labels.entry(run.rows[place])
    if what == "correct":
        return labels.find_correct([row], not entry.correct, run.writer)
    if what == "tag" and act["tag"] in ERROR_TAGS and act.get("words"):
        marked = mark_of(row, act["tag"], [(each["turn"], each["start"], each["end"]) for each in act["words"]])
        return labels.mark(row, marked, run.writer) if marked else ""
    if what == "tag" and act["tag"] in ERROR_TAGS:
        return labels.tag_all([row], act["tag"], act["tag"] not in entry.tags, run.writer)
    return ""


def _move(run: Run, what: str) -> str:
    opened = run.place(ROW.value)
    place = (
        filters.next_open(run, opened)
        if what == "open"
        else filters.neighbour(run, opened, 1 if what == "next" else -1)
    )
    if place is not None:
        ROW.value = run.data.rows[place].id
        return ""
    ends = {
        "next": say("This is the last one."),
        "back": say("This is the first one."),
        "open": say("No other is left to judge."),
    }
    return ends[what]
