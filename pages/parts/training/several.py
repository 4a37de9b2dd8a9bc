"""Choosing several of some things, so that a link can carry the choice."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared import state
from pages.shared.state import Key

NONE = "-"
"""What stands in a link where nothing is chosen."""


def choose(label: str, options: Mapping[str, str], key: Key, start: Sequence[str], most: int, noun: str) -> list[str]:
    """Draw a list of which several can be chosen.

    Args:
        label: of the list.
        options: what each choice is called, by its name in a link: no commas.
        key: where the names stand in the session, joined by commas; empty: `start`.
        start: what is chosen where a link says nothing.
        most: how many at once.
        noun: what is chosen, for the note about one that does not exist: "run".

    Returns:
        The choice, keys of `options`.
    """
    said = str(st.session_state[key])
    asked = list(dict.fromkeys(filter(None, said.split(",")))) if said else [*start]
    chosen = [name for name in asked if name in options][:most]
    for name in asked:
        if name not in options and name != NONE:
            state.note(f"There is no {noun} {name[:60]!r} here: it was left out.")
    st.session_state[key] = "" if chosen == [*start] else ",".join(chosen) or NONE
    box = f"{key}_box"
    st.session_state[box] = chosen
    st.multiselect(
        label, list(options), format_func=options.get, key=box, max_selections=most, on_change=_take, args=(key, box)
    )
    return chosen


def _take(key: Key, box: str) -> None:
    st.session_state[key] = ",".join(st.session_state[box]) or NONE
