"""What both sides show: a page and what its address says, without the checkpoint, which differs."""

from urllib.parse import parse_qsl, urlencode

import streamlit as st

from core import checkpoints
from core.limits import limits
from core.place import Place
from core.text.examples import example_by_id
from pages.shared.model import checkpoint_change
from pages.shared.place import declarations, menu, places
from pages.shared.session import decoding, selection
from pages.shared.session.fields import Choice, Text, take_asked
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching.course import FIELDS as LESSONS
from pages.shared.teaching.projector import PROJECTOR

PAGES = tuple(entry.name for entry in menu.ENTRIES.values() if entry.compared)
"""The pages on which a checkpoint matters, by the names of their files."""
SHOW = Choice("show", PAGES)
STATE = Text("state", 3 * limits().link_characters)
SIDES = (Text("left_model", 80), Text("right_model", 80))
OWN = tuple(Text(name, limits().link_characters + 100) for name in ("left_dialogue", "right_dialogue"))
"""What names the dialogue of each side in its address, where the two differ; "" for one of both."""
FIELDS = (*SIDES, *OWN, SHOW, STATE)
DIALOGUE = (selection.INPUT.name, selection.EXAMPLE.name, selection.TEXT, selection.HANDED)
"""What names the dialogue in an address."""
BROUGHT = "compare_brought"
"""Session key: the dialogue that the session had when this page was drawn last."""


def models() -> list[str]:
    """Return the checkpoints that read dialogues, those to compare first in front."""
    return decoding.compared_first(name for name in decoding.available() if not checkpoint_change.known_input(name))


def usual(names: list[str]) -> tuple[str, str]:
    """Return the checkpoints that are shown first: the one of the other pages and the next one."""
    left = decoding.checkpoint() if decoding.checkpoint() in names else names[0]
    return left, next((name for name in names if name != left), left)


def shown() -> Place:
    """Return what both sides show."""
    return _both(Place(SHOW.value, dict(parse_qsl(STATE.value))))


def apart() -> bool:
    """Return whether each side has a dialogue of its own."""
    return all(field.value for field in OWN)


def link(name: str, side: int) -> str:
    """Return the address of a side with its checkpoint, relative to this page's."""
    own = dict(parse_qsl(OWN[side].value)) if apart() else {}
    asked = {name: value for name, value in own.items() if name in DIALOGUE}
    if name != checkpoints.installed()[0]:
        asked[decoding.CHECKPOINT.name] = name
    if LANGUAGE.value != LANGUAGE.default:
        asked[LANGUAGE.name] = LANGUAGE.value
    both = shown()
    return Place(both.page, {**both.link, **asked}).address.removeprefix("/")


def bring() -> bool:
    """Let both sides show the dialogue of this session if it has changed since this page was drawn last.

    A link that names what both sides show counts more. Returns whether the sides show something else now.
    """
    now = selection.current().text
    first = example_by_id(selection.EXAMPLE.default)
    before = st.session_state.get(BROUGHT, first.dialogue if first else "")
    st.session_state[BROUGHT] = now
    if now == before or take_asked(STATE) or apart():
        return False
    old = {name: value for name, value in parse_qsl(STATE.value) if name not in DIALOGUE}
    STATE.value = urlencode(old | places.dialogue())
    return True


def take(side: int, page: str, query: str) -> None:
    """Take over where a side went, and its checkpoint; a page that both sides cannot show changes nothing."""
    if page not in PAGES or len(query) > STATE.longest:
        return
    place = Place(page, dict(parse_qsl(query)))
    if apart():
        OWN[side].value = urlencode({name: value for name, value in place.link.items() if name in DIALOGUE})
        place = Place(page, {name: value for name, value in place.link.items() if name not in DIALOGUE})
    SHOW.value, STATE.value = page, urlencode(_both(place).link)
    names = models()
    name = place.link.get(decoding.CHECKPOINT.name, checkpoints.installed()[0])
    if name in names and name != (SIDES[side].value or usual(names)[side]):
        SIDES[side].value = name


def _both(place: Place) -> Place:
    """Return what of a place both sides can show; the rest is left out."""
    of_frame = {decoding.CHECKPOINT.name, PROJECTOR.name, LANGUAGE.name, *(field.name for field in LESSONS)}
    allowed = declarations.names(place.page) - of_frame
    return Place(place.page, {name: value for name, value in place.link.items() if name in allowed})
