"""The dialogue as a conversation whose turns can be edited, with what the model did not read marked."""

import streamlit as st

from core.figures.shared.wording import count
from core.text.dialogue import parse_dialogue, replace_turn
from core.trace import Summary
from core.words import say
from pages.parts.summarize.conversation import conversation, conversation_data
from pages.shared.session import notices, selection
from pages.shared.session.selection import Selection

CONVERSATION = "conversation"


def draw(chosen: Selection, summary: Summary | None) -> None:
    """Draw the dialogue; `summary` is None while the model loads."""
    dialogue = parse_dialogue(chosen.text)
    st.header(say("Dialogue"), anchor=False)
    unread = (summary.omitted, summary.shortened) if summary else ((), ())
    data = conversation_data(dialogue, parse_dialogue(chosen.original), *unread)
    conversation(key=CONVERSATION, data=data, on_edited_change=_save_turn)
    speakers = len(dialogue.speakers)
    named = count(speakers, "speaker") if speakers else say("no named speakers")
    st.caption(f"{count(len(dialogue.turns), 'turn')}, {named}")
    if chosen.edited:
        with st.container(horizontal=True):
            st.button(say("Undo last edit"), icon=":material/undo:", on_click=selection.undo)
            st.button(say("Restore the original"), icon=":material/history:", on_click=selection.restore)
    if not chosen.linked:
        st.caption(say("This dialogue is too long for a link: it is lost if you reload the page."))


def _save_turn() -> None:
    change = st.session_state[CONVERSATION].edited
    dialogue = parse_dialogue(selection.current().text)
    notices.attempt(lambda: selection.edit(replace_turn(dialogue, int(change["index"]), str(change["text"])).text))
