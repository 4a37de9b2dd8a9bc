"""The address of the page: a session is filled from it, and it follows the session.

What can be shared stands in the address. A fresh session reads it, and so does a step through the browser's history;
otherwise the session wins and the address follows. Two kinds of history entries need care. Streamlit pushes a bare
address at each page change: it asks for nothing, unless this page was really shown so, with all its defaults. It also
pushes the path of the old page with what the new page asks: that asks nothing of the old one.
(`bind="query-params"` would reset every widget at such an entry, and put labels instead of ids into links.)
"""

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import DialogueError
from core.lessons.following import Scene
from core.text import links
from core.words import say
from pages.shared.place import oversized_dialogues
from pages.shared.session import decoding, fields, language, notices, selection, session
from pages.shared.session.fields import Field
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching import classroom, course
from pages.shared.teaching.projector import PROJECTOR

PAGE, LEFT, BARE, ABOUT, JUMPS, VISIT = "page", "left", "bare", "about", "jumps", "visit"
"""Session keys: path of the open page; what of pages that were left may stand in the history; paths of pages that were
shown with all defaults; the dialogue that choices are about; how many links were read; names of the fields that `visit`
set."""
WRITTEN = "written"
"""Session key: what the address of the open page said last."""
FIRST = "start"
"""The page whose path is "": its address says nothing of what was chosen elsewhere."""
HELD = "playing"
"""Session key: true while something plays by itself, which should not fill the browser's history."""
KEPT = 16
"""How many pages that were left are remembered."""
SHARED: tuple[Field[Any], ...] = (
    selection.EXAMPLE,
    selection.INPUT,
    *decoding.FIELDS,
    *course.FIELDS,
    PROJECTOR,
    LANGUAGE,
)
"""Fields of every page."""


class Left(NamedTuple):
    """A page that was left for another one.

    Args:
        page: its path.
        link: what its address said.
        of_next: what the address of the other page said, which Streamlit may have pushed under this path.
    """

    page: str
    link: dict[str, str]
    of_next: dict[str, str]


class Declared(Protocol):
    """What the frame has to know of a page before it is drawn."""

    fields: tuple[Field[Any], ...]
    uses: tuple[str, ...]
    view: Field[str]
    apart: bool
    broad: bool
    holds: Callable[[], Sequence[str]]


def page_at(path: str) -> Declared:
    """Return the declaration of a page: `PAGE` of its file; `path` is "" for the first one."""
    page: Declared = importlib.import_module(f"pages.{path or FIRST}").PAGE
    return page


def own_fields(path: str) -> tuple[Field[Any], ...]:
    """Return the fields that only one page has."""
    return page_at(path).fields


def names(path: str) -> frozenset[str]:
    """Return what a link to a page may name."""
    page = page_at(path)
    if page.apart:
        return frozenset(field.name for field in (PROJECTOR, LANGUAGE, *page.fields))
    return frozenset({*(field.name for field in (*SHARED, *page.fields)), selection.TEXT, selection.HANDED})


def begin(path: str) -> None:
    """Fill the session from the link where it has to be, then let the address follow; once a run, before widgets.

    Args:
        path: of the page, "" for the first.
    """
    state = st.session_state
    due, may_leave = classroom.due()
    if due and due.path != path:
        if may_leave:
            _turn_to(due.path, dict(due.link))
        due = None  # the browser is on its way to another page
    before, was = state.get(PAGE), state.get(WRITTEN, {})
    moved = before not in (None, path)
    state[PAGE] = path
    asked = state.pop(VISIT, frozenset())
    if moved:
        notices.complain(None)
        state[HELD] = False
    fresh = session.is_new()
    if due:
        asked = _show(due)
    elif fresh and names(path) & st.query_params.keys() or is_history_step() and _asks(path):
        asked = _read_link(classroom.link())
    elif not moved and is_history_step() and _is_bare(path):
        state.update({field.name: field.default for field in own_fields(path)})
        state[JUMPS] = state.get(JUMPS, 0) + 1
    if asked:
        state[fields.ASKED] = state[fields.FRESH] = asked
    _complete(path, again=language.changed() or moved)
    check(path)
    _forget_other_dialogue(path, asked)
    if not classroom.is_led():
        compare()
    write()
    if moved and not is_history_step():
        state[LEFT] = (*state.get(LEFT, ())[1 - KEPT :], Left(str(before), was, classroom.link()))


def check(path: str) -> None:
    """Put away values that no widget of the page can have had; before its widgets are drawn."""
    fields.check((*SHARED, *own_fields(path)))


def write() -> None:
    """Let the address say what differs from a first visit; `Page` calls it wherever something may have changed.

    Each writing is a step of the browser's history; but where Back led, Streamlit replaces the address it came to.
    """
    classroom.publish(scene)
    if st.session_state.get(HELD):
        return
    path = st.session_state[PAGE]
    asked = wanted(path)
    if not asked:
        st.session_state[BARE] = st.session_state.get(BARE, frozenset()) | {path}
    st.session_state[WRITTEN] = asked
    asked = asked | classroom.named()
    if st.query_params.to_dict() != asked:
        st.query_params.from_dict(asked)


def visit(path: str, **values: Any) -> None:
    """Go to another page of the app that shows something particular; Back leads to this one, in one step.

    Args:
        path: of the page, "" for the first.
        values: what it shows, by the names of its fields.
    """
    defaults = {field.name: field.default for field in own_fields(path)}
    st.session_state.update(values)
    st.session_state[VISIT] = frozenset(
        values.keys() - {name for name in defaults if values.get(name) == defaults[name]}
    )
    _turn_to(path, wanted(path, values))


def scene() -> Scene:
    """Return what the open page shows, as far as an address can say it, with a dialogue that is too long for one.

    The language is everybody's own.
    """
    path, chosen = st.session_state[PAGE], selection.current()
    shown = {name: value for name, value in wanted(path).items() if name != LANGUAGE.name}
    whole = not page_at(path).apart and not chosen.linked
    return Scene(path, tuple(sorted(shown.items())), chosen.text if whole else "")


def compare() -> bool:
    """Let a follower go who has changed something since the page was drawn; return whether that was so."""
    return classroom.compare(scene)


def settle() -> None:
    """Keep what a follower sees now that the page is drawn; what the page itself changed is no change of his."""
    classroom.settle(scene)


def _turn_to(path: str, link: dict[str, str]) -> NoReturn:
    """Go to another page with its whole address."""
    # named only by the page itself, its address would be a second entry wherever the browser is slower than the app
    st.switch_page(f"pages/{path or FIRST}.py", query_params=link | classroom.named())


def _show(scene: Scene) -> frozenset[str]:
    """Show what a scene says and nothing else, and return the names of its fields."""
    st.session_state.update({selection.DIALOGUE: None, selection.EDITS: None})
    asked = _read_link(dict(scene.link), scene.text)
    classroom.arrived()
    return asked


def _complete(path: str, again: bool) -> None:
    """Give every field of the page a value.

    A value that another page's widget held is set again, or it is lost; so is one whose options were named in another
    language: the browser knows a chosen option by its name alone.
    """
    state = st.session_state
    values = decoding.defaults(decoding.checkpoint()) | selection.BOXES | {session.UPLOADS: 0}
    kept = (selection.EXAMPLE, selection.INPUT, *course.FIELDS, PROJECTOR, LANGUAGE, *own_fields(path))
    values |= {field.name: field.default for field in kept}
    state[session.CHOICES] = state.get(session.CHOICES, frozenset()) | values.keys()
    for name, value in values.items():
        state.setdefault(name, value)
    if again:
        for name in values:
            state[name] = state[name]


def wanted(path: str, chosen_now: Collection[str] = ()) -> dict[str, str]:
    """Return what the address of a page should say of the session; a dialogue's old choices only if chosen now."""
    asked = link(path, chosen_now)
    if not page_at(path).apart:
        asked |= _text(hand=bool(st.context.is_embedded))
    return asked


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
    if packed := links.pack(chosen.text):
        return {selection.TEXT: packed}
    return {selection.HANDED: oversized_dialogues.keep(chosen.text)} if hand else {}


def link(path: str, chosen_now: Collection[str] = ()) -> dict[str, str]:
    """Return what an address of a page says of the session beside the text of the dialogue; see `wanted`."""
    if page_at(path).apart:
        return _written([PROJECTOR, LANGUAGE, *own_fields(path)], {})
    chosen = selection.current()
    shown: list[Field[Any]] = [PROJECTOR, LANGUAGE, selection.INPUT, decoding.CHECKPOINT, decoding.STRATEGY]
    shown += [
        decoding.TRUNCATION,
        decoding.WORDS,
        *decoding.OF_STRATEGY[decoding.STRATEGY.value],
        *course.FIELDS,
        *own_fields(path),
    ]
    if _is_other_dialogue(path, chosen.text):
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


def _asks(path: str) -> bool:
    """Return whether the address asks something of its page, and nothing of another one.

    A page that was left may stand in the history with what the next page asked. That is met once: the session's own
    address takes its place, and where the page is met as it was left, it is not there.
    """
    asked, left = classroom.link(), st.session_state.get(LEFT, ())
    met = next((each for each in reversed(left) if each.page == path and asked in (each.link, each.of_next)), None)
    st.session_state[LEFT] = tuple(each for each in left if each is not met)
    if met and asked != met.link:
        return False
    return bool(asked) and asked.keys() <= names(path)


def _is_bare(path: str) -> bool:
    """Return whether the address says nothing, as it did when this page was shown with all its defaults."""
    return not classroom.link() and path in st.session_state.get(BARE, ())


def _forget_other_dialogue(path: str, asked: Collection[str]) -> None:
    """Choose nothing in a dialogue that is new; before the address names it, or Back would find old choices in it."""
    text = selection.current().text
    if _is_other_dialogue(path, text):
        for field in own_fields(path):
            if field.of_dialogue and field.name not in asked:
                field.value = field.default
    st.session_state[ABOUT] = {**st.session_state.get(ABOUT, {}), path: text}


def _is_other_dialogue(path: str, text: str) -> bool:
    """Return whether what is chosen on a page was chosen in another dialogue than this."""
    return bool(st.session_state.get(ABOUT, {}).get(path, text) != text)


def is_history_step() -> bool:
    """Return whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return bool(getattr(context, "is_history_navigation", False))


def _read_link(link: dict[str, str], text: str = "") -> frozenset[str]:
    """Take over what a link says, and return its names; the rest is as on a first visit, what is invalid is noted.

    Args:
        link: by name.
        text: the dialogue, if it is too long for a link.
    """
    state = st.session_state
    every = (*SHARED, *own_fields(state[PAGE]))
    values, found = fields.read(link, every)
    subjects = [key for key in state if str(key).startswith(fields.SUBJECT)]
    forgotten = (field.name for field in every if field is not LANGUAGE or LANGUAGE.name in link)
    for key in (*forgotten, ABOUT, *subjects):
        state.pop(key, None)
    state.update(values)
    state.setdefault(selection.EXAMPLE.name, selection.EXAMPLE.default)
    try:
        text = _told(link) or text
    except DialogueError as error:
        found = (*found, str(error))
    take_text(text or None)
    state[notices.NOTES] = found
    state[JUMPS] = state.get(JUMPS, 0) + 1  # components that keep their own position follow
    return frozenset(values)


def _told(link: Mapping[str, str]) -> str:
    """Return the dialogue that a link brings along, "" for none; raises DialogueError if it cannot be had."""
    if packed := link.get(selection.TEXT):
        return links.unpack(packed)
    if not (key := link.get(selection.HANDED)):
        return ""
    text = oversized_dialogues.find(key)
    if text is None:
        raise DialogueError(say("The dialogue of this link is not kept here any more: paste it again."))
    return text


def take_text(text: str | None) -> None:
    """Let the dialogue be the text of a link, or the example that the session names."""
    state, origin = st.session_state, selection.origin()
    if origin != selection.OWN:
        state[selection.EDITS] = selection.Edits(origin, (text,)) if text else None
    elif text:
        state[selection.DIALOGUE], state[selection.EDITS] = selection.Own(text), None
        state[selection.PASTE_BOX] = text
