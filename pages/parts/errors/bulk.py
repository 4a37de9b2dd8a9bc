"""Label many summaries at once, those that are ticked or all that are shown; take it back; ask the model about them."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import tag_name
from core.figures.shared.wording import count
from core.words import say
from pages.parts.errors import asking, labels
from pages.parts.errors.summaries import Run
from pages.shared.session import notices, option_labels

TAG, DONE = "err_bulk_tag", "err_bulk_done"
"""Session keys: the tag that is set for many, and what was done last, in words."""


def draw(run: Run, places: Sequence[int], ticked: Sequence[int]) -> None:
    """Draw what labels the ticked rows, or all shown ones where none is ticked."""
    chosen = ticked or places
    rows = [run.rows[place] for place in chosen]
    whom = count(len(rows), "summary")
    tags = {tag: tag_name(tag) for tag in labels.all_tags()}
    option_labels.follow(TAG, tags)
    tag = st.selectbox(
        say("Tag for the {summaries} ticked", summaries=whom)
        if ticked
        else say("Tag for the {summaries} shown", summaries=whom),
        list(tags),
        format_func=tag_name,
        key=TAG,
        persist_state="session",
        accept_new_options=True,
        width=260,
    )
    tag = option_labels.meant(TAG, tag) or ""
    on, off = (partial(labels.tag_all, rows, tag, way, run.writer) for way in (True, False))
    correct = partial(labels.find_correct, rows, True, run.writer)
    _button("Set", say("Set"), ":material/new_label:", rows, on)
    _button("Take away", say("Take away"), ":material/label_off:", rows, off)
    _button("No error", say("No error"), ":material/check:", rows, correct)
    st.button(
        say("Undo"), icon=":material/undo:", key="bulk_Undo", on_click=_undo, disabled=not labels.changes(),
        help=_takes_back(),
    )  # fmt: skip
    asking.draw_many(run, chosen)


def _takes_back() -> str:
    """Say what Undo would take back."""
    if changes := labels.changes():
        return say("Takes back: {change}", change=notices.literal(changes[-1].what))
    return say("There is nothing to take back.")


def _button(name: str, label: str, icon: str, rows: Sequence[ScoredSummary], act: Callable[[], str]) -> None:
    def pressed() -> None:
        notices.attempt(lambda: st.session_state.update({DONE: act()}))

    st.button(label, icon=icon, key=f"bulk_{name}", on_click=pressed, disabled=not rows)


def _undo() -> None:
    st.session_state[DONE] = say("Taken back: {change}.", change=labels.undo())
