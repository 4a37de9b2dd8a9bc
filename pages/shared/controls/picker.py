"""Choose the dialogue that all pages look at: an example, a pasted text, or a file."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import checkpoints
from core.errors import DialogueError
from core.limits import check
from core.text import judged
from core.text.examples import example_by_id, load_examples
from core.text.formats.content import Content
from core.text.judged import Judged, Verdict
from core.text.upload import content_of
from core.words import later, say
from pages.shared.controls.choices import one_of, select
from pages.shared.guard import demo
from pages.shared.model import models
from pages.shared.session import decoding, notices, selection
from pages.shared.session.selection import PASTE_BOX, REFERENCE_BOX
from pages.shared.session.session import UPLOADS

PLACEHOLDER = "Anna: Are you coming tonight?\nBen: I have to work late, sorry.\n…"
"""English in every language: the model reads no other."""
ICONS: dict[Verdict, str] = {"right": "✓", "partly right": "◐", "wrong": "✗"}
VERDICTS: dict[Verdict, str] = {
    "right": later("Correct"),
    "partly right": later("Partly right"),
    "wrong": later("Wrong"),
}
"""To be said."""


def draw(folded: bool = False) -> None:
    """Draw the three ways to choose a dialogue; if `folded`, the box of a pasted text that was taken is closed."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        way = one_of(say("Dialogue from"), selection.INPUT, hidden=True, on_change=_another_way)
    if way == "example":
        _pick(row)
    elif way == "upload":
        _upload()
    elif folded and (own := st.session_state.get(selection.DIALOGUE)) and not own.file and not notices.complaint():
        with st.expander(say("Change the text, or paste another one"), icon=":material/edit:"):
            _paste()
    else:
        _paste()
    notices.show_complaint()
    if selection.is_aside():
        st.button(say("Back to the dialogue before"), key="dialogue_back", icon=":material/undo:", on_click=_go_back)


def _another_way() -> None:
    """Forget a refused input, and show the dialogue again that was there before if none took its place."""
    notices.complain(None)
    if not st.session_state.get(selection.DIALOGUE):
        selection.bring_back()


def _go_back() -> None:
    """Forget a refused input and its file, and show the dialogue again that was there before."""
    notices.complain(None)
    selection.bring_back()
    st.session_state[UPLOADS] += 1


def bar() -> None:
    """Draw the name of the current dialogue with a way to change it, in one line."""
    chosen = selection.current()
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="dialogue_bar"):
        with st.popover(say("Dialogue: {title}", title=title(chosen)), icon=":material/forum:", width="content"):
            draw()
        with st.popover(say("Read it"), icon=":material/article:", width="content"):
            st.text(chosen.text or say("No dialogue is chosen yet."))
        if given := selection.given():
            with st.popover(say("Given summary"), icon=":material/history_edu:", width="content"):
                st.text(given)
                own_again()


def own_again() -> None:
    """Draw the button that drops the given summary: the pages explain what the model writes again."""
    st.button(say("Explain the model's own summary"), icon=":material/undo:", on_click=selection.GIVEN.clear)


def title(chosen: selection.Selection) -> str:
    """Return the name of a dialogue for a button."""
    if chosen.title:
        return chosen.title
    return notices.literal(" ".join(chosen.text.split())[:28]) + "…" if chosen.text.strip() else say("none yet")


def _pick(row: DeltaGenerator) -> None:
    verdicts, now = _judged(), selection.current()
    examples = sorted(load_examples(), key=lambda each: each.id != selection.EXAMPLE.default)
    titles = {each.id: _option(say(each.title), verdicts.get(each.id)) for each in examples}
    if now.example and now.edited:
        titles[now.example.id] = now.title  # no verdict: another text was judged
    with row:
        chosen = select(say("Example"), titles, selection.EXAMPLE, hidden=True, on_change=selection.restore)
    if example := example_by_id(chosen):
        st.caption(say(example.notes))


def verdict(text: str) -> str:
    """Say what a language model thinks of the summary `text` of the chosen example; "" if it read another one."""
    chosen = selection.current()
    read = _judged().get(selection.EXAMPLE.value) if chosen.example and not chosen.edited else None
    if read is None or read.summary != text:
        return ""
    return say(
        "{verdict}, says a language model that read this summary: {why}",
        verdict=f"{ICONS[read.verdict]} {say(VERDICTS[read.verdict])}",
        why=say(read.why),
    )


def _judged() -> dict[str, Judged]:
    """Return a language model's verdicts on what the checkpoint writes by its own settings, by the example's id."""
    name = decoding.checkpoint()
    if decoding.settings() != decoding.of_card(name):
        return {}
    return judged.read(checkpoints.read_judged(name), models.file_hash(name))


def _option(title: str, read: Judged | None) -> str:
    return f"{ICONS[read.verdict]} {title}" if read else title


def _paste() -> None:
    with st.form("paste", border=False):
        left, right = st.columns([5, 3])
        left.text_area(
            say("Your dialogue, one turn a line"),
            key=PASTE_BOX,
            placeholder=PLACEHOLDER,
            height=150,
            persist_state="session",
        )
        right.text_area(
            say("A reference summary, if you have one"),
            key=REFERENCE_BOX,
            placeholder=say("Scored against the model's summary."),
            height=150,
            persist_state="session",
        )
        icon = ":material/play_arrow:"
        st.form_submit_button(say("Summarize"), type="primary", icon=icon, on_click=_submit)


def _submit() -> None:
    reference = st.session_state[REFERENCE_BOX].strip()

    def use() -> None:
        check("summary_characters", len(reference), say("The reference summary"))
        text = st.session_state[PASTE_BOX]
        check("dialogue_characters", len(text), say("The text"), DialogueError)
        selection.read_own(Content("", text), (reference,) if reference else ())

    notices.attempt(use)


def _upload() -> None:
    key = f"upload_{st.session_state[UPLOADS]}"
    label = say("A chat export, a transcript of a meeting, or a text file")

    def take(name: str, content: bytes) -> None:
        selection.read_own(content_of(name, content))

    demo.uploader(label, None, key=key, take=take, limit="dialogue_file", refused=selection.set_aside)
    if own := st.session_state.get(selection.DIALOGUE):  # the browser refuses a file that is too large by itself
        before = say("Shown below, until a file is taken: your dialogue from before.")
        st.caption(say("Shown below: the dialogue of {file}.", file=notices.literal(own.file)) if own.file else before)
