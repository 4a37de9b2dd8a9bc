"""Fields: what a link can carry. Each is declared once, beside the control that it belongs to.

A field has one name in the link and in the session; a widget of it takes `key=FIELD.name, persist_state="session"`.
The page lists its fields, and `address` fills them from a link and writes them into it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, Generic, TypeVar

import streamlit as st

from core.figures.shared.wording import count
from core.limits import limits
from core.words import say
from pages.shared.session import notices, option_labels

T = TypeVar("T")
ASKED, FRESH, SUBJECT = "asked_by_link", "fresh_by_link", "subject_of_"
"""Session keys: the names of fields that the last link set and no page has checked yet; the names of fields that the
last link set together with what they are about; what fields are about."""
MOST_LISTED, LISTED = 12, 6
"""A note names so many options if there are no more, and otherwise so many of them."""


class Field(ABC, Generic[T]):
    """A choice that a link can carry.

    Args:
        name: in the link and in the session.
        default: its value on a first visit; a link does not name it.
        of_dialogue: whether it is chosen in one dialogue, and forgotten with it.
    """

    def __init__(self, name: str, default: T, *, of_dialogue: bool = False) -> None:
        self.name = name
        self.default = default
        self.of_dialogue = of_dialogue

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def value(self) -> T:
        """The value in this session."""
        return st.session_state.get(self.name, self.default)  # type: ignore[no-any-return]

    @value.setter
    def value(self, value: T) -> None:
        st.session_state[self.name] = value

    def clear(self) -> None:
        """Go back to the default; for a button."""
        self.value = self.default

    @property
    @abstractmethod
    def allowed(self) -> str:
        """Say what a link may ask for."""

    @abstractmethod
    def parse(self, raw: str) -> T | None:
        """Return the value of a text in a link, or None if it is not allowed."""

    @abstractmethod
    def holds(self, value: object) -> bool:
        """Return whether the session may hold a value: a widget's may be forged."""

    def write(self, value: T) -> str:
        """Return the value as it stands in a link."""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def fit(self, options: Collection[T], noun: str, instead: T | None = None) -> T:
        """Keep the value among what exists in this run; a link that asks for anything else is noted.

        Args:
            options: what exists now, a range for instance.
            noun: what is chosen, said, for the note: a value follows it.
            instead: the value to take if it does not exist; None: the default.

        Returns:
            The value, which is also in the session.
        """
        value = self.value
        asked = take_asked(self)
        if value not in options:
            if asked:
                notices.note(
                    say(
                        "The link asks for {noun} {value}, which does not exist here ({possible}).",
                        noun=noun, value=str(value)[:60], possible=_range(options),
                    )
                )  # fmt: skip
            self.value = self.default if instead is None else instead
        return self.value

    def refuse(self, reason: str, instead: T | None = None) -> T:
        """Put another value in place of one that cannot be used; if a link asked for it, note the reason.

        Args:
            reason: a whole sentence, said.
            instead: the value to take; None: the default.
        """
        if take_asked(self):
            notices.note(reason)
        self.value = self.default if instead is None else instead
        return self.value


class Choice(Field[str]):
    """One of some words, which a function may list; without `default` the first of them.

    A mapping of words holds what each is called on the page, a message of `core.words`.
    """

    def __init__(
        self, name: str, options: Collection[str] | Callable[[], Collection[str]], default: str = "", **more: Any
    ) -> None:
        self._options = options
        super().__init__(name, default or next(iter(self.options)), **more)

    @property
    def options(self) -> tuple[str, ...]:
        """Return the words."""
        return tuple(self._options() if callable(self._options) else self._options)

    @property
    def words(self) -> dict[str, str]:
        """Return what each word is called on the page, said; raises TypeError if the options have no names."""
        if not isinstance(self._options, Mapping):
            raise TypeError(f"{self!r} has no names of its options")
        return {option: say(name) for option, name in self._options.items()}

    @property
    def allowed(self) -> str:
        """Say what a link may ask for."""
        return _some(self.options)

    def parse(self, raw: str) -> str | None:
        """Return the word, or None if it is none of the options."""
        return raw if raw in self.options else None

    def holds(self, value: object) -> bool:
        """Return whether the value is a word; which ones there are now is for `fit`."""
        return isinstance(value, str) and (value in self.options or callable(self._options))


class Number(Field[Any]):
    """A number in a range, whose upper end may be the name of a limit; whole if `low` is an int."""

    def __init__(self, name: str, low: float, high: float | str, default: float, step: float = 1, **more: Any) -> None:
        super().__init__(name, default, **more)
        self.low, self._high, self.step = low, high, step

    @property
    def high(self) -> float:
        """Return the largest number."""
        return getattr(limits(), self._high) if isinstance(self._high, str) else self._high

    @property
    def allowed(self) -> str:
        """Say what a link may ask for."""
        return say("{low} to {high}", low=f"{self.low:g}", high=f"{self.high:g}")

    def parse(self, raw: str) -> float | None:
        """Return the number, or None if the text is none or out of range."""
        try:
            value = type(self.low)(raw)
        except ValueError:
            return None
        return value if math.isfinite(value) and self.low <= value <= self.high else None

    def holds(self, value: object) -> bool:
        """Return whether the value is a number in the range, and whole if that is."""
        kinds = (int, float) if isinstance(self.low, float) else int
        return isinstance(value, kinds) and not isinstance(value, bool) and bool(self.low <= value <= self.high)

    def clamp(self, value: float) -> float:
        """Return the value, or the end of the range that it is beyond; whole if the range is."""
        return type(self.low)(min(max(value, self.low), self.high))


class Text(Field[str]):
    """A text of at most `longest` characters, which the page itself reads."""

    def __init__(self, name: str, longest: int, default: str = "", **more: Any) -> None:
        super().__init__(name, default, **more)
        self.longest = longest

    @property
    def allowed(self) -> str:
        """Say what a link may ask for."""
        return count(self.longest, "character")

    def parse(self, raw: str) -> str | None:
        """Return the text, or None if it is too long."""
        return raw if len(raw) <= self.longest else None

    def holds(self, value: object) -> bool:
        """Return whether the value is a text that is not too long."""
        return isinstance(value, str) and len(value) <= self.longest


def take_asked(field: Field[Any]) -> bool:
    """Return whether the last link set a field, and count it as checked."""
    asked = st.session_state.get(ASKED, frozenset())
    st.session_state[ASKED] = asked - {field.name}
    return field.name in asked


def follow(subject: Hashable, *fields: Field[Any]) -> bool:
    """Reset fields whose subject has changed: a token chosen in one summary means nothing in another.

    Args:
        subject: what the fields are about now.
        fields: all of one subject; a value that a link just set stays.

    Returns:
        Whether the subject is another one than in the run before.
    """
    key, names = f"{SUBJECT}{fields[0].name}", {field.name for field in fields}
    before, fresh = st.session_state.get(key, subject), st.session_state.get(FRESH, frozenset())
    st.session_state.update({key: subject, FRESH: fresh - names})
    if before != subject:
        for field in fields:
            if field.name not in fresh:
                field.value = field.default
    return bool(before != subject)


def read(link: Mapping[str, str], fields: Collection[Field[Any]]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what a link says, by name, and a note on each value that is not allowed; unknown names are left alone."""
    values: dict[str, Any] = {}
    notes = []
    for field in fields:
        raw = link.get(field.name)
        if raw is None:
            continue
        value = field.parse(raw)
        if value is None:
            notes.append(
                say(
                    "The link asks for {asked}, which is not possible here (allowed: {allowed}).",
                    asked=f"{field.name}={raw[:40]}", allowed=field.allowed,
                )
            )  # fmt: skip
        else:
            values[field.name] = value
    return values, tuple(notes)


def check(fields: Collection[Field[Any]]) -> None:
    """Put the default in place of every value that a field cannot have, and note it; before the widgets are drawn.

    The browser keeps to the range of a widget; whoever speaks the protocol need not.
    """
    for field in fields:
        value = st.session_state.get(field.name, field.default)
        if not field.holds(value) and field.holds(option := option_labels.meant(field.name, value)):
            field.value = value = option
        if not field.holds(value):
            got = f"{value:,g}" if isinstance(value, float) else repr(value)
            notices.note(
                say(
                    "{name} cannot be {value}. Allowed: {allowed}. It is {default} now.",
                    name=field.name, value=got[:60], allowed=field.allowed, default=field.default,
                )
            )  # fmt: skip
            field.value = field.default


def _range(options: Collection[Any]) -> str:
    if not options:
        return say("there is none")
    if isinstance(options, range):
        return say("possible: {first:,} to {last:,}", first=options[0], last=options[-1])
    return say("possible: {options}", options=_some(options))


def _some(options: Collection[Any]) -> str:
    """List options, all of them if they are few; otherwise say how many are left out."""
    named = [str(option)[:40] for option in list(options)[: LISTED if len(options) > MOST_LISTED else None]]
    if len(named) == len(options):
        return ", ".join(named)
    return say("{options} and {count:,} more", options=", ".join(named), count=len(options) - len(named))
