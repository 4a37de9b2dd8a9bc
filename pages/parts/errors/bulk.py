"""Label many summaries at once, those that are ticked or all that are shown; take it back; ask the model about them."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.figures.wording import count
from pages.parts.errors import asking, labels
from pages.parts.errors.summaries import Run
from pages.shared.frame import notices

TAG, DONE = "err_bulk_tag", "err_bulk_done"
"""Session keys: the tag that is set for many, and what was done last, in words."""


def draw(run: Run, places: Sequence[int], ticked: Sequence[int]) -> None:
    """Draw what labels the ticked rows, or all shown ones where none is ticked."""
    chosen = ticked or places
    rows = [run.rows[place] for place in chosen]
    whom = f"{count(len(rows), 'summary')} {'ticked' if ticked else 'shown'}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="errors_bulk"):
        tag = st.selectbox(
            f"Tag for the {whom}",
            labels.all_tags(),
            key=TAG,
            persist_state="session",
            accept_new_options=True,
            width=260,
        )
        _button("Set", ":material/new_label:", rows, lambda: labels.tag_all(rows, tag or "", True, run.writer))
        _button("Take away", ":material/label_off:", rows, lambda: labels.tag_all(rows, tag or "", False, run.writer))
        _button("No error", ":material/check:", rows, lambda: labels.find_correct(rows, True, run.writer))
        changes = labels.changes()
        st.button(
            "Undo", icon=":material/undo:", key="bulk_Undo", on_click=_undo, disabled=not changes,
            help=f"Takes back: {notices.literal(changes[-1].what)}" if changes else "There is nothing to take back.",
        )  # fmt: skip
        asking.draw_many(run, chosen)
    if done := st.session_state.pop(DONE, ""):
        st.caption(notices.literal(done))


def _button(name: str, icon: str, rows: Sequence[ScoredSummary], act: Callable[[], str]) -> None:
    def pressed() -> None:
        notices.attempt(lambda: st.session_state.update({DONE: act()}))

    st.button(name, icon=icon, key=f"bulk_{name}", on_click=pressed, disabled=not rows)


def _undo() -> None:
    st.session_state[DONE] = f"Taken back: {labels.undo()}."
