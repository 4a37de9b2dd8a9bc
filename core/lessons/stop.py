"""The values of a lesson: stops, what counts as done there, and talks that lead through stops."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.place import Place

PAGE, EDITED = "page", "turn edited"
"""What a condition can be about beside a link field: the open page, and the turns of the dialogue."""


@dataclass(frozen=True, slots=True)
class State:
    """A page as a task sees it.

    Args:
        page: its path, "" for the first one.
        values: its link fields, each as it stands in a link.
        edited: whether a turn of the dialogue was edited.
    """

    page: str
    values: Mapping[str, str]
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that must be so for a task to be done.

    Args:
        subject: name of a link field, `PAGE` or `EDITED`.
        value: what it must be; None: anything but what it was.
    """

    subject: str
    value: str | None = None

    def met(self, before: State, now: State) -> bool:
        """Return whether it is so.

        Args:
            before: the page as the stop set it up.
            now: the page as it is.
        """
        if self.subject == PAGE:
            return now.page == self.value
        if self.subject == EDITED:
            return now.edited
        value = now.values.get(self.subject)
        if self.value is not None:
            return value == self.value
        return value is not None and value != before.values.get(self.subject, value)


@dataclass(frozen=True, slots=True)
class Ask:
    """The name of a question, and the numbers that it takes: `most-read-turn step=15`."""

    name: str
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop: something to read, something to do on a page, something to predict.

    Args:
        id: in links; from the name of its file.
        title: a few words.
        text: two or three sentences, Markdown without HTML.
        place: where it happens, as the page is set up.
        task: what to do there, Markdown without HTML.
        done: the conditions under which it is done.
        ask: the question, if it has one.
        needs: the part of `core.config.Capabilities` that a model must have for it; "" for none.
    """

    id: str
    title: str
    text: str
    place: Place
    task: str
    done: tuple[Condition, ...]
    ask: Ask | None = None
    needs: str = ""

    def is_done(self, before: State, now: State) -> bool:
        """Return whether the task is done; arguments as for `Condition.met`."""
        return all(condition.met(before, now) for condition in self.done)


@dataclass(frozen=True, slots=True)
class Leg:
    """A stop of a talk, and the minutes for it; 0 where nobody counts them."""

    stop: str
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class Talk:
    """Stops in the order in which they are shown.

    Args:
        id: in links; from the name of its file.
        title: a few words.
        text: whom it is for, Markdown without HTML.
        legs: its stops; at least one.
    """

    id: str
    title: str
    text: str
    legs: tuple[Leg, ...]

    @property
    def minutes(self) -> int:
        """Return how long it takes; 0 where nobody counts."""
        return sum(leg.minutes for leg in self.legs)

    def place(self, stop: str) -> int | None:
        """Return where a stop is, from 0; None if the talk does not have it."""
        return next((place for place, leg in enumerate(self.legs) if leg.stop == stop), None)
