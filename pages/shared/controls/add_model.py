"""Add a model in the sidebar: a dialog that looks at a folder or a name, and an import in the background."""

from typing import TYPE_CHECKING

import streamlit as st

from core import checkpoints
from core.errors import DialoscopeError
from core.figures.wording import literal
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.glossary import definition
from core.text.written import write
from pages.shared.controls.choices import one_of
from pages.shared.frame import adding, decoding, demo, notices

if TYPE_CHECKING:
    from core.importing.source import Source

OPEN, ASKED, FOUND, PROBLEM, JOB = "add_open", "add_asked", "add_found", "add_problem", "add_job"
"""Session keys: whether the dialog is open; whether Look was pressed; the model that was looked at; why an input was
refused; the import."""
SOURCE, STYLE, PREFIX, NAME = "add_source", "add_style", "add_prefix", "add_name"
PRECISION, DECODING = "add_precision", "add_decoding"
"""Session keys of the controls."""
STYLES = {"names": "Name: text", "tags": "#Person1#: text", "text": "text"}
DECODINGS = {"own": "As the model asks", "default": "As in this app"}
PRECISIONS = {"half": "Half", "original": "As it is"}
SHOWN = "surprise-cake"
"""The example of the preview; its speakers have names."""


def settle() -> None:
    """Open the model whose import is over; before the controls of the sidebar are drawn."""
    job: adding.Adding | None = st.session_state.get(JOB)
    if job is None or not job.done.is_set():
        return
    if job.stopped.is_set():
        del st.session_state[JOB]
    elif job.error is None:
        del st.session_state[JOB]
        for key in (FOUND, SOURCE):
            st.session_state.pop(key, None)
        decoding.CHECKPOINT.value = job.name
        decoding.restore()
        st.toast(f"{literal(job.name)} was added.", icon=":material/check:")


def draw() -> None:
    """Draw the button that opens the dialog, or how far an import is."""
    if demo.on():
        st.caption(demo.NOTICE)
        return
    job: adding.Adding | None = st.session_state.get(JOB)
    if job is None:
        icon = ":material/add:"
        st.button("Add a model", key="add_model", icon=icon, on_click=_show, width="stretch")
    elif job.error is None or job.stopped.is_set():
        _progress(job)
    else:
        notices.show_failure(job.error, "The model could not be added")
        st.button("Try again", key="add_again", icon=":material/refresh:", on_click=_show, width="stretch")
    if st.session_state.get(OPEN):
        _dialog()


def _show() -> None:
    st.session_state[OPEN] = True
    st.session_state.pop(JOB, None)


def _hide() -> None:
    st.session_state[OPEN] = False


@st.fragment(run_every=0.5)
def _progress(job: adding.Adding) -> None:
    if job.done.is_set():
        st.rerun()
    from core.importing.download import size

    done, total = job.moved
    text = f"Adding {literal(job.name)}: "
    if job.stopped.is_set():
        text += "stopping …"
    else:
        text += f"{size(done)} of {size(total)}" if done < total else "reading …"
    st.progress(done / max(total, 1), text=text)
    st.button("Cancel", key="add_cancel", icon=":material/close:", on_click=job.stopped.set, width="stretch")


@st.dialog("Add a model", on_dismiss=_hide)
def _dialog() -> None:
    if not st.session_state[OPEN]:
        st.rerun()
    st.markdown(
        "Encoder–decoders of the families BART, mBART, Pegasus, Marian, Blenderbot-small, T5, Flan-T5 and mT5, "
        "with their weights in safetensors."
    )
    with st.form("add_look", border=False):
        st.text_input(
            "A folder on the computer of this app, or a name on the Hugging Face hub",
            key=SOURCE,
            placeholder="facebook/bart-large-cnn",
            persist_state="session",
        )
        st.form_submit_button("Look", icon=":material/search:", on_click=_ask)
    if st.session_state.pop(ASKED, False):
        with st.spinner("Looking …"):
            _look()
    found: Source | None = st.session_state.get(FOUND)
    if found is not None:
        _found(found)
    problem: DialoscopeError | None = st.session_state.get(PROBLEM)
    if problem is not None:
        notices.show(problem)


def _ask() -> None:
    st.session_state[ASKED] = True


def _look() -> None:
    state = st.session_state
    state[FOUND] = state[PROBLEM] = None
    try:
        found = state[FOUND] = adding.look(state.get(SOURCE, ""))
    except DialoscopeError as error:
        state[PROBLEM] = error
    else:
        state.update({STYLE: found.dialogue, PREFIX: found.prefix, NAME: found.short})
        state.update({PRECISION: "half", DECODING: "own"})


def _found(found: "Source") -> None:
    from core.importing.download import Remote, size

    amount = f"{size(found.bytes)} to download" if isinstance(found.origin, Remote) else size(found.bytes)
    licence = f"licence {literal(found.licence)}" if found.licence else "no licence stated"
    st.markdown(f"**{literal(found.name)}**: {literal(found.family)}, {amount}, {licence}")
    style = one_of("A turn is written", STYLES, STYLE, "As in the data that the model was trained on.")
    prefix = st.text_input("Before the dialogue", key=PREFIX, persist_state="session", help="Names the task, for T5.")
    st.caption("What the model reads:")
    st.code(_preview(style, prefix), language=None, wrap_lines=True)
    one_of("Precision of the weights", PRECISIONS, PRECISION, "Half takes half of the room of float32.")
    tip = (
        "Some models ask for what this app cannot do, such as 10 beams; “As in this app” (--decoding default) will do."
    )
    one_of("Decoding", DECODINGS, DECODING, tip)
    st.text_input("Name in this app", key=NAME, persist_state="session", help=definition("checkpoint"))
    icon = ":material/add:"
    st.button("Add", key="add_begin", type="primary", icon=icon, on_click=_begin, args=(found,), width="stretch")


def _begin(found: "Source") -> None:
    state = st.session_state
    choices = {"precision": state[PRECISION], "dialogue": state[STYLE], "prefix": state[PREFIX]}
    choices["decoding"] = state[DECODING]
    try:
        state[JOB] = adding.begin(found, checkpoints.place_of(state[NAME].strip()), choices)
    except DialoscopeError as error:
        state[PROBLEM] = error
    else:
        state[PROBLEM] = None
        _hide()


def _preview(style: str, prefix: str) -> str:
    """Return how the first two turns of an example are written."""
    dialogue = parse_dialogue(next(each.dialogue for each in load_examples() if each.id == SHOWN))
    return write(dialogue, style, prefix, range(2)).text + "\n…"  # type: ignore[arg-type]
