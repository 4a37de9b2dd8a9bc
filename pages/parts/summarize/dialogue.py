"""The dialogue as a conversation whose turns can be edited, with what the model did not read marked."""

import streamlit as st

from core.figures.shared.transcript_words import sentence
from core.figures.shared.wording import count
from core.text.corpora.encodings import CHOICES, shown
from core.text.dialogue import parse_dialogue, replace_turn
from core.text.formats import registry
from core.text.formats.content import Content
from core.text.formats.transcript import Transcript
from core.trace import Summary
from core.words import say
from pages.parts.summarize.conversation import conversation, conversation_data
from pages.shared.session import notices, option_labels, selection
from pages.shared.session.selection import Selection

CONVERSATION, READING, ENCODING = "conversation", "reading", "encoding"


def draw(chosen: Selection, summary: Summary | None) -> None:
    """Draw the dialogue; `summary` is None while the model loads."""
    dialogue = parse_dialogue(chosen.text)
    st.header(say("Dialogue"), anchor=False)
    unread = (summary.omitted, summary.shortened) if summary else ((), ())
    data = conversation_data(dialogue, parse_dialogue(chosen.original), *unread)
    conversation(key=CONVERSATION, data=data, on_edited_change=_save_turn)
    if _read_own() is None or chosen.edited:
        speakers = len(dialogue.speakers)
        named = count(speakers, "speaker") if speakers else say("no named speakers")
        st.caption(f"{count(len(dialogue.turns), 'turn')}, {named}")
    if chosen.edited:
        with st.container(horizontal=True):
            st.button(say("Undo last edit"), icon=":material/undo:", on_click=selection.undo)
            st.button(say("Restore the original"), icon=":material/history:", on_click=selection.restore)
    if not chosen.linked:
        st.caption(say("This dialogue is too long for a link: it is lost if you reload the page."))


def _read_own() -> tuple[Transcript, Content] | None:
    """Return how a text of one's own was read, and its source; None for a plain dialogue of which all was taken."""
    own: selection.Own | None = st.session_state.get(selection.DIALOGUE)
    if selection.origin() != selection.OWN or not own or not own.reading or not own.source:
        return None
    plain = own.readings[0] == own.reading.format == registry.DIALOGUE.name and own.reading.whole
    return None if plain and not own.source.data else (own.reading, own.source)


def reading() -> None:
    """Say what a text of one's own was recognised as, and offer other readings of it."""
    if (own := _read_own()) is None:
        return
    read, source = own
    names = dict.fromkeys((*st.session_state[selection.DIALOGUE].readings, read.format))
    titles = {name: say(registry.BY_NAME[name].title) for name in names}
    st.caption(notices.literal(sentence(read)))
    option_labels.follow(READING, titles)
    st.session_state[READING] = read.format
    row = st.container(horizontal=True)
    row.selectbox(
        say("Read it as"), list(titles), format_func=titles.__getitem__, key=READING, on_change=_read_again, width=360
    )
    if source.data:
        st.session_state[ENCODING] = source.encoding.name
        choices = dict.fromkeys((source.encoding.name, *CHOICES))
        row.selectbox(say("Encoding"), choices, format_func=shown, key=ENCODING, on_change=_decode_again, width=200)


def _read_again() -> None:
    notices.attempt(lambda: selection.read_again(st.session_state[READING]))


def _decode_again() -> None:
    notices.attempt(lambda: selection.read_again(encoding=st.session_state[ENCODING]))


def _save_turn() -> None:
    change = st.session_state[CONVERSATION].edited
    dialogue = parse_dialogue(selection.current().text)
    notices.attempt(lambda: selection.edit(replace_turn(dialogue, int(change["index"]), str(change["text"])).text))
