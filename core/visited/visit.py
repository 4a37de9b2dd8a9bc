"""What was looked at, and the bounded list of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.errors import VisitedError
from core.limits import limits
from core.place import Place

LONGEST_NAME = 80
Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class Visit:
    """One thing that was looked at, with all that leads back to it: text and settings, no trace.

    Args:
        name: what it was.
        subject: tells it from other things on its page; what has the same subject is one entry.
        place: where it was, with the dialogue as a text; no dialogue for a page that is not about one.
        checkpoint: the name of the model; "" where none mattered.
        time: when it was looked at last; aware.
        settings: of the decoding; empty where it did not matter.
        summary: what the model had written, "" if it had not.
        named: whether the visitor gave the name. Such an entry stays as it is.
        number: tells the entries of a list apart; a list gives it.
    """

    name: str
    subject: str
    place: Place
    checkpoint: str
    time: datetime
    settings: Settings = field(default_factory=dict)
    summary: str = ""
    named: bool = False
    number: int = 0

    @property
    def how(self) -> str:
        """Return how the summary was decoded, in short; "" where that did not matter."""
        return how(self.settings)

    @property
    def size(self) -> int:
        """Return its characters, those of the dialogue left out: entries share it."""
        return sum(map(len, (self.name, self.place.address, self.summary, *self.place.references)))

    def same_thing(self, other: "Visit") -> bool:
        """Return whether two visits are of one thing, which may have changed in small steps between them."""
        mine, others = (
            (visit.place.page, visit.subject, visit.checkpoint, visit.how, visit.place.dialogue, visit.place.references)
            for visit in (self, other)
        )
        return mine == others

    def same_state(self, other: "Visit") -> bool:
        """Return whether two visits show exactly the same."""
        return self.same_thing(other) and self.place.link == other.place.link


@dataclass(frozen=True, slots=True)
class Visited:
    """A list of visits, the newest first, within the limits `visits` and `visited_characters`.

    Args:
        items: the visits.
        made: how many numbers were given.
    """

    items: tuple[Visit, ...] = ()
    made: int = 0

    def add(self, visit: Visit) -> "Visited":
        """Return the list with a visit on top, in place of one of the same thing unless that has a name of its own."""
        kept = next((item for item in self.items if item.named and item.same_state(visit)), None)
        if kept:
            visit = replace(kept, time=visit.time, summary=visit.summary or kept.summary)
        before = next((item for item in self.items if not item.named and item.same_thing(visit)), None)
        old = kept or before
        number = old.number if old else self.made + 1
        summary = visit.summary or (old.summary if old and old.same_state(visit) else "")
        others = tuple(item for item in self.items if item is not old)
        visit = replace(visit, number=number, summary=summary)
        return Visited((visit, *others), max(self.made, number)).fitted()

    def merge(self, visits: Iterable[Visit]) -> "Visited":
        """Return the list with those visits of another list that it lacks, ordered by time."""
        items, made = list(self.items), self.made
        for visit in visits:
            if not any(item.same_state(visit) and item.named == visit.named for item in self.items):
                made += 1
                items.append(replace(visit, number=made))
        return Visited(tuple(sorted(items, key=lambda item: item.time, reverse=True)), made).fitted()

    def rename(self, number: int, name: str) -> "Visited":
        """Return the list with a new name for an entry; raises VisitedError if it is empty or too long."""
        name = checked_name(name)
        items = (replace(item, name=name, named=True) if item.number == number else item for item in self.items)
        return replace(self, items=tuple(items)).fitted()

    def remove(self, number: int) -> "Visited":
        """Return the list without an entry."""
        return replace(self, items=tuple(item for item in self.items if item.number != number))

    def fitted(self) -> "Visited":
        """Return the list without what is beyond the limits: the oldest goes first, entries with own names last."""
        most, room = limits().visits, limits().visited_characters
        items = list(self.items)
        while len(items) > 1 and (len(items) > most or characters(items) > room):
            unnamed = [place for place, item in enumerate(items) if place and not item.named]
            del items[unnamed[-1] if unnamed else -1]
        return replace(self, items=tuple(items))


def how(settings: Settings) -> str:
    """Return settings of decoding in short: "beam 4"; "" for none."""
    number = {"beam": "beam_size", "sample": "seed"}.get(str(settings.get("strategy")), "")
    return " ".join(str(settings[name]) for name in ("strategy", number) if name in settings)


def characters(visits: Iterable[Visit]) -> int:
    """Return the characters of all texts; a dialogue of several entries counts once."""
    visits = tuple(visits)
    return sum(visit.size for visit in visits) + sum(map(len, {visit.place.dialogue for visit in visits}))


def checked_name(name: str) -> str:
    """Return a name on one line; raises VisitedError if it is empty or too long."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        sizes = {"got": len(name), "most": LONGEST_NAME}
        raise VisitedError("an entry needs a name. Received: {got} characters; allowed: 1 to {most}", **sizes)
    return name
