"""Add a model in the sidebar: a dialog that looks at a folder or a name, and an import in the background."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from core import checkpoints
from core.errors import DialoscopeError
from core.figures.shared.wording import literal
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.glossary import definition
from core.text.import_notes import in_app, said
from core.text.written import write
from core.words import later, say
from pages.shared.controls import dialogs
from pages.shared.controls.choices import one_of
from pages.shared.guard import demo
from pages.shared.model import model_imports
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice

if TYPE_CHECKING:
    from core.importing.source import Source
    from pages.shared.model.model_imports import Looked

ADD = "add_model"
"""Key of the button, and name of the dialog that it opens."""
ASKED, FOUND, PROBLEM, JOB = "add_asked", "add_found", "add_problem", "add_job"
"""Session keys: whether Look was pressed; the model that was looked at; why an input was refused; the import."""
SOURCE, PREFIX, NAME, BASE, LANGUAGE = "add_source", "add_prefix", "add_name", "add_base", "add_language"
"""Session keys of the boxes."""
STYLE = Choice("add_style", {"names": later("Name: text"), "tags": later("#Person1#: text"), "text": later("text")})
DECODING = Choice(
    "add_decoding",
    {"own": later("As the model asks"), "task": later("As its config.json says"), "default": later("As in this app")},
)
PRECISION = Choice("add_precision", {"half": later("Half"), "original": later("As it is")})
SHOWN = "surprise-cake"
"""The example of the preview; its speakers have names."""


def settle() -> None:
    """Open the model whose import is over; before the controls of the sidebar are drawn."""
    job: model_imports.Adding | None = st.session_state.get(JOB)
    if job is None or not job.done.is_set():
        return
    if job.stopped.is_set():
        del st.session_state[JOB]
    elif job.error is None:
        del st.session_state[JOB]
        for key in (FOUND, SOURCE, BASE):
            st.session_state.pop(key, None)
        decoding.CHECKPOINT.value = job.name
        decoding.restore()
        st.toast(say("{name} was added.", name=literal(job.name)), icon=":material/check:")


def draw() -> None:
    """Draw the button that opens the dialog, or how far an import is."""
    if demo.on():
        st.caption(say(demo.NOTICE))
        return
    job: model_imports.Adding | None = st.session_state.get(JOB)
    if job is None:
        icon = ":material/add:"
        st.button(say("Add a model"), key=ADD, icon=icon, on_click=_show, width="stretch")
    elif job.error is None or job.stopped.is_set():
        _progress(job)
    else:
        notices.show_failure(job.error, say("The model could not be added"))
        again = say("Try again")
        st.button(again, key="add_again", icon=":material/refresh:", on_click=_show, width="stretch")
    dialogs.draw(ADD, say("Add a model"), _dialog)


def _show() -> None:
    dialogs.show(ADD)
    st.session_state.pop(JOB, None)


@st.fragment(run_every=0.5)
def _progress(job: model_imports.Adding) -> None:
    if job.done.is_set():
        st.rerun()
    from core.importing.download import size

    done, total = job.moved
    name = literal(job.name)
    if job.stopped.is_set():
        text = say("Adding {name}: stopping …", name=name)
    elif done < total:
        text = say("Adding {name}: {done} of {total}", name=name, done=size(done), total=size(total))
    else:
        text = say("Adding {name}: reading …", name=name)
    st.progress(done / max(total, 1), text=text)
    stop = job.stopped.set
    st.button(say("Cancel"), key="add_cancel", icon=":material/close:", on_click=stop, width="stretch")


def _dialog() -> None:
    if not dialogs.is_open(ADD):
        st.rerun()
    st.markdown(
        say(
            "Encoder–decoders of the families BART, mBART, Pegasus, Marian, Blenderbot, T5, ByT5, Flan-T5 and mT5, "
            "with their weights in safetensors; also a step that a Trainer left behind, and a LoRA adapter."
        )
    )
    with st.form("add_look", border=False):
        st.text_input(
            say("A folder on the computer of this app, or a name on the Hugging Face hub"),
            key=SOURCE,
            placeholder="facebook/bart-large-cnn",
            persist_state="session",
        )
        if model_imports.needs_base(st.session_state.get(SOURCE, "")):
            tip = say("A LoRA adapter holds only what a training changed: it is merged into the model that it changed.")
            st.text_input(say("Base of an adapter: its folder"), key=BASE, persist_state="session", help=tip)
        st.form_submit_button(say("Look"), icon=":material/search:", on_click=_ask)
    if st.session_state.pop(ASKED, False):
        with st.spinner(say("Looking …")):
            _look()
    looked: Looked | None = st.session_state.get(FOUND)
    if looked is not None:
        _found(looked)
    problem: DialoscopeError | None = st.session_state.get(PROBLEM)
    if problem is not None:
        notices.show(problem)


def _ask() -> None:
    st.session_state[ASKED] = True


def _look() -> None:
    state = st.session_state
    state[FOUND] = state[PROBLEM] = None
    try:
        looked = state[FOUND] = model_imports.look(state.get(SOURCE, ""), state.get(BASE) or "")
    except DialoscopeError as error:
        state[PROBLEM] = error
    else:
        source = looked.source
        state.update({STYLE.name: source.dialogue, PREFIX: source.prefix, NAME: source.short, LANGUAGE: None})
        PRECISION.clear()
        DECODING.value = looked.decoding


def _found(looked: "Looked") -> None:
    from core.importing.download import Remote, size

    source = looked.source
    amount = size(source.bytes)
    if isinstance(source.origin, Remote):
        amount = say("{size} to download", size=amount)
    licence = say("licence {name}", name=literal(source.licence)) if source.licence else say("no licence stated")
    st.markdown(f"**{literal(source.name)}**: {literal(source.family)}, {amount}, {licence}")
    tip = say("As in the data that the model was trained on.")
    style = one_of(say("A turn is written"), STYLE, tip=tip)
    tip = say("Names the task, for T5.")
    prefix = st.text_input(say("Before the dialogue"), key=PREFIX, persist_state="session", help=tip)
    st.caption(say("What the model reads:"))
    st.code(_preview(style, prefix), language=None, wrap_lines=True)
    if looked.refused:
        st.warning(literal(looked.refused), icon=":material/tune:")
        if DECODING.value == "default":
            st.caption(say("“As in this app” is chosen for it."))
    with in_app():
        for note in said(looked.notes):
            st.caption(literal(note))
    if looked.languages:
        st.selectbox(
            say("Language of the summary"),
            looked.languages,
            index=None,
            key=LANGUAGE,
            placeholder=say("Left to the model"),
            persist_state="session",
        )
    tip = say("Half takes half of the room of float32.")
    one_of(say("Precision of the weights"), PRECISION, tip=tip)
    tip = say("Some models ask for what this app cannot do, such as 10 beams; “As in this app” will do.")
    possible = {key: label for key, label in DECODING.words.items() if key != "task" or looked.tasked}
    one_of(say("Decoding"), possible, DECODING, tip)
    st.text_input(say("Name in this app"), key=NAME, persist_state="session", help=definition("checkpoint"))
    label, icon = say("Add it"), ":material/add:"
    st.button(label, key="add_begin", type="primary", icon=icon, on_click=_begin, args=(source,), width="stretch")


def _begin(source: "Source") -> None:
    state = st.session_state
    choices: dict[str, Any] = {"precision": PRECISION.value, "dialogue": STYLE.value, "prefix": state[PREFIX]}
    choices |= {"decoding": DECODING.value, "language": state.get(LANGUAGE)}
    try:
        state[JOB] = model_imports.begin(source, checkpoints.place_of(state[NAME].strip()), choices)
    except DialoscopeError as error:
        state[PROBLEM] = error
    else:
        state[PROBLEM] = None
        dialogs.show()


def _preview(style: str, prefix: str) -> str:
    """Return how the first two turns of an example are written."""
    dialogue = parse_dialogue(next(example.dialogue for example in load_examples() if example.id == SHOWN))
    return write(dialogue, style, prefix, range(2)).text + "\n…"  # type: ignore[arg-type]
