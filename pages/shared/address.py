"""The address of the page: a session is filled from it, and it follows the session.

What can be shared stands in the address. A fresh session reads it, and so does a step through the browser's
history; otherwise the session wins and the address follows. An address without parameters asks for nothing:
Streamlit itself pushes such entries at each page change, and nothing may be lost by going back to one. It also pushes
the path of the old page with what the new page asks, which asks nothing of the old one.
(`bind="query-params"` would reset every widget at such an entry, and put labels instead of ids into links.)
"""

from collections.abc import Mapping
from typing import Any, get_args

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import checkpoints
from core.config import Strategy, Truncation
from core.errors import DialogueError
from core.text.examples import load_examples
from pages.shared import links, state
from pages.shared.state import INPUTS, NUMBERS, OWN, PAGE_FIELDS, WORDS, Edits, Key, Own

OF_DIALOGUE = (
    Key.STEP, Key.BRANCH, Key.RIVAL, Key.TURN, Key.TOKEN, Key.TOKEN_END, Key.TURNS, Key.WORD, Key.FOIL,
    Key.TOKENS_PLACE, Key.LAB_TOKEN, Key.POS_TOKEN, Key.BERT_REFERENCE, Key.BERT_OWN, Key.BERT_EDIT,
)  # fmt: skip
"""What is chosen in one dialogue and would mean something else in another."""
KEPT = 16
"""So many addresses of other pages under the path of a page that was left are known again."""


def begin(page: str) -> None:
    """Fill the session from the link where it has to be, then let the address follow; once a run, before widgets.

    Args:
        page: path of the page, "" for the first.
    """
    session = st.session_state
    before = session.get(Key.PAGE)
    moved = before not in (None, page)
    session[Key.PAGE] = page
    fresh = Key.STARTED not in session
    if moved:
        state.complain(None)
    if fresh:
        session.update({Key.STARTED: True, Key.NOTES: ()})
    if fresh and len(st.query_params) or _is_history_step() and _asks(page):
        _read_link()
    boxes = {Key.PASTE_BOX: "", Key.REFERENCE_BOX: "", Key.UPLOADS: 0, Key.ERR_DATA: "bundled"}
    for key, value in (state.defaults(state.checkpoint()) | boxes).items():
        session.setdefault(key, value)
        if moved:  # a value that no widget has drawn yet is lost where another page draws the same key
            session[key] = session[key]
    _forget_other_dialogue()
    write()
    if moved and not _is_history_step():
        session[Key.LEFT] = (*session.get(Key.LEFT, ())[1 - KEPT :], (before, st.query_params.to_dict()))


def write() -> None:
    """Let the address say what differs from a first visit; pages call it where a fragment changed something."""
    wanted = _wanted(st.session_state[Key.PAGE])
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def visit(page: str, values: Mapping[Key, Any]) -> None:
    """Go to another page of the app that shows something particular; Back leads to this one, in one step.

    Args:
        page: its path, "" for the first.
        values: what it shows, by keys of its `PAGE_FIELDS`.
    """
    st.session_state.update(values)
    # named only by the page itself, its address would be a second entry wherever the browser is slower than the app
    st.switch_page(f"pages/{page or 'summarize'}.py", query_params=_wanted(page))


def _wanted(page: str) -> dict[str, str]:
    """What the address of a page should say of the session."""
    session, chosen = st.session_state, state.selection()
    defaults = state.defaults(session[Key.CHECKPOINT])
    shown = [Key.INPUT, Key.CHECKPOINT, Key.STRATEGY, Key.TRUNCATION, Key.WORDS, *state.relevant(session[Key.STRATEGY])]
    shown += PAGE_FIELDS.get(page, {})
    if _is_other_dialogue(chosen.text):
        shown = [key for key in shown if key not in OF_DIALOGUE]
    if chosen.example:
        shown.append(Key.EXAMPLE)
    values = {key: session.get(key, defaults[key]) for key in shown}
    wanted = {str(key): links.plain(value) for key, value in values.items() if value != defaults[key]}
    if chosen.text and (chosen.edited or not chosen.example) and (packed := links.pack(chosen.text)):
        wanted[Key.TEXT] = packed
    return wanted


def _fields() -> dict[Key, links.Field]:
    """Everything that a link to the current page may say."""
    own = PAGE_FIELDS.get(st.session_state[Key.PAGE], {})
    return {
        Key.EXAMPLE: tuple(example.id for example in load_examples()),
        Key.INPUT: INPUTS,
        Key.CHECKPOINT: tuple(checkpoints.installed()),
        Key.STRATEGY: get_args(Strategy),
        Key.TRUNCATION: get_args(Truncation),
        Key.WORDS: WORDS,
        **NUMBERS,
        **{key: field for key, (field, _) in own.items()},
    }


def _asks(page: str) -> bool:
    """Whether the address asks something of its page, and nothing of another one."""
    if (page, st.query_params.to_dict()) in st.session_state.get(Key.LEFT, ()):
        return False
    others = {key for name, fields in PAGE_FIELDS.items() if name != page for key in fields}
    asked = st.query_params.to_dict().keys()
    return bool(asked) and not asked & (others - PAGE_FIELDS.get(page, {}).keys())


def _forget_other_dialogue() -> None:
    """Choose nothing in a dialogue that is new; before the address names it, or Back would find old choices in it."""
    session, text = st.session_state, state.selection().text
    if _is_other_dialogue(text):
        defaults = state.defaults(session[Key.CHECKPOINT])
        session.update({key: defaults[key] for key in OF_DIALOGUE})
    session[Key.ABOUT] = text


def _is_other_dialogue(text: str) -> bool:
    """Whether what is chosen in a dialogue was chosen in another one than this."""
    return bool(st.session_state.get(Key.ABOUT, text) != text)


def _is_history_step() -> bool:
    """Whether the browser's Back or Forward asked for this run."""
    context = get_script_run_ctx()
    return bool(getattr(context, "is_history_navigation", False))


def _read_link() -> None:
    """Take over what the link says; what it does not say is as on a first visit, what is invalid is noted."""
    session = st.session_state
    fields = _fields()
    values, found = links.read(st.query_params.to_dict(), fields)
    about = (Key.ABOUT, Key.SEEN, Key.SHOWN, Key.TRIED)  # what a link chooses is about the dialogue that it brings
    for key in (*fields, *about):
        session.pop(key, None)
    session.update(values)
    session.setdefault(Key.EXAMPLE, load_examples()[0].id)
    text = None
    try:
        packed = st.query_params.get(Key.TEXT)
        text = links.unpack(packed) if packed else None
    except DialogueError as error:
        found = (*found, str(error))
    _take_text(text)
    session[Key.NOTES] = found
    session[Key.JUMPS] = session.get(Key.JUMPS, 0) + 1  # components that keep their own place follow


def _take_text(text: str | None) -> None:
    session, origin = st.session_state, state.origin()
    if origin != OWN:
        session[Key.EDITS] = Edits(origin, (text,)) if text else None
    elif text:
        session[Key.DIALOGUE], session[Key.EDITS] = Own(text), None
        session[Key.PASTE_BOX] = text
