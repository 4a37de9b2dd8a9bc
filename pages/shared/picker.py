"""Choosing the dialogue that all pages look at: an example, a pasted text, or a file."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import DialoscopeError
from core.text.examples import example_by_id, load_examples
from core.text.upload import load_dialogue_file
from pages.shared import errors, state
from pages.shared.state import Key

INPUTS = {
    "example": ":material/forum: Example",
    "paste": ":material/content_paste: Paste",
    "upload": ":material/upload_file: Upload",
}
PLACEHOLDER = "Anna: Are you coming tonight?\nBen: I have to work late, sorry.\n…"
FILE_TYPES = ["txt", "text", "md", "log", "json"]


def draw() -> None:
    """Pick, paste or upload."""
    row = st.container(horizontal=True, vertical_alignment="center")
    way = row.segmented_control(
        "Dialogue from",
        list(INPUTS),
        format_func=INPUTS.get,
        required=True,
        key=Key.INPUT,
        persist_state="session",
        label_visibility="collapsed",
        on_change=state.complain,
        args=(None,),
    )
    if way == "example":
        _pick(row)
    else:
        {"paste": _paste, "upload": _upload}[way]()
    errors.show_complaint()


def bar() -> None:
    """What is being looked at, in one line, and a way to change it; for pages about the current dialogue."""
    chosen = state.selection()
    with st.container(horizontal=True, vertical_alignment="center", key="dialogue_bar"):
        with st.popover(f"Dialogue: {title(chosen)}", icon=":material/forum:", width="content"):
            draw()
        with st.popover("Read it", icon=":material/article:", width="content"):
            st.text(chosen.text or "No dialogue is chosen yet.")


def title(chosen: state.Selection) -> str:
    """What a dialogue is called on a button."""
    if chosen.example:
        return chosen.example.title + (" (edited)" if chosen.edited else "")
    return errors.literal(" ".join(chosen.text.split())[:28]) + "…" if chosen.text.strip() else "none yet"


def attempt(action: Callable[[], None]) -> None:
    """Run a callback; what it refuses is said on the page."""
    try:
        action()
        state.complain(None)
    except DialoscopeError as error:
        state.complain(error)


def _pick(row: DeltaGenerator) -> None:
    titles = {example.id: example.title for example in load_examples()}
    chosen = row.selectbox(
        "Example",
        list(titles),
        format_func=titles.get,
        key=Key.EXAMPLE,
        persist_state="session",
        on_change=state.restore,
        label_visibility="collapsed",
    )
    st.caption(example_by_id(chosen).notes)


def _paste() -> None:
    with st.form("paste", border=False):
        left, right = st.columns([5, 3])
        left.text_area(
            "Your dialogue, one turn a line",
            key=Key.PASTE_BOX,
            placeholder=PLACEHOLDER,
            height=150,
            persist_state="session",
        )
        right.text_area(
            "A reference summary, if you have one",
            key=Key.REFERENCE_BOX,
            placeholder="Scored against the model's summary.",
            height=150,
            persist_state="session",
        )
        st.form_submit_button("Summarize", type="primary", icon=":material/play_arrow:", on_click=_submit)


def _submit() -> None:
    reference = st.session_state[Key.REFERENCE_BOX].strip()
    attempt(lambda: state.use_own(st.session_state[Key.PASTE_BOX], (reference,) if reference else ()))


def _upload() -> None:
    key = f"upload_{st.session_state[Key.UPLOADS]}"
    st.file_uploader(
        "A text file, a chat export, or one dialogue as JSON",
        FILE_TYPES,
        key=key,
        on_change=_take_upload,
        args=(key,),
        max_upload_size=2,
    )


def _take_upload(key: str) -> None:
    file = st.session_state.get(key)
    if file is not None:
        attempt(lambda: state.use_own(load_dialogue_file(file.name, file.getvalue())))
