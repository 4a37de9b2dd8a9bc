"""Draw the choices of a page: segments, lists and numbers, each kept in the session under the name of its field.

Everywhere `label` says what is chosen, `tip` more about it behind a question mark (both are said already, as are the
labels of options), `options` are what is offered in this run, or a `Choice` with all its words, `width` is pixels or a
word as Streamlit has it, a `hidden` label is for screen readers, and `on_change` is called before the next run.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.words import say
from pages.shared.session import option_labels
from pages.shared.session.fields import Choice, Field, Number

ROW, OPTIONS = "choice_row", "choice_options"
"""Keys of the row of choices, in the session and on the page, and of the box at its end."""


def begin() -> None:
    """Make the one row of choices of a view; it stands where this is called, and takes no room while it is empty."""
    st.session_state[ROW] = st.container(horizontal=True, vertical_alignment="bottom", key=ROW)
    st.session_state[OPTIONS] = None


def row() -> DeltaGenerator:
    """Return the row of choices, for the two or three that matter most."""
    container: DeltaGenerator = st.session_state[ROW]
    return container


def options() -> DeltaGenerator:
    """Return the box behind the button "Options" at the end of the row, for every other choice."""
    if st.session_state[OPTIONS] is None:
        st.session_state[OPTIONS] = row().popover(say("Options"), icon=":material/tune:", width="content", key=OPTIONS)
    box: DeltaGenerator = st.session_state[OPTIONS]
    return box


def one_of(
    label: str,
    options: Mapping[Any, str] | Choice,
    field: Field[Any] | str = "",
    tip: str | None = None,
    *,
    hidden: bool = False,
    width: Any = "content",
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
) -> Any:
    """Draw segments of which exactly one is chosen, and return it: a key of `options`.

    `field` may be a key in the session; `on_change` is called with `args`.
    """
    if isinstance(options, Choice):
        field, options = options, options.words
    key = field if isinstance(field, str) else field.name
    option_labels.follow(key, options)
    return st.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        required=True,
        persist_state="session",
        help=tip,
        width=width,
        label_visibility="collapsed" if hidden else "visible",
        on_change=on_change,
        args=args,
    )


def select(
    label: str,
    options: Mapping[Any, str] | Choice,
    field: Field[Any] | None = None,
    tip: str | None = None,
    *,
    usual: Any = None,
    hidden: bool = False,
    width: Any = "stretch",
    on_change: Callable[[], None] | None = None,
) -> Any:
    """Draw a list of which one entry is chosen, and return it: a key of `options`.

    The field's value has to be one of `options` (`Field.fit`), or its default; `usual` is the option that the default
    stands for where it depends on the run: the last layer, say.
    """
    if isinstance(options, Choice):
        field, options = options, options.words
    if field is None:
        raise TypeError("options of a mapping need a field")
    key = field.name
    if usual is not None:
        key = f"{field.name}_choice"
        st.session_state[key] = usual if field.value == field.default else field.value

    def changed() -> None:
        if usual is not None:
            chosen = option_labels.meant(key, st.session_state[key])
            field.value = field.default if chosen == usual else chosen
        if on_change is not None:
            on_change()

    option_labels.follow(key, options)
    return st.selectbox(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        persist_state="session",
        help=tip,
        width=width,
        label_visibility="collapsed" if hidden else "visible",
        on_change=changed,
    )


def number(
    label: str,
    field: Number,
    tip: str | None = None,
    *,
    high: float | None = None,
    width: Any = 190,
    on_change: Callable[[], None] | None = None,
) -> Any:
    """Draw a box for a number; `high` is the largest here, if it is below that of the field."""
    return st.number_input(
        label,
        field.low,
        field.high if high is None else high,
        step=field.step,
        key=field.name,
        persist_state="session",
        help=tip,
        width=width,
        on_change=on_change,
    )


def slider(label: str, field: Number, tip: str | None = None) -> Any:
    """Draw a slider over the range of a field."""
    return st.slider(label, field.low, field.high, step=field.step, key=field.name, persist_state="session", help=tip)
