"""Which column of a file holds the dialogues, where its names do not say so, or where somebody wants to choose."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.evaluation import intake
from core.evaluation.intake import Data
from core.text.corpora.columns import UnknownColumnsError, columns_of
from core.text.corpora.encodings import CHOICES, shown
from core.words import later, say
from pages.shared.guard import demo
from pages.shared.session import notices, option_labels

ASK = "errors_ask_columns"
"""Session key: whether the next file asks for its columns even where they are known."""
PENDING = "errors_pending_file"
"""Session key: the file that waits for its columns."""
FIELDS = {
    "dialogue": later("Dialogue"),
    "summary": later("Summary (reference)"),
    "prediction": later("Summary to be judged"),
    "id": later("Id"),
    "topic": later("Topic"),
}
"""The fields that can be chosen; to be said."""
ENCODING = "encoding"
MOST = 200
"""Columns that are offered."""


@dataclass(frozen=True)
class Pending:
    """A file that waits for its columns."""

    name: str
    content: bytes
    columns: tuple[str, ...]


def read(name: str, content: bytes) -> Data:
    """Read a file, or let it wait for its columns.

    Raises:
        CorpusError: it cannot be read.
        UnknownColumnsError: it waits; the page says why, and asks for the columns.
    """
    st.session_state.pop(PENDING, None)
    if st.session_state.get(ASK) and (columns := intake.columns_in(name, content)):
        st.session_state[ASK] = False
        _wait(Pending(name, content, tuple(columns)))
        raise UnknownColumnsError(say("choose the columns of {name}", name=repr(name[-80:])), columns)
    try:
        return intake.read(name, content)
    except UnknownColumnsError as error:
        _wait(Pending(name, content, error.columns))
        raise


def draw(keep: Callable[[Data], None]) -> None:
    """Draw the choice of the columns of the file that waits; `keep` takes what it holds."""
    pending: Pending | None = st.session_state.get(PENDING)
    if pending is None or demo.on():
        return
    with st.form("errors_columns", border=True):
        st.markdown(say("**{name}**: which column is which?", name=notices.literal(pending.name[-80:])))
        columns = columns_of(pending.columns, {})
        offered = list(pending.columns[:MOST])
        for place, (field, label) in zip(st.columns(len(FIELDS)), FIELDS.items(), strict=True):
            first = (*columns.topics, "")[0] if field == "topic" else getattr(columns, field)
            place.selectbox(
                say(label),
                offered,
                offered.index(first) if first in offered else None,
                key=_key(field),
                placeholder=say("none"),
            )
        told = say("what its bytes tell")
        key = _key(ENCODING)
        option_labels.follow(key, {name: shown(name) for name in CHOICES})
        st.selectbox(say("Encoding"), CHOICES, None, format_func=shown, key=key, placeholder=told, width=240)
        with st.container(horizontal=True):
            st.form_submit_button(say("Read the file"), type="primary", on_click=_take, args=(pending, keep))
            st.form_submit_button(say("Leave it"), on_click=_forget)


def _key(field: str) -> str:
    return f"errors_column_{field}"


def _wait(pending: Pending) -> None:
    _forget()
    st.session_state[PENDING] = pending


def _forget() -> None:
    for key in (PENDING, *map(_key, (*FIELDS, ENCODING))):
        st.session_state.pop(key, None)


def _take(pending: Pending, keep: Callable[[Data], None]) -> None:
    def taken() -> None:
        chosen = {field: name for field in FIELDS if (name := st.session_state.get(_key(field)))}
        encoding = st.session_state.get(_key(ENCODING)) or ""
        keep(intake.read(pending.name, pending.content, chosen, encoding))
        _forget()

    notices.attempt(taken)
