"""Places: what the session shows as a `Place`, and a session that shows what a place says.

Whoever leads somewhere (a link, the browser's history, a class, a visit, a stop) makes a place and hands it to `take`
or `go`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

import streamlit as st

from core.errors import DialogueError
from core.place import Place
from core.text import links
from pages.shared.place import oversized_dialogues
from pages.shared.place.declarations import FIRST, SHARED, own_fields, page_at
from pages.shared.session import decoding, fields, notices, selection
from pages.shared.session.fields import Field
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching import classroom, course
from pages.shared.teaching.projector import PROJECTOR

PAGE, ABOUT, VISIT = "page", "about", "visit"
"""Session keys: path of the open page; the dialogue that choices are about; names of the fields that `visit` set."""


def now() -> Place:
    """Return what the open page shows, as far as an address can say it, with a dialogue that is too long for one.

    The language and the projector are everybody's own.
    """
    path, chosen = st.session_state[PAGE], selection.current()
    shown = {name: value for name, value in wanted(path).items() if name not in (LANGUAGE.name, PROJECTOR.name)}
    whole = not page_at(path).apart and not chosen.linked
    return Place(path, shown, chosen.text if whole else "")


def take(place: Place, kept: Collection[Field[Any]] = ()) -> frozenset[str]:
    """Let the session show a place; what its link does not name is as on a first visit, what is invalid is noted.

    Args:
        place: whose page exists.
        kept: fields that stay as they are where the link does not name them.

    Returns:
        The names of the fields that the link set.
    """
    state, every = st.session_state, (*SHARED, *own_fields(place.page))
    values, notes = fields.read(place.link, every)
    if selection.EXAMPLE.name in values:
        values = {selection.INPUT.name: "example", **values}
    stay = {field.name for field in kept} - values.keys()
    checkpoint = decoding.CHECKPOINT.name
    name = values.get(checkpoint) or (decoding.checkpoint() if checkpoint in stay else decoding.usual())
    first = {field.name: field.default for field in every} | decoding.defaults(name) | {checkpoint: name}
    state.update({key: value for key, value in first.items() if key not in stay} | values)
    try:
        _take_dialogue(place, chosen=selection.INPUT.name not in stay)
    except DialogueError as error:
        notes = (*notes, str(error))
    state[notices.NOTES] = notes
    return frozenset(values)


def go(place: Place, kept: Collection[Field[Any]] = (), **also: Any) -> NoReturn:
    """Go to a place; Back leads to the page that was open, in one step.

    Args:
        place: as `take` wants it.
        kept: as `take` wants it.
        also: further fields and their values, by name.
    """
    asked = take(place, kept)
    visit(place.page, **{name: st.session_state[name] for name in asked}, **also)


def visit(path: str, view: str = "", /, **values: Any) -> NoReturn:
    """Go to another page of the app that shows something particular; Back leads to this one, in one step.

    Args:
        path: of the page, "" for the first.
        view: which of its views; "" for the one that was open there last.
        values: what it shows, by the names of its fields.

    Raises:
        ValueError: the page has no such field.
    """
    page, own = page_at(path), own_fields(path)
    settable = {selection.EDITS, *selection.BOXES, *(field.name for field in (*SHARED, *own))}
    if unknown := sorted(values.keys() - settable):
        raise ValueError(f"the page {path!r} must have every field that is set. Received: {', '.join(unknown)}")
    if view:
        values[page.view.name] = view
    defaults = {field.name: field.default for field in own}
    st.session_state.update(values)
    st.session_state[VISIT] = frozenset(
        values.keys() - {name for name in defaults if values.get(name) == defaults[name]}
    )
    turn_to(path, wanted(path, values))


def turn_to(path: str, link: Mapping[str, str]) -> NoReturn:
    """Go to another page with its whole address."""
    # named only by the page itself, its address would be a second entry wherever the browser is slower than the app
    st.switch_page(f"pages/{path or FIRST}.py", query_params={**link, **classroom.membership()})


def wanted(path: str, chosen_now: Collection[str] = ()) -> dict[str, str]:
    """Return what the address of a page should say of the session.

    Choices that were made in another dialogue are left out, unless `chosen_now` names them.
    """
    query = link(path, chosen_now)
    if not page_at(path).apart:
        query |= _text(hand=bool(st.context.is_embedded))
    return query


def dialogue() -> dict[str, str]:
    """Return what the address of a side says of this session's dialogue, also of one that is too long for a link."""
    chosen = selection.current()
    shown = [selection.INPUT, *([selection.EXAMPLE] if chosen.example else [])]
    return _written(shown, {}) | _text(hand=True)


def _text(hand: bool) -> dict[str, str]:
    """Return how an address names a dialogue that is no example as it is bundled.

    Args:
        hand: whether one that is too long for a link is handed over by this server; else it is left out.
    """
    chosen = selection.current()
    if not chosen.text or chosen.example and not chosen.edited:
        return {}
    return text_in_link(chosen.text) if hand or links.pack(chosen.text) else {}


def text_in_link(text: str) -> dict[str, str]:
    """Return how an address names a dialogue of one's own; one that is too long for a link is kept by this server."""
    packed = links.pack(text)
    return {selection.TEXT: packed} if packed else {selection.HANDED: oversized_dialogues.keep(text)}


def link(path: str, chosen_now: Collection[str] = ()) -> dict[str, str]:
    """Return what an address of a page says of the session beside the text of the dialogue; see `wanted`."""
    if page_at(path).apart:
        return _written([PROJECTOR, LANGUAGE, *own_fields(path)], {})
    chosen = selection.current()
    shown: list[Field[Any]] = [
        PROJECTOR,
        LANGUAGE,
        selection.INPUT,
        selection.GIVEN,
        decoding.CHECKPOINT,
        decoding.STRATEGY,
        decoding.TRUNCATION,
        decoding.WORDS,
        *decoding.OF_STRATEGY[decoding.STRATEGY.value],
        *course.FIELDS,
        *own_fields(path),
    ]
    if is_other_dialogue(path, chosen.text):
        shown = [field for field in shown if not field.of_dialogue or field.name in chosen_now]
    if chosen.example:
        shown.append(selection.EXAMPLE)
    return _written(shown, decoding.defaults(decoding.CHECKPOINT.value))


def _written(shown: Iterable[Field[Any]], defaults: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields that differ from a first visit, as a link has them."""
    values = {field: st.session_state.get(field.name, defaults.get(field.name, field.default)) for field in shown}
    return {
        field.name: field.write(value)
        for field, value in values.items()
        if value != defaults.get(field.name, field.default)
    }


def is_other_dialogue(path: str, text: str) -> bool:
    """Return whether what is chosen on a page was chosen in another dialogue than this."""
    return bool(st.session_state.get(ABOUT, {}).get(path, text) != text)


def _told(link: Mapping[str, str]) -> str:
    """Return the dialogue that a link carries, "" for none; raises DialogueError if it is not kept any more."""
    if packed := link.get(selection.TEXT):
        return links.unpack(packed)
    if not (key := link.get(selection.HANDED)):
        return ""
    text = oversized_dialogues.find(key)
    if text is None:
        raise DialogueError("The dialogue of this link is not kept here any more: paste it again.")
    return text


def _take_dialogue(place: Place, *, chosen: bool) -> None:
    """Let the dialogue be the text of a place, or else the example that the session names.

    Args:
        place: that the session shows.
        chosen: whether the place says which dialogue it is about; else edits of the current one stay.

    Raises:
        DialogueError: the link names a text that cannot be had.
    """
    state, origin, text = st.session_state, selection.origin(), _told(place.link) or place.dialogue
    if origin != selection.OWN:
        if text or chosen:
            state[selection.EDITS] = None
        if text and selection.current().text != text:
            state[selection.EDITS] = selection.Edits(origin, (text,))
    elif text:
        own: selection.Own | None = state.get(selection.DIALOGUE)
        state[selection.EDITS] = None
        if own and own.text == text and not place.dialogue:
            return  # Back to it: how it was read stays
        state[selection.DIALOGUE] = selection.Own(text, place.references)
        state[selection.PASTE_BOX] = text
        if place.dialogue:
            state[selection.REFERENCE_BOX] = place.references[0] if place.references else ""
