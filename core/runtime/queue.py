"""The queue for model work: few calls at once, the others wait in order, and each wait has an end.

A model is fastest when few threads use it, so every call of one enters the queue. Visitors are served in the order of
arrival, but nobody has two turns at once: a visitor with much work gets one turn, and then waits at the end again. Long
work comes in pieces, each with a turn of its own.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import BusyError

TURNS = 2
"""Turns at once: one fills most cores, and a second one uses the gaps."""
LOOK = 0.5
"""Seconds between two checks of a caller that waits for its turn."""
_PAST = 0.8
"""Share of the past in the mean length of a turn."""


@dataclass(frozen=True)
class Place:
    """How long a visitor still waits.

    Args:
        number: 1 for the next one.
        seconds: until the turn begins, by the mean length of the last turns.
    """

    number: int
    seconds: float


@dataclass(frozen=True, eq=False)
class _Ticket:
    visitor: Hashable


class _Turn(threading.local):
    """The turn of a thread: when it began, None where it has none."""

    began: float | None = None
    visitor: Hashable = None


class Queue:
    """A semaphore with an order, a bound, and one turn a visitor.

    Args:
        turns: most turns at once.

    Attributes:
        who: names the visitor of the calling thread; a thread is its own visitor unless an app says more.
        most: returns the largest number of visitors that may wait.
        waiting: is called in the thread that waits with its place, every `LOOK` seconds, and with None when that is
            over; what it raises gives the place up.
    """

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.who: Callable[[], Hashable] = threading.get_ident
        self.most: Callable[[], int] = lambda: 1_000_000
        self.waiting: Callable[[Place | None], None] = lambda place: None
        self._changed = threading.Condition()
        self._running: list[Hashable] = []
        self._tickets: list[_Ticket] = []
        self._seconds = 1.0
        self._mine = _Turn()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and hold it; inside of one's own turn this does nothing.

        Raises:
            BusyError: too many visitors wait already.
        """
        if self._mine.began is not None:
            yield
            return
        self._enter(self.who())
        try:
            yield
        finally:
            self._leave()

    def pause(self) -> None:
        """Let those who wait have their turns, then go on; for long work, inside of a turn."""
        if self._mine.began is None or not self.load()[1]:
            return
        visitor = self._mine.visitor
        self._leave()
        self._enter(visitor, bounded=False)

    def load(self) -> tuple[int, int]:
        """Return how many turns are taken, and how many visitors wait."""
        with self._changed:
            return len(self._running), len(self._tickets)

    def _enter(self, visitor: Hashable, bounded: bool = True) -> None:
        ticket = _Ticket(visitor)
        with self._changed:
            if bounded and len(self._tickets) >= self.most():
                seconds = max(1, round(self._seconds * len(self._tickets) / self.turns))
                raise BusyError(
                    "{number} visitors wait for the model already, which is the largest number. Try again in about "
                    "{seconds} s",
                    number=len(self._tickets),
                    seconds=seconds,
                )
            self._tickets.append(ticket)
        try:
            waited = self._wait(ticket)
        finally:
            with self._changed:
                self._tickets.remove(ticket)
                self._changed.notify_all()
        self._mine.began, self._mine.visitor = time.monotonic(), visitor
        if waited:
            try:
                self.waiting(None)
            except BaseException:
                self._leave()
                raise

    def _wait(self, ticket: _Ticket) -> bool:
        """Take a turn when it is there; return whether `waiting` was called before."""
        look, waited = time.monotonic() + LOOK, False
        while True:
            with self._changed:
                if self._is_next(ticket):
                    self._running.append(ticket.visitor)
                    return waited
                self._changed.wait(max(0.0, look - time.monotonic()))
                number = self._tickets.index(ticket) + 1
                place = Place(number, self._seconds * number / self.turns)
            if time.monotonic() >= look:
                self.waiting(place)  # outside of the lock: it may draw, and it may raise
                look, waited = time.monotonic() + LOOK, True

    def _leave(self) -> None:
        began = self._mine.began
        with self._changed:
            self._running.remove(self._mine.visitor)
            if began is not None:
                self._seconds = _PAST * self._seconds + (1 - _PAST) * (time.monotonic() - began)
            self._changed.notify_all()
        self._mine.began = None

    def _is_next(self, ticket: _Ticket) -> bool:
        """Return whether a turn is free and a ticket the first of those whose visitors have none."""
        if len(self._running) >= self.turns:
            return False
        return next((other for other in self._tickets if other.visitor not in self._running), None) is ticket


CALLS = Queue(TURNS)
"""The queue of this process: all models share its cores."""
