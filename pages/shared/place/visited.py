"""What this session has looked at: every page that was drawn leaves an entry, and an entry leads back to its state.

The list lives in the session and ends with it.
"""

import re
from datetime import UTC, datetime

import streamlit as st

from core.figures.shared.wording import cut, small
from core.visited.visit import LONGEST_NAME, Visit, Visited
from core.words import say
from pages.shared.place import address, menu, page_description
from pages.shared.session import decoding, fields, notices, selection
from pages.shared.teaching import course

VISITED = "visited"
"""Session key: the list."""
LONGEST_SUBJECT = 28
_ICON = re.compile(r"^:material/\w+: ")


def current() -> Visited:
    """Return the list."""
    found: Visited = st.session_state.get(VISITED, Visited())
    return found


def keep(changed: Visited) -> None:
    """Put another list in its place."""
    st.session_state[VISITED] = changed


def record(label: str, *, of_dialogue: bool) -> None:
    """Take down what the open page shows now, as its views have said it.

    Args:
        label: of the view that is open, said.
        of_dialogue: whether the page is about the current dialogue.
    """
    path, chosen, said = st.session_state[address.PAGE], selection.current(), page_description.said()
    if not said.returnable or (of_dialogue and not chosen.text.strip()):
        return
    view = _ICON.sub("", label)
    what = said.what or small(view)
    about = (chosen.title or cut(chosen.text, LONGEST_SUBJECT)) if of_dialogue else menu.title(path)
    uses = address.page_at(path).uses
    keep(
        current().add(
            Visit(
                name=cut(f"{about} · {', '.join(filter(None, [what, said.detail]))}", LONGEST_NAME),
                subject=cut(what, 200),
                page=path,
                link=_link(path, of_dialogue),
                checkpoint=decoding.checkpoint() if "checkpoint" in uses else "",
                time=datetime.now(UTC),
                dialogue=chosen.text if of_dialogue else "",
                references=() if chosen.example or not of_dialogue else chosen.references,
                settings=decoding.settings().to_dict() if of_dialogue and "decoding" in uses else {},
                summary=said.summary if of_dialogue else "",
            )
        )
    )


def can_open(visit: Visit) -> str:
    """Return why the app cannot show an entry; "" if it can."""
    return "" if visit.page in menu.ENTRIES else say("there is no page /{page} here", page=visit.page)


def open_again(visit: Visit) -> None:
    """Go to the state that an entry stands for; what its link does not name is as on a first visit."""
    state, own = st.session_state, address.own_fields(visit.page)
    values, found = fields.read(dict(visit.link), (*address.SHARED, *own))
    name = values.get(decoding.CHECKPOINT.name) or decoding.defaults("none")[decoding.CHECKPOINT.name]
    before = {field.name: field.default for field in own} | decoding.defaults(name)
    if visit.dialogue:
        before |= {each.name: each.default for each in (selection.EXAMPLE, selection.INPUT)}
    values = before | {decoding.CHECKPOINT.name: name} | values
    state.update(values)
    state[notices.NOTES] = found
    if visit.dialogue:
        _take(visit)
    address.visit(visit.page, **values)


def _take(visit: Visit) -> None:
    """Let the dialogue of an entry be the current one, with the edits that it had."""
    state = st.session_state
    if selection.origin() != selection.OWN:
        state[selection.EDITS] = None
        if selection.current().text != visit.dialogue:
            address.take_text(visit.dialogue)
        return
    address.take_text(visit.dialogue)
    state[selection.DIALOGUE] = selection.Own(visit.dialogue, visit.references)
    state[selection.REFERENCE_BOX] = visit.references[0] if visit.references else ""


def _link(path: str, of_dialogue: bool) -> dict[str, str]:
    """Return what the address says of the page, lessons left out, and the dialogue where it does not matter."""
    left_out = {field.name for field in course.FIELDS}
    if not of_dialogue:
        left_out |= {selection.EXAMPLE.name, selection.INPUT.name}
    return {name: value for name, value in address.link(path).items() if name not in left_out}
