"""Choose several of some things, so that a link can carry the choice."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.words import say
from pages.shared.session import notices
from pages.shared.session.fields import Text, take_asked

NONE = "-"
"""What stands in a link where nothing is chosen."""


def choose(
    label: str, options: Mapping[str, str], field: Text, start: Sequence[str], most: int, noun: str, width: int = 300
) -> list[str]:
    """Draw a list of which several can be chosen.

    Args:
        label: of the list.
        options: what each choice is called, by its name in a link: no commas.
        field: holds the names, joined by commas; empty: `start`.
        start: what is chosen where a link says nothing.
        most: how many at once.
        noun: what is chosen, said, for the note about one that does not exist: "run".
        width: of the list, in pixels.

    Returns:
        The choice, keys of `options`.
    """
    text, by_link = field.value, take_asked(field)
    asked = list(dict.fromkeys(filter(None, text.split(",")))) if text else [*start]
    chosen = [name for name in asked if name in options][:most]
    for name in asked:
        if by_link and name not in options and name != NONE:
            notices.note(say("There is no {thing} {name} here: it was left out.", thing=noun, name=repr(name[:60])))
    field.value = "" if chosen == [*start] else ",".join(chosen) or NONE
    box = f"{field.name}_box"
    st.session_state[box] = chosen

    def changed() -> None:
        field.value = ",".join(st.session_state[box]) or NONE

    st.multiselect(
        label, list(options), format_func=options.__getitem__, key=box, max_selections=most, on_change=changed,
        width=width,
    )  # fmt: skip
    return chosen
