"""The session: the only place that names its keys, and the link that carries it.

What can be shared stands in the address. A fresh session reads it, and so does a step through the browser's
history; otherwise the session wins and the address follows. An address without parameters asks for nothing:
Streamlit itself pushes such entries at each page change, and nothing may be lost by going back to one.
(`bind="query-params"` would reset every widget at such an entry, and put labels instead of ids into links.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, get_args

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import checkpoints
from core.config import DecodeSettings, Strategy, Truncation
from core.errors import CheckpointError, DialogueError
from core.text.examples import Example, example_by_id, load_examples
from core.trace import Summary
from pages.shared import links, model

INPUTS = ("example", "paste", "upload")
OWN = "own"
"""Origin of a pasted or uploaded dialogue; an example's origin is its id."""


class Key(StrEnum):
    """Keys of the session; the first group stands in links under the same names."""

    EXAMPLE = "example"
    INPUT = "input"
    CHECKPOINT = "checkpoint"
    STRATEGY = "strategy"
    BEAM = "beam"
    PENALTY = "penalty"
    TEMPERATURE = "temperature"
    TOP_K = "top_k"
    TOP_P = "top_p"
    SEED = "seed"
    MAX_TOKENS = "max_tokens"
    NO_REPEAT = "no_repeat"
    TRUNCATION = "truncation"

    TEXT = "t"
    PASTE_BOX = "paste_box"
    REFERENCE_BOX = "reference_box"
    UPLOADS = "uploads"
    DIALOGUE = "own_dialogue"
    CONVERSATION = "conversation"
    EDITS = "edits"
    COMPLAINT = "complaint"
    NOTES = "notes"
    STARTED = "started"


NUMBERS: Mapping[Key, links.Number] = {
    Key.BEAM: links.Number("beam_size", 1, 8, 1),
    Key.PENALTY: links.Number("length_penalty", 0.0, 3.0, 0.1),
    Key.TEMPERATURE: links.Number("temperature", 0.1, 2.0, 0.1),
    Key.TOP_K: links.Number("top_k", 0, 100, 1),
    Key.TOP_P: links.Number("top_p", 0.05, 1.0, 0.05),
    Key.SEED: links.Number("seed", 0, 9999, 1),
    Key.MAX_TOKENS: links.Number("max_tokens", 5, 96, 1),
    Key.NO_REPEAT: links.Number("no_repeat_ngram", 0, 6, 1),
}


@dataclass(frozen=True)
class Own:
    """A pasted or uploaded dialogue and, if given, its reference summary."""

    text: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edits:
    """Every version of a dialogue since the first edit in place, the newest last.

    Args:
        origin: the example's id, or `OWN`.
        texts: at least one.
    """

    origin: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """The dialogue that all pages look at.

    Args:
        text: as it is summarised; empty where nothing was pasted yet.
        original: before the edits in place.
        example: the example that it is, or was made from.
        references: reference summaries of the original.
        linked: whether a link can carry it.
    """

    text: str
    original: str
    example: Example | None
    references: tuple[str, ...]
    linked: bool

    @property
    def edited(self) -> bool:
        """Whether a turn was changed."""
        return self.text != self.original


def require_frame() -> None:
    """Run app.py instead, if Streamlit started a page without it; the first line of every page.

    A fresh server takes a folder named `pages` for the old kind of multipage app until `st.navigation` is called for
    the first time: a link to a page would run the page's file alone.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def begin() -> None:
    """Fill the session from the link where it has to be, then let the address follow; once a run, before widgets."""
    fresh = Key.STARTED not in st.session_state
    if fresh:
        st.session_state.update({Key.STARTED: True, Key.NOTES: ()})
    if (fresh or _is_history_step()) and len(st.query_params):
        _read_link()
    boxes = {Key.PASTE_BOX: "", Key.REFERENCE_BOX: "", Key.UPLOADS: 0}
    for key, value in (_defaults(_checkpoint()) | boxes).items():
        st.session_state.setdefault(key, value)
    _write_link()


def reset() -> None:
    """Back to the first example and the checkpoint's own settings; for a button."""
    uploads = st.session_state.get(Key.UPLOADS, 0)
    st.session_state.clear()
    st.session_state.update({Key.STARTED: True, Key.NOTES: (), Key.UPLOADS: uploads + 1})
    st.query_params.clear()


def restore_decoding() -> None:
    """Back to the settings that the checkpoint's card names; for a callback."""
    kept = (Key.EXAMPLE, Key.INPUT, Key.CHECKPOINT)
    st.session_state.update({key: value for key, value in _defaults(_checkpoint()).items() if key not in kept})


def settings() -> DecodeSettings:
    """The decoding settings; those that do not matter for the strategy stay as the card names them."""
    session = st.session_state
    chosen: dict[str, Any] = {"strategy": session[Key.STRATEGY], "truncation": session[Key.TRUNCATION]}
    for key in relevant(session[Key.STRATEGY]):
        kind = int if isinstance(NUMBERS[key].low, int) else float
        chosen[NUMBERS[key].setting] = kind(session[key])
    base = card_settings(session[Key.CHECKPOINT])
    chosen["min_tokens"] = min(base.min_tokens, chosen["max_tokens"] - 1)
    return base.replace(**chosen)


def relevant(strategy: str) -> tuple[Key, ...]:
    """The numeric settings that matter for a strategy."""
    own: dict[str, tuple[Key, ...]] = {
        "beam": (Key.BEAM, Key.PENALTY),
        "sample": (Key.TEMPERATURE, Key.TOP_K, Key.TOP_P, Key.SEED),
    }
    return (*own.get(strategy, ()), Key.MAX_TOKENS, Key.NO_REPEAT)


def card_settings(name: str) -> DecodeSettings:
    """The decoding settings that a checkpoint's card names."""
    return checkpoints.card_decoding(checkpoints.read_card(name))


def selection() -> Selection:
    """The dialogue that was chosen, with its edits."""
    session = st.session_state
    origin = _origin()
    own: Own | None = session.get(Key.DIALOGUE)
    example = example_by_id(session[Key.EXAMPLE]) if origin != OWN else None
    original = example.dialogue if example else own.text if own else ""
    edits: Edits | None = session.get(Key.EDITS)
    text = edits.texts[-1] if edits and edits.origin == origin else original
    references = example.references if example else own.references if own else ()
    linked = text == original if example else not text
    return Selection(text, original, example, references, linked or links.pack(text) is not None)


def use_own(text: str, references: tuple[str, ...] = ()) -> None:
    """Make a pasted or uploaded dialogue the current one; raises DialogueError if there is none or too much of it."""
    if not text.strip():
        raise DialogueError("There is nothing to summarise yet. Paste a dialogue first: at least a word.")
    st.session_state[Key.DIALOGUE] = Own(links.checked(text), references)
    st.session_state[Key.EDITS] = None


def edit(text: str) -> None:
    """Put an edited version on top of the current dialogue; raises DialogueError if it is too long."""
    origin = _origin()
    edits: Edits | None = st.session_state.get(Key.EDITS)
    before = edits.texts if edits and edits.origin == origin else ()
    st.session_state[Key.EDITS] = Edits(origin, (*before, links.checked(text))[-50:])


def undo() -> None:
    """Take the last edit back."""
    edits: Edits | None = st.session_state.get(Key.EDITS)
    texts = edits.texts[:-1] if edits else ()
    st.session_state[Key.EDITS] = Edits(edits.origin, texts) if edits and texts else None


def restore() -> None:
    """Take all edits back."""
    st.session_state[Key.EDITS] = None


def complain(error: DialogueError | None) -> None:
    """Keep the message of a refused input for the next run; None clears it."""
    st.session_state[Key.COMPLAINT] = error


def complaint() -> DialogueError | None:
    """Why the last input was refused."""
    return st.session_state.get(Key.COMPLAINT)  # type: ignore[no-any-return]


def notes() -> tuple[str, ...]:
    """What was left out of the link that opened this session."""
    return st.session_state.get(Key.NOTES, ())  # type: ignore[no-any-return]


def clear_notes() -> None:
    """Forget the notes; for a button."""
    st.session_state[Key.NOTES] = ()


def current_job() -> model.LoadJob:
    """The load job of the chosen checkpoint; the first call starts it."""
    return model.job(st.session_state[Key.CHECKPOINT])


def current_summary() -> Summary | None:
    """The summary of the current dialogue under the current settings, or None while the model loads."""
    return summary_of(selection().text)


def summary_of(text: str) -> Summary | None:
    """The summary of any dialogue under the current settings, or None while the model loads."""
    summarizer = current_job().summarizer
    return model.summary(summarizer, text, settings()) if summarizer and text.strip() else None


def require_trace() -> Summary:
    """The current summary with its trace, for pages that explain it; shows what to do and stops where there is none."""
    from pages.shared import loading

    if not selection().text.strip():
        st.info("No dialogue is chosen yet. Pick or paste one on the Summarize page.", icon=":material/forum:")
        st.stop()
    if not loading.ready(current_job()):
        st.stop()
    found = current_summary()
    if found is None:
        raise CheckpointError("the model was released while it was used. Reload the page")
    return found


def _origin() -> str:
    session = st.session_state
    return str(session[Key.EXAMPLE]) if session.get(Key.INPUT, "example") == "example" else OWN


def _checkpoint() -> str:
    names = checkpoints.installed()
    if not names:
        raise CheckpointError("no checkpoint is installed: the folder checkpoints/ is empty. Train one, see README.md")
    chosen = st.session_state.get(Key.CHECKPOINT)
    if chosen not in names:
        st.session_state.pop(Key.CHECKPOINT, None)
        return names[0]
    return str(chosen)


def _defaults(checkpoint: str) -> dict[Key, Any]:
    """The value of every linked key that a link does not mention."""
    decoding = card_settings(checkpoint)
    values: dict[Key, Any] = {
        Key.EXAMPLE: load_examples()[0].id,
        Key.INPUT: INPUTS[0],
        Key.CHECKPOINT: checkpoints.installed()[0],
        Key.STRATEGY: decoding.strategy,
        Key.TRUNCATION: decoding.truncation,
    }
    for key, number in NUMBERS.items():
        value = min(max(getattr(decoding, number.setting), number.low), number.high)
        values[key] = type(number.low)(value)
    return values


def _choices() -> dict[Key, tuple[str, ...]]:
    return {
        Key.EXAMPLE: tuple(example.id for example in load_examples()),
        Key.INPUT: INPUTS,
        Key.CHECKPOINT: tuple(checkpoints.installed()),
        Key.STRATEGY: get_args(Strategy),
        Key.TRUNCATION: get_args(Truncation),
    }


def _is_history_step() -> bool:
    """Whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return bool(getattr(context, "is_history_navigation", False))


def _read_link() -> None:
    """Take over what the link says; what it does not say is as on a first visit, what is invalid is noted."""
    session = st.session_state
    values, found = links.read(st.query_params.to_dict(), _choices(), NUMBERS)
    for key in (*_choices(), *NUMBERS):
        session.pop(key, None)
    session.update(values)
    session.setdefault(Key.EXAMPLE, load_examples()[0].id)
    text = None
    try:
        packed = st.query_params.get(Key.TEXT)
        text = links.unpack(packed) if packed else None
    except DialogueError as error:
        found = (*found, str(error))
    _take_text(text)
    session[Key.NOTES] = found


def _take_text(text: str | None) -> None:
    session, origin = st.session_state, _origin()
    if origin != OWN:
        session[Key.EDITS] = Edits(origin, (text,)) if text else None
    elif text:
        session[Key.DIALOGUE], session[Key.EDITS] = Own(text), None
        session[Key.PASTE_BOX] = text


def _write_link() -> None:
    """Let the address say what differs from a first visit."""
    session = st.session_state
    defaults = _defaults(session[Key.CHECKPOINT])
    shown = [Key.INPUT, Key.CHECKPOINT, Key.STRATEGY, Key.TRUNCATION, *relevant(session[Key.STRATEGY])]
    chosen = selection()
    if chosen.example:
        shown.append(Key.EXAMPLE)
    wanted = {str(key): links.plain(session[key]) for key in shown if session[key] != defaults[key]}
    if chosen.text and (chosen.edited or not chosen.example) and (packed := links.pack(chosen.text)):
        wanted[Key.TEXT] = packed
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
