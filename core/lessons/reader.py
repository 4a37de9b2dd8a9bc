"""The reader of a lesson's file: lines `key: value` between two lines `---`, then the text in Markdown.

    ---
    title: One head
    link: /attention?see=head&kind=encoder&layer=1&head=3
    do: Open head 9 of layer 2.
    done: layer = 2 and head = 9
    question: looks-where
    ---
    Two or three sentences.

A file with the key `stops` is a talk. A line that begins with blanks goes on with the line before.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType

from core.errors import LessonError
from core.lessons.questions import QUESTIONS
from core.lessons.stop import EDITED, PAGE, Ask, Condition, Leg, Stop, Talk
from core.place import Place
from core.words import say

STOP_KEYS, NEEDED = ("title", "link", "do", "done", "question", "needs"), ("title", "link", "do", "done")
TALK_KEYS = ("title", "stops")
PARTS = ("heads", "positions", "blocks")
"""What `needs` may name."""
TITLE, TEXT, TASK, LINK = 60, 900, 300, 6000
"""Most characters of a title, of the text, of what there is to do, and of a link."""
CONDITIONS, LEGS, MINUTES = 4, 40, 180
"""Most conditions of a task, stops of a talk, and minutes of a stop."""
ID = re.compile(r"(?:\d+-)?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.md")
RESERVED = ("none", "path", "own")
"""What no stop and no talk may be called."""
_HTML, _IMAGE, _TARGET = re.compile(r"<[A-Za-z/!?]"), re.compile(r"!\["), re.compile(r"\]\(\s*([^)\s]*)")
_SCHEME, _DEFINED = re.compile(r"\b(?!https:)([a-z][a-z0-9+.-]*)://", re.IGNORECASE), re.compile(r"^\s*\[[^\]]+\]:")
_CONDITION = re.compile(r"([a-z_][a-z0-9_]*)\s*(?:=\s*(\S.*)|(changes))")
_LEG = re.compile(r"([a-z][a-z0-9-]*)(?:\s+(\d{1,3}))?")
Lines = dict[str, tuple[int, str]]
"""Of each key the line where it stands, and its value."""


def parse(name: str, text: str) -> Stop | Talk:
    """Read a stop or a talk.

    Args:
        name: of the file, which gives the id: `03-masks.md` is `masks`.
        text: its content.

    Raises:
        LessonError: names the file, the line, what is wrong, and what is allowed.
    """
    try:
        match = ID.fullmatch(name)
        if match is None or len(name) > 60 or match[1] in RESERVED:
            reason = say("the name must be lower-case letters, digits and hyphens, such as 03-masks.md")
            raise _fault(0, reason, name)
        keys, line, body = _split(text.removeprefix("\ufeff"))
        read = _talk(match[1], keys, body) if "stops" in keys else _stop(match[1], keys, body)
        _checked(line, say("the text"), body, TEXT, empty="stops" in keys)
        return read
    except _Fault as fault:
        file = name[:60]
        if not fault.line:
            raise LessonError(f"{file}: {fault}") from None
        raise LessonError("{file}, line {line}: {fault}", file=file, line=fault.line, fault=fault) from None


class _Fault(ValueError):
    """What is wrong in a line; 0 for the file as a whole."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def _fault(line: int, reason: str, received: str | None = None) -> _Fault:
    if received is None:
        return _Fault(line, reason)
    return _Fault(line, say("{reason}. Received: {received}", reason=reason, received=repr(received[:60])))


def _split(text: str) -> tuple[Lines, int, str]:
    """Return the keys, the line where the text begins, and the text."""
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        raise _fault(1, say("the file must begin with a line ---"), lines[0] if lines else say("nothing"))
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise _fault(len(lines), say("a second line --- must end the keys; it is missing"))
    keys: Lines = {}
    last = ""
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip():
            continue
        if line[:1].isspace() and last:
            keys[last] = (keys[last][0], f"{keys[last][1]} {line.strip()}")
            continue
        last, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            raise _fault(number, say("a line must be “key: value”"), line)
        if last in keys:
            raise _fault(number, say("{key} is there twice; it is needed once", key=last[:20]))
        keys[last] = (number, value)
    return keys, end + 2, "\n".join(lines[end + 1 :]).strip()


def _stop(id: str, keys: Lines, text: str) -> Stop:
    _known(keys, STOP_KEYS, NEEDED)
    return Stop(
        id,
        _checked(*_named(keys, "title"), TITLE),
        text,
        _place(*keys["link"]),
        _checked(*_named(keys, "do"), TASK),
        _conditions(*keys["done"]),
        _ask(*keys["question"]) if "question" in keys else None,
        _part(*keys["needs"]) if "needs" in keys else "",
    )


def _talk(id: str, keys: Lines, text: str) -> Talk:
    _known(keys, TALK_KEYS, TALK_KEYS)
    line, value = keys["stops"]
    legs = []
    for part in value.split(","):
        match = _LEG.fullmatch(part.strip())
        if match is None or int(match[2] or 0) > MINUTES:
            reason = say("stops must be “id minutes”, with commas, of at most {most} minutes", most=MINUTES)
            raise _fault(line, reason, part.strip())
        legs.append(Leg(match[1], int(match[2] or 0)))
    if len(legs) > LEGS or len({leg.stop for leg in legs}) < len(legs):
        raise _fault(line, say("a talk must have at most {most} stops, each once", most=LEGS), value)
    return Talk(id, _checked(*_named(keys, "title"), TITLE), text, tuple(legs))


def _known(keys: Lines, allowed: Collection[str], needed: Collection[str]) -> None:
    for key, (line, _) in keys.items():
        if key not in allowed:
            raise _fault(line, say("there is no such key; allowed: {keys}", keys=", ".join(allowed)), key)
    if missing := [key for key in needed if not keys.get(key, (0, ""))[1]]:
        raise _fault(keys.get(missing[0], (1, ""))[0], say("{keys} is needed", keys=", ".join(missing)))


def _named(keys: Lines, key: str) -> tuple[int, str, str]:
    line, value = keys[key]
    return line, key, value


def _checked(line: int, what: str, text: str, most: int, *, empty: bool = False) -> str:
    """Return a Markdown text, or raise: too long, HTML, an image, or a link to elsewhere than the app or https."""
    if not text and not empty:
        raise _fault(line, say("{what} is needed: at least a word", what=what))
    if len(text) > most:
        size = len(text)
        long = say("{what} is too long: {size:,} characters; allowed: {most}", what=what, size=size, most=most)
        raise _fault(line, long)
    if any(not (each.isprintable() or each == "\n") for each in text):
        raise _fault(line, say("{what} must have no control characters", what=what))
    if match := _HTML.search(text):
        raise _fault(line, say("{what} must be Markdown without HTML", what=what), text[match.start() :])
    if _IMAGE.search(text):
        raise _fault(line, say("{what} must have no images: the picture is the page", what=what))
    targets = [each for each in _TARGET.findall(text) if not re.match(r"https://|/(?!/)", each)]
    targets += [match.group() for match in _SCHEME.finditer(text)]
    if targets or any(_DEFINED.match(each) for each in text.splitlines()):
        allowed = say("links must stand in the text as [words](/page) or [words](https://…)")
        raise _fault(line, allowed, targets[0] if targets else "[name]: …")
    return text


def _place(line: int, value: str) -> Place:
    """Read the address of a page, whole or from its path on; the lesson that it was copied from is left out."""
    if len(value) > LINK:
        reason = say("link must be an address of the app of at most {most:,} characters: /attention?…", most=LINK)
        raise _fault(line, reason, value)
    try:
        place = Place.of(value)
    except ValueError:
        reason = say("link must be an address of the app, such as /attention?see=head, with each field once")
        raise _fault(line, reason, value) from None
    link = {name: text for name, text in place.link.items() if name not in ("lesson", "talk")}
    return replace(place, link=MappingProxyType(link))


def _conditions(line: int, value: str) -> tuple[Condition, ...]:
    conditions = tuple(_condition(line, part.strip()) for part in re.split(r"\sand\s", value))
    if len(conditions) > CONDITIONS:
        most, size = CONDITIONS, len(conditions)
        raise _fault(line, say("done must have at most {most} conditions. Received: {count}", most=most, count=size))
    return conditions


def _condition(line: int, text: str) -> Condition:
    if text == EDITED:
        return Condition(EDITED)
    if text == "token forced":
        return Condition("branch")
    match = _CONDITION.fullmatch(text)
    if match is None or (match[1] == PAGE and not re.fullmatch("/?[a-z_]{0,40}", match[2] or "-")):
        reason = say(
            "done must be “field changes”, “field = value”, “page = path”, “turn edited” or “token forced”, several "
            "joined by “and”"
        )
        raise _fault(line, reason, text)
    return Condition(match[1], match[2].strip().lstrip("/") if match[1] == PAGE else match[2])


def _ask(line: int, value: str) -> Ask:
    name, *rest = value.split()
    if name not in QUESTIONS:
        raise _fault(line, say("there is no such question; allowed: {names}", names=", ".join(QUESTIONS)), name)
    numbers = {}
    for part in rest:
        key, _, number = part.partition("=")
        if key not in QUESTIONS[name].takes or not re.fullmatch(r"\d{1,5}", number) or key in numbers:
            takes = ", ".join(f"{field}=1" for field in QUESTIONS[name].takes)
            if not takes:
                raise _fault(line, say("the question {name} takes nothing", name=name), part)
            raise _fault(line, say("the question {name} takes {fields}", name=name, fields=takes), part)
        numbers[key] = int(number)
    return Ask(name, MappingProxyType(numbers))


def _part(line: int, value: str) -> str:
    if value not in PARTS:
        raise _fault(line, say("needs must be one of {parts}", parts=", ".join(PARTS)), value)
    return value
