"""The session: what is looked at, and what was said about it."""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core import checkpoints
from core.config import DecodeSettings
from core.errors import CheckpointError, DialogueError, DialoscopeError
from core.text.examples import Example, example_by_id, load_examples
from core.trace import Summary
from pages.shared import links, model
from pages.shared.keys import NUMBERS, PAGE_FIELDS, WORDS, Key

INPUTS = ("example", "paste", "upload")
OWN = "own"
"""Origin of a pasted or uploaded dialogue; an example's origin is its id."""


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


def reset() -> None:
    """Back to the first example and the checkpoint's own settings; for a button."""
    uploads = st.session_state.get(Key.UPLOADS, 0)
    st.session_state.clear()
    st.session_state.update({Key.STARTED: True, Key.NOTES: (), Key.UPLOADS: uploads + 1})
    st.query_params.clear()


def restore_decoding() -> None:
    """Back to the settings that the checkpoint's card names; for a callback."""
    names = (Key.STRATEGY, Key.TRUNCATION, Key.WORDS, *NUMBERS)
    values = defaults(checkpoint())
    st.session_state.update({key: values[key] for key in names})


def settings() -> DecodeSettings:
    """The decoding settings; those that do not matter for the strategy stay as the card names them."""
    session = st.session_state
    chosen: dict[str, Any] = {"strategy": session[Key.STRATEGY], "truncation": session[Key.TRUNCATION]}
    for key in relevant(session[Key.STRATEGY]):
        kind = int if isinstance(NUMBERS[key].low, int) else float
        chosen[NUMBERS[key].setting] = kind(session[key])
    chosen["whole_words"] = session[Key.WORDS] == WORDS[0]
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
    session, source = st.session_state, origin()
    own: Own | None = session.get(Key.DIALOGUE)
    example = example_by_id(session[Key.EXAMPLE]) if source != OWN else None
    original = example.dialogue if example else own.text if own else ""
    edits: Edits | None = session.get(Key.EDITS)
    text = edits.texts[-1] if edits and edits.origin == source else original
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
    source = origin()
    edits: Edits | None = st.session_state.get(Key.EDITS)
    before = edits.texts if edits and edits.origin == source else ()
    st.session_state[Key.EDITS] = Edits(source, (*before, links.checked(text))[-50:])


def undo() -> None:
    """Take the last edit back."""
    edits: Edits | None = st.session_state.get(Key.EDITS)
    texts = edits.texts[:-1] if edits else ()
    st.session_state[Key.EDITS] = Edits(edits.origin, texts) if edits and texts else None


def restore() -> None:
    """Take all edits back."""
    st.session_state[Key.EDITS] = None


def complain(error: DialoscopeError | None) -> None:
    """Keep the message of a refused input for the next run; None clears it."""
    st.session_state[Key.COMPLAINT] = error


def complaint() -> DialoscopeError | None:
    """Why the last input was refused."""
    return st.session_state.get(Key.COMPLAINT)  # type: ignore[no-any-return]


def note(text: str) -> None:
    """Say something above the page, until it is read; what a link asks in vain, for instance."""
    st.session_state[Key.NOTES] = (*notes(), text)


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


def experiment_on(found: Summary) -> None:
    """Forget the turns and the token that were chosen to experiment on another dialogue or summary."""
    session, now = st.session_state, (found.checkpoint, found.dialogue, found.text)
    if session.get(Key.TRIED, now) != now:
        session.update({Key.TURNS: "", Key.WORD: 0, Key.FOIL: 0})
    session[Key.TRIED] = now


def origin() -> str:
    """Where the current dialogue comes from: the example's id, or `OWN`."""
    session = st.session_state
    return str(session[Key.EXAMPLE]) if session.get(Key.INPUT, "example") == "example" else OWN


def checkpoint() -> str:
    """The chosen checkpoint, or the first that is installed; raises CheckpointError if none is."""
    names = checkpoints.installed()
    if not names:
        raise CheckpointError("no checkpoint is installed: the folder checkpoints/ is empty. Train one, see README.md")
    chosen = st.session_state.get(Key.CHECKPOINT)
    if chosen not in names:
        if chosen is not None:  # trained in the page, and forgotten meanwhile
            note(f"The checkpoint {chosen!r} is not there any more: this is {names[0]}.")
            for key in (Key.CHECKPOINT, Key.STRATEGY, Key.TRUNCATION, Key.WORDS, *NUMBERS):
                st.session_state.pop(key, None)
        return names[0]
    return str(chosen)


def defaults(name: str) -> dict[Key, Any]:
    """The value of every linked key that a link does not mention."""
    decoding = card_settings(name)
    values: dict[Key, Any] = {
        Key.EXAMPLE: load_examples()[0].id,
        Key.INPUT: INPUTS[0],
        Key.CHECKPOINT: checkpoints.installed()[0],
        Key.STRATEGY: decoding.strategy,
        Key.TRUNCATION: decoding.truncation,
        Key.WORDS: WORDS[not decoding.whole_words],
    }
    for key, number in NUMBERS.items():
        values[key] = number.clamp(getattr(decoding, number.setting))
    for fields in PAGE_FIELDS.values():
        values |= {key: value for key, (_, value) in fields.items()}
    return values
