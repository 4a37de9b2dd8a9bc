"""All lessons that an app offers: ours, and those of a folder that DIALOSCOPE_LESSONS names.

A folder may have a folder for each language, `tr` or `vi`: a file there takes the place of the one with its name where
that language is spoken.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.errors import LessonError
from core.files import cause, fault, mistaken, read_text
from core.lessons.reader import parse
from core.lessons.stop import Leg, Stop, Talk
from core.limits import limits
from core.words import LANGUAGES, language, later, say

BUNDLED = Path(__file__).with_name("bundled")
SETTING = "DIALOSCOPE_LESSONS"
"""Environment variable of a folder with lessons of one's own."""
PATH, OWN = "path", "own"
"""Ids of the talks that hold our stops, and the other stops of one's own folder."""
TITLES = {PATH: later("The path"), OWN: later("Your own lessons")}
Check = Callable[[Stop], str]
Stamp = tuple[tuple[str, int, int], ...]
"""Of each file of a folder its path, its time and its size: what tells an edited folder from the one that was read."""


@dataclass(frozen=True)
class Fault:
    """A file that cannot be used, and why."""

    file: str
    reason: str


@dataclass(frozen=True)
class Course:
    """Stops and talks by id, in their order, and the files that cannot be used.

    A stop of one's own with the id of one of ours takes its place.
    """

    stops: Mapping[str, Stop]
    talks: Mapping[str, Talk]
    faults: tuple[Fault, ...] = ()

    def talk(self, id: str, stop: str) -> Talk:
        """Return a talk that leads through a stop: the one with this id, else the first that does."""
        wanted = self.talks.get(id)
        if wanted and wanted.place(stop) is not None:
            return wanted
        return next(talk for talk in self.talks.values() if talk.place(stop) is not None)


def own_folder() -> Path | None:
    """Return the folder of one's own lessons, None where no setting names one."""
    path = os.environ.get(SETTING)
    return Path(path) if path else None


def load(folder: Path | None = None, check: Check | None = None) -> Course:
    """Return our lessons with those of a folder, in the language spoken; what changed in them is read again.

    Args:
        folder: None for the one that the setting names.
        check: says why a stop cannot be used, "" if it can.
    """
    folder = folder or own_folder()
    spoken = language()
    return _load(folder, check, spoken, _stamps(BUNDLED, spoken), _stamps(folder, spoken) if folder else ())


@lru_cache(maxsize=4 * len(LANGUAGES))
def _load(folder: Path | None, check: Check | None, spoken: str, ours: Stamp, theirs: Stamp) -> Course:
    stops, talks, faults = _translated(BUNDLED, check, spoken)
    more, other_talks, other_faults = _translated(folder, check, spoken) if folder else ([], [], [])
    known = {stop.id for stop in stops}
    own = [stop.id for stop in more if stop.id not in known]
    return _course([*stops, *more], [*talks, *other_talks], [*faults, *other_faults], own)


Found = tuple[list[Stop], list[Talk], list[Fault]]


def _translated(folder: Path, check: Check | None, spoken: str) -> Found:
    """Read a folder, and then what it has in a language, which takes the place of what has the same id."""
    stops, talks, faults = read_folder(folder, check)
    if not (folder / spoken).is_dir():
        return stops, talks, faults
    more, other_talks, other_faults = read_folder(folder / spoken, check)
    return [*stops, *more], [*talks, *other_talks], [*faults, *(_within(spoken, other) for other in other_faults)]


def elsewhere(folder: Path) -> tuple[Fault, ...]:
    """Return what is wrong with the files of the languages that are not spoken here."""
    others = [code for code in LANGUAGES if code != language() and (folder / code).is_dir()]
    return tuple(_within(code, each) for code in others for each in read_folder(folder / code)[2])


def _within(folder: str, wrong: Fault) -> Fault:
    """Return a fault whose file is named with its folder."""
    if not wrong.file.endswith(".md"):
        return wrong
    name = f"{folder}/{wrong.file}"
    return Fault(name, wrong.reason.replace(wrong.file, name, 1))


def read_folder(folder: Path, check: Check | None = None) -> Found:
    """Read every file that ends in .md, in the order of their names; one that cannot be used is among the faults."""
    lessons: dict[str, Stop | Talk] = {}
    faults: list[Fault] = []
    try:
        paths = sorted((each for each in folder.iterdir() if each.suffix == ".md"), key=_order)
    except OSError as error:
        reason = say("the folder cannot be read: {fault}; name another one", fault=cause(error))
        return [], [], [Fault(str(folder), reason)]
    most = limits().lessons
    many = say("a folder has at most {most} lessons; take some files out", most=most)
    faults += [Fault(path.name, many) for path in paths[most:]]
    for path in paths[:most]:
        try:
            each = _read(path, check)
            if each.id in lessons:
                twice = say(
                    "{file}: another file is called {id} already; rename one of them", file=path.name, id=each.id
                )
                raise LessonError(twice)
        except LessonError as error:
            faults.append(Fault(path.name, str(error)))
        else:
            lessons[each.id] = each
    stops = [each for each in lessons.values() if isinstance(each, Stop)]
    return stops, [each for each in lessons.values() if isinstance(each, Talk)], faults


def _order(path: Path) -> list[tuple[str, int]]:
    """Return what files are sorted by: numbers in a name count as numbers, 9 before 10."""
    return [(text, int(number or 0)) for text, number in re.findall(r"([^0-9]*)([0-9]*)", path.name)]


def _read(path: Path, check: Check | None) -> Stop | Talk:
    """Read a file, and raise what the check says of it, too."""
    lesson = read(path)
    if check and isinstance(lesson, Stop) and (reason := check(lesson)):
        raise LessonError(f"{path.name}: {reason}")
    return lesson


def read(path: Path) -> Stop | Talk:
    """Read a file; raises LessonError, which names it."""
    try:
        text = read_text(path, limits().lesson_file)
        if reason := mistaken(path):
            raise OSError(reason)
    except (OSError, ValueError) as error:
        reason = fault(path, error, say("save it again as plain text, UTF-8"))
        raise LessonError("{file} cannot be read: {fault}", file=path.name[:60], fault=reason) from None
    return parse(path.name, text)


def _course(stops: list[Stop], talks: list[Talk], faults: list[Fault], own: list[str]) -> Course:
    """Return a course whose talks lead through stops that exist."""
    known = {each.id: each for each in stops}  # the last of an id, in the place of the first
    usable_talks: dict[str, Talk] = {}
    for id, title in TITLES.items():
        legs = tuple(Leg(each) for each in known if (each in own) == (id == OWN))
        if legs:
            usable_talks[id] = Talk(id, say(title), "", legs)
    for talk in sorted({each.id: each for each in talks}.values(), key=lambda each: each.minutes):
        lost = [leg.stop for leg in talk.legs if leg.stop not in known]
        if lost:
            file, missing, allowed = f"{talk.id}.md", ", ".join(lost)[:60], ", ".join(known)[:300]
            reason = say(
                "{file}: there is no stop {stop}; allowed: {allowed}", file=file, stop=missing, allowed=allowed
            )
            faults = [*faults, Fault(file, reason)]
        else:
            usable_talks[talk.id] = talk
    return Course(known, usable_talks, tuple(faults))


def _stamps(folder: Path, spoken: str) -> Stamp:
    return (*_stamp(folder), *_stamp(folder / spoken))


def _stamp(folder: Path) -> Stamp:
    try:
        files = [(entry.path, entry.stat()) for entry in os.scandir(folder) if entry.name.endswith(".md")]
    except OSError:
        return ()
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in files))
