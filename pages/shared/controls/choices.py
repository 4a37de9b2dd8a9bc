"""Draw the choices of a page: segments, lists and numbers, each kept in the session under the name of its field."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.shared.frame.fields import Field, Number


def one_of(
    label: str,
    options: Mapping[Any, str],
    field: Field[Any] | str,
    tip: str | None = None,
    *,
    hidden: bool = False,
    width: Any = "content",
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
) -> Any:
    """Draw segments of which exactly one is chosen.

    Args:
        label: what is chosen.
        options: what each choice is called.
        field: where the choice stands, or its key in the session.
        tip: more about it, behind a question mark.
        hidden: whether the label is only for screen readers.
        width: as Streamlit has it.
        on_change: called before the next run.
        args: what it is called with.

    Returns:
        The choice, a key of `options`.
    """
    return st.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        key=field if isinstance(field, str) else field.name,
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
    options: Mapping[Any, str],
    field: Field[Any],
    tip: str | None = None,
    *,
    usual: Any = None,
    width: Any = "stretch",
    on_change: Callable[[], None] | None = None,
) -> Any:
    """Draw a list of which one entry is chosen.

    Args:
        label: what is chosen.
        options: what each choice is called; the field's value has to be one of them (`Field.fit`), or its default.
        field: where the choice stands.
        tip: more about it, behind a question mark.
        usual: the option that the field's default stands for, where it depends on the run: the last layer, say.
        width: as Streamlit has it, or pixels.
        on_change: called before the next run.

    Returns:
        The choice, a key of `options`.
    """
    key = field.name
    if usual is not None:
        key = f"{field.name}_choice"
        st.session_state[key] = usual if field.value == field.default else field.value

    def changed() -> None:
        if usual is not None:
            chosen = st.session_state[key]
            field.value = field.default if chosen == usual else chosen
        if on_change is not None:
            on_change()

    return st.selectbox(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        persist_state="session",
        help=tip,
        width=width,
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
    """Draw a box for a number.

    Args:
        label: what is entered.
        field: where the number stands, with its range.
        tip: more about it, behind a question mark.
        high: the largest number here, if it is below that of the field.
        width: as Streamlit has it, or pixels.
        on_change: called before the next run.
    """
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
    """Draw a slider over the range of a field.

    Args:
        label: what is chosen.
        field: where the number stands, with its range.
        tip: more about it, behind a question mark.
    """
    return st.slider(label, field.low, field.high, step=field.step, key=field.name, persist_state="session", help=tip)
