"""A class that follows: who presents gets a code, and whoever has the code learns what the presenter shows.

All of it lives in the memory of one server process. A presenter is known by a key that nobody else was given, a
follower by a name without meaning that is forgotten when the connection ends: nothing else of a follower is kept.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.errors import FollowingError
from core.limits import limits
from core.place import Place

LETTERS = "34679CDFGHJKMNPQRTVWXY"
"""What codes are made of: nothing that looks like something else (0 and O, 1 and I), and no words."""
LENGTH = 6
GRACE = 3.0
"""Seconds for which somebody counts whose connection ended: a browser asks again at once."""
TABS = 4
"""Connections of a presenter, and of a follower, that are served."""


@dataclass(frozen=True)
class View:
    """What those who follow are told.

    Args:
        scene: what the presenter showed last.
        version: grows with each change; 1 is the first scene.
        followers: who is connected now.
    """

    scene: Place
    version: int
    followers: int


@dataclass(frozen=True)
class Ticket:
    """What a presenter gets: the code to show, and the key to keep."""

    code: str
    key: str


@dataclass
class _Connected:
    """Somebody who listens: what to call for each connection, and when the last one ended."""

    calls: list[Callable[[], None]] = field(default_factory=list)
    left: float = 0.0


@dataclass
class _Class:
    key: str
    scene: Place
    seen: float
    version: int = 1
    listeners: dict[str, _Connected] = field(default_factory=dict)

    def followers(self, now: float) -> list[str]:
        """Return who follows, and forget whose connection has ended."""
        gone = [who for who, listener in self.listeners.items() if not listener.calls and now - listener.left > GRACE]
        for who in gone:
            del self.listeners[who]
        return [who for who in self.listeners if who != self.key]


class Classes:
    """All classes of a server process.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._classes: dict[str, _Class] = {}
        self._lock = threading.Lock()

    def begin(self, scene: Place) -> Ticket:
        """Open a class; raises FollowingError where all codes are taken.

        The code of a class that nobody follows is given up for a new one, the one first that was silent longest.
        """
        with self._changing() as told:
            most = limits().following_codes
            if most and len(self._classes) >= most:
                empty = [code for code, each in self._classes.items() if not each.followers(self._clock())]
                if empty:
                    self._drop(min(empty, key=lambda code: self._classes[code].seen), told)
            if len(self._classes) >= most:
                raise FollowingError(
                    "All codes are taken. Received: one class more; allowed: {most} at once. Try again when "
                    "another class is over",
                    most=most,
                )
            code = next(each for each in iter(_draw, "") if each not in self._classes)
            ticket = Ticket(code, secrets.token_urlsafe(24))
            self._classes[code] = _Class(ticket.key, scene, self._clock())
            return ticket

    def publish(self, ticket: Ticket, scene: Place) -> None:
        """Show a scene, and keep the class alive; raises FollowingError if it is over or the key is not the class's."""
        with self._changing() as told:
            class_ = self._presented(ticket)
            class_.seen = self._clock()
            if scene != class_.scene:
                class_.scene, class_.version = scene, class_.version + 1
                told.extend(_calls(class_))

    def end(self, ticket: Ticket) -> None:
        """End a class; one that is over already may be ended, too."""
        with self._changing() as told:
            try:
                self._presented(ticket)
            except FollowingError:
                return
            self._drop(ticket.code, told)

    def look(self, code: str) -> View:
        """Return what a class sees now; raises FollowingError if there is none of this code."""
        with self._changing():
            class_ = self._found(code)
            return View(class_.scene, class_.version, len(class_.followers(self._clock())))

    def admit(self, code: str, who: str) -> None:
        """Raise FollowingError if there is no class of this code, or if it is full and this is a new follower."""
        with self._changing():
            self._admit(code, who)

    def listen(self, code: str, who: str, call: Callable[[], None]) -> Callable[[], None]:
        """Call a function from any thread whenever there is news.

        Args:
            code: of the class.
            who: the presenter's key, or the name of a follower.
            call: must return at once; it is also called when the class ends.

        Returns:
            What ends it.

        Raises:
            FollowingError: there is no class of this code, or too many follow it.
        """
        with self._changing() as told:
            class_ = self._admit(code, who)
            connected = class_.listeners.setdefault(who, _Connected())
            if not connected.calls:
                told.extend(class_.listeners.get(class_.key, _Connected()).calls)
            connected.calls = [*connected.calls, call][-TABS:]

        def leave() -> None:
            with self._changing() as told:
                connected.calls = [other for other in connected.calls if other is not call]
                connected.left = self._clock()
                told.extend(class_.listeners.get(class_.key, _Connected()).calls)

        return leave

    @contextmanager
    def _changing(self) -> Iterator[list[Callable[[], None]]]:
        """Hold the lock and forget what expired; what is put into the list is called afterwards."""
        told: list[Callable[[], None]] = []
        try:
            with self._lock:
                oldest = self._clock() - 60 * limits().following_minutes
                for code in [code for code, each in self._classes.items() if each.seen < oldest]:
                    self._drop(code, told)
                yield told
        finally:
            for each in told:
                each()

    def _drop(self, code: str, told: list[Callable[[], None]]) -> None:
        told.extend(_calls(self._classes.pop(code)))

    def _found(self, code: str) -> _Class:
        class_ = self._classes.get(code)
        if class_ is None:
            raise FollowingError(
                "No class has the code {code!r} here: it is over, the code is mistyped, or another server of this "
                "app gave it. Ask the presenter for the code or the link",
                code=code[:20],
            )
        return class_

    def _presented(self, ticket: Ticket) -> _Class:
        class_ = self._found(ticket.code)
        if not secrets.compare_digest(class_.key.encode(), ticket.key.encode()):
            raise FollowingError("Only who began the class can present in it. Received: another key")
        return class_

    def _admit(self, code: str, who: str) -> _Class:
        class_, most = self._found(code), limits().followers
        followers = class_.followers(self._clock())
        if who != class_.key and who not in followers and len(followers) >= most:
            raise FollowingError(
                "The class {code} is full. Received: one follower more; allowed: {most}. Try again when somebody "
                "has left",
                code=spaced(code),
                most=most,
            )
        return class_


def read_code(text: str) -> str:
    """Return the code that somebody typed, in any case, with blanks or hyphens; raises FollowingError if it is none."""
    code = "".join(sign for sign in text.upper() if not sign.isspace() and sign != "-")
    if len(code) != LENGTH or set(code) - set(LETTERS):
        raise FollowingError(
            "This is no code of a class. Received: {received!r}; allowed: {length} of the signs {letters}",
            received=text[:20],
            length=LENGTH,
            letters=LETTERS,
        )
    return code


def spaced(code: str) -> str:
    """Return a code as people read it: in two halves."""
    return f"{code[: LENGTH // 2]} {code[LENGTH // 2 :]}"


def _draw() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def _calls(class_: _Class) -> list[Callable[[], None]]:
    return [call for listener in class_.listeners.values() for call in listener.calls]


CLASSES = Classes()
"""The classes of this process."""
