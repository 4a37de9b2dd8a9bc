"""Refuse messages that no honest browser sends.

Streamlit reads a control's value before the page runs, so no page could refuse it: a value that cannot be read ended
the run with a traceback. Here such a value counts as not sent, the control keeps the value that it had, and a note
says so. Values that can be read but are out of range are left to `Field` and to the callbacks.
"""

import json
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import Any

from streamlit.runtime.state.common import WidgetMetadata, user_key_from_element_id
from streamlit.runtime.state.session_state import Serialized, WStates

from core.words import later, say
from pages.shared.session import notices

LONGEST_TEXT = 1_000_000
"""Characters of a text in a message; what a text box allows is the page's own."""
LARGEST_NUMBER = 2**53
"""The largest whole number that a browser counts to."""
_EVENTS = "$$STREAMLIT_INTERNAL_KEY_", "__events"
"""What surrounds the id of a component in the id of its events."""
_SHAPES: dict[str, Mapping[str, Any]] = {}
_NAMES: dict[Any, str] = {
    int: later("a whole number"),
    float: later("a number"),
    str: later("a text"),
    bool: later("true or false"),
    None: "null",
}
"""In English, and translated when shown."""
_PARTS: dict[str, Any] = {"points": [{}], "rows": [range(LARGEST_NUMBER)]}
"""What pages read of a selection in a chart and in a table."""
_read: Callable[[WStates, str], Any] = WStates.__getitem__


def expect(key: str, shapes: Mapping[str, Any]) -> None:
    """Say what a component sends, before it is drawn.

    Args:
        key: of the component.
        shapes: for each event its shape: `int`, `float`, `str`, `bool` or None; a dictionary of shapes; a list that
            holds the shape of its items; a tuple of shapes of which one must fit; a range of whole numbers.
    """
    _SHAPES[key] = shapes


def fits(value: Any, shape: Any) -> bool:
    """Return whether a value out of JSON has a shape."""
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, dict):
        return isinstance(value, Mapping) and all(fits(value.get(name), each) for name, each in shape.items())
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if isinstance(shape, range):
        return fits(value, int) and value in shape
    if shape is None or shape is bool:
        return value is None if shape is None else isinstance(value, bool)
    if shape is str:
        return isinstance(value, str) and len(value) <= LONGEST_TEXT
    number = isinstance(value, int if shape is int else int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and abs(value) <= LARGEST_NUMBER


def described(shape: Any) -> str:
    """Say a shape in words."""
    if isinstance(shape, tuple):
        first, *others = (described(part) for part in shape)
        return reduce(lambda one, other: say("{one} or {other}", one=one, other=other), others, first)
    if isinstance(shape, dict):
        return f"{{{', '.join(f'{name}: {described(part)}' for name, part in shape.items())}}}"
    if isinstance(shape, range):
        return say("a whole number from {first} to {last}", first=shape[0], last=shape[-1])
    if isinstance(shape, list):
        return say("a list of {things}", things=described(shape[0]))
    return say(_NAMES[shape])


def _guarded(states: WStates, key: str) -> Any:
    """Return the value of a control; raises KeyError, as if it had not come, if none could have sent it."""
    state = states.states.get(key)
    metadata = states.widget_metadata.get(key)
    if not isinstance(state, Serialized) or metadata is None:
        return _read(states, key)
    name = _name(key)
    if _refusing.key == key:  # what is said of it asks for its value: the choice of a language
        raise KeyError(key)
    try:
        _check_kind(state, metadata)
        value = _read(states, key)
        if name in _SHAPES:
            _check_message(value, _SHAPES[name])
        elif isinstance(value, Mapping) and not fits(value, _chosen(value)):
            raise _Refusal(say("no part of a chart or table can be chosen or edited so"))
    except KeyError:
        raise
    except Exception as error:  # deserializers raise whatever they meet
        states.states[key] = state
        with _refusing.at(key):
            _note(name, error)
        raise KeyError(key) from None
    return value


def _note(name: str, error: Exception) -> None:
    reason = str(error) if isinstance(error, _Refusal) else say("it cannot be read")
    control = name[:60] or say("a control")
    notices.note(
        say("The browser sent a value for {control} that was left out: {reason}.", control=control, reason=reason)
    )


def _chosen(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shape of what a chart or table sends, as far as pages read it."""
    if "edited_rows" in value:
        cell = (float, None)
        edits = {row: dict.fromkeys(cells, cell) for row, cells in value["edited_rows"].items()}
        return {"edited_rows": edits, "added_rows": [{}], "deleted_rows": [int]}
    return {"selection": {name: shape for name, shape in _PARTS.items() if name in (value.get("selection") or ())}}


class _Refusal(ValueError):
    """Why a value is refused."""


class _Refusing(threading.local):
    """The control whose value this thread refuses just now."""

    key: str | None = None

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        before, self.key = self.key, key
        try:
            yield
        finally:
            self.key = before


_refusing = _Refusing()


def _name(key: str) -> str:
    inner = key.removeprefix(_EVENTS[0]).removesuffix(_EVENTS[1])
    return user_key_from_element_id(inner) or ""


def _check_kind(state: Serialized, metadata: WidgetMetadata[Any]) -> None:
    """Raise _Refusal for a value of another type of control; browsers send whole numbers in a field of their own."""
    kind = state.value.WhichOneof("value")
    if len({field.replace("int_", "double_") for field in (kind, metadata.value_type) if field}) > 1:
        raise _Refusal(say("received: {received}; allowed: {allowed}", received=kind, allowed=metadata.value_type))
    if kind in ("json_value", "json_trigger_value"):  # Streamlit would write a traceback and go on
        content = json.loads(getattr(state.value, kind))
        if kind == "json_value" and not isinstance(content, dict):
            raise _Refusal(say("received: {received}; allowed: an object", received=json.dumps(content)[:40]))


def _check_message(value: Any, shapes: Mapping[str, Any]) -> None:
    """Raise _Refusal for a message that the component does not send: its events, or its whole state."""
    if isinstance(value, list):
        sent = [(each.get("event"), each.get("value")) if isinstance(each, Mapping) else (None, each) for each in value]
    else:
        sent = list(value.items()) if isinstance(value, Mapping) else []
    for event, content in sent:
        if not isinstance(event, str) or event not in shapes or not fits(content, (*_either(shapes[event]), None)):
            allowed = "; ".join(_with(name, described(shape)) for name, shape in shapes.items())
            received = _with(str(event)[:40], json.dumps(content)[:100])
            raise _Refusal(say("received: {received}; allowed: {allowed}", received=received, allowed=allowed))


def _with(event: str, content: str) -> str:
    return say("{event} with {content}", event=event, content=content)


def _either(shape: Any) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


WStates.__getitem__ = _guarded  # type: ignore[method-assign]
