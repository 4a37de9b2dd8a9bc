"""The dialogue as a conversation whose turns can be edited, and what the model did not read of it."""

import streamlit as st

from core.figures.wording import count, turn_ranges
from core.text.dialogue import parse_dialogue, replace_turn
from core.trace import Summary
from pages.parts.summarize.conversation import conversation, conversation_data
from pages.shared.frame import notices, selection
from pages.shared.frame.selection import Selection

CONVERSATION = "conversation"


def draw(chosen: Selection, summary: Summary | None) -> None:
    """Draw the dialogue; `summary` is None while the model loads."""
    dialogue = parse_dialogue(chosen.text)
    st.header("Dialogue", anchor=False)
    if summary is not None:
        _truncation(len(dialogue.turns), summary)
    unread = (summary.omitted, summary.shortened) if summary else ((), ())
    data = conversation_data(dialogue, parse_dialogue(chosen.original), *unread)
    conversation(key=CONVERSATION, data=data, on_edited_change=_save_turn)
    speakers = len(dialogue.speakers)
    named = count(speakers, "speaker") if speakers else "no named speakers"
    st.caption(f"{count(len(dialogue.turns), 'turn')}, {named}")
    if chosen.edited:
        with st.container(horizontal=True):
            st.button("Undo last edit", icon=":material/undo:", on_click=selection.undo)
            st.button("Restore the original", icon=":material/history:", on_click=selection.restore)
    if not chosen.linked:
        st.caption("This dialogue is too long for a link: it is lost if you reload the page.")


def _save_turn() -> None:
    change = st.session_state[CONVERSATION].edited
    dialogue = parse_dialogue(selection.current().text)
    notices.attempt(lambda: selection.edit(replace_turn(dialogue, int(change["index"]), str(change["text"])).text))


def _truncation(turns: int, summary: Summary) -> None:
    parts = []
    if summary.omitted:
        parts.append(f"left out {len(summary.omitted)} of {turns} turns ({turn_ranges(summary.omitted)})")
    if summary.shortened:
        parts.append(f"read only a part of turn {turn_ranges(summary.shortened)}")
    if parts:
        st.warning(
            f"Too long for this model: it {' and '.join(parts)}. "
            "“If the dialogue is too long” in the sidebar decides what is left out.",
            icon=":material/content_cut:",
        )
