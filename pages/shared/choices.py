"""One of a few: the segments with which every page chooses a view or a kind; the choice stands in the session."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st


def one_of(
    label: str,
    options: Mapping[Any, str],
    key: str,
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
        key: where the choice stands in the session.
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
        format_func=options.get,
        key=key,
        required=True,
        persist_state="session",
        help=tip,
        width=width,
        label_visibility="collapsed" if hidden else "visible",
        on_change=on_change,
        args=args,
    )
