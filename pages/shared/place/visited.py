"""What this session has looked at: every page that was drawn leaves an entry, and an entry leads back to its state.

The list lives in the session and ends with it.
"""

import re
from datetime import UTC, datetime

import streamlit as st

from core.figures.shared.wording import cut, small
from core.place import Place
from core.visited.visit import LONGEST_NAME, Visit, Visited
from pages.shared.place import menu, page_description, places
from pages.shared.place.declarations import page_at
from pages.shared.session import decoding, selection
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching import course
from pages.shared.teaching.projector import PROJECTOR

VISITED = "visited"
"""Session key: the list."""
LONGEST_SUBJECT = 28
_ICON = re.compile(r"^:material/\w+: ")


def current() -> Visited:
    """Return the list."""
    visited: Visited = st.session_state.get(VISITED, Visited())
    return visited


def keep(changed: Visited) -> None:
    """Put another list in its place."""
    st.session_state[VISITED] = changed


def record(label: str, *, of_dialogue: bool) -> None:
    """Take down what the open page shows now, as its views have said it.

    Args:
        label: of the view that is open, said.
        of_dialogue: whether the page is about the current dialogue.
    """
    path, chosen, description = st.session_state[places.PAGE], selection.current(), page_description.described()
    if not description.returnable or (of_dialogue and not chosen.text.strip()):
        return
    view = _ICON.sub("", label)
    what = description.what or small(view)
    about = (chosen.title or cut(chosen.text, LONGEST_SUBJECT)) if of_dialogue else menu.title(path)
    uses = page_at(path).uses
    keep(
        current().add(
            Visit(
                name=cut(f"{about} · {', '.join(filter(None, [what, description.detail]))}", LONGEST_NAME),
                subject=cut(what, 200),
                place=Place(
                    path,
                    _link(path, of_dialogue),
                    chosen.text if of_dialogue else "",
                    () if chosen.example or not of_dialogue else chosen.references,
                ),
                checkpoint=decoding.checkpoint() if "checkpoint" in uses else "",
                time=datetime.now(UTC),
                settings=decoding.settings().to_dict() if of_dialogue and "decoding" in uses else {},
                summary=description.summary if of_dialogue else "",
            )
        )
    )


def open_again(visit: Visit) -> None:
    """Go to the state that an entry stands for; what its link does not name is as on a first visit."""
    of_dialogue = () if visit.place.dialogue else (selection.EXAMPLE, selection.INPUT)
    places.go(visit.place, kept=(*course.FIELDS, PROJECTOR, LANGUAGE, *of_dialogue))


def _link(path: str, of_dialogue: bool) -> dict[str, str]:
    """Return what the address says of the page, lessons left out, and the dialogue where it does not matter."""
    left_out = {field.name for field in course.FIELDS}
    if not of_dialogue:
        left_out |= {selection.EXAMPLE.name, selection.INPUT.name}
    return {name: value for name, value in places.link(path).items() if name not in left_out}
