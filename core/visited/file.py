"""Save a list of visits as one JSON document that needs nothing else, and read it again."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.errors import VisitedError
from core.files import fault, finite, parsed
from core.limits import check
from core.place import Place
from core.text.size import checked
from core.trace import DAMAGE
from core.visited.visit import Settings, Visit, characters, checked_name
from core.words import later, say

FORMAT = 1
_AGAIN = later("save the list again, or take another copy of the file")
_SETTINGS, _REFERENCES, _WORD = 40, 10, 200
"""Most settings and references of an entry, and characters of a short text."""


def to_bytes(visits: Iterable[Visit]) -> bytes:
    """Write a JSON document. Each dialogue stands in it once; an entry names its dialogue by its place, from 0."""
    visits = tuple(visits)
    dialogues = list(dict.fromkeys(visit.place.dialogue for visit in visits if visit.place.dialogue))
    entries = [
        {
            "name": visit.name,
            "named": visit.named,
            "subject": visit.subject,
            "link": visit.place.address,
            "checkpoint": visit.checkpoint,
            "time": visit.time.astimezone(UTC).isoformat(timespec="seconds"),
            "dialogue": dialogues.index(visit.place.dialogue) if visit.place.dialogue else None,
            "references": list(visit.place.references),
            "settings": dict(visit.settings),
            "summary": visit.summary,
        }
        for visit in visits
    ]
    document = {"format": FORMAT, "dialogues": dialogues, "visits": entries}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def from_bytes(data: bytes, name: str = "the file") -> tuple[Visit, ...]:
    """Read what `to_bytes` wrote, from a file called `name`; the pages and fields of the links may be unknown.

    Raises:
        VisitedError: it is something else, damaged, or beyond a limit.
    """
    check("visited_file", len(data), say("The file {name}", name=repr(name)), VisitedError)
    try:
        document = parsed(data.decode("utf-8"))
        if document["format"] != FORMAT:
            got = str(document["format"])[:20]
            raise ValueError(say("its format is {got}; allowed: {allowed}", got=got, allowed=FORMAT))
        entries = _list(document, "visits")
        check("visits", len(entries), say("The list"), VisitedError)
        dialogues = [checked(_text(dialogue, say("a dialogue"))) for dialogue in _list(document, "dialogues")]
        visits = tuple(_numbered(number, entry, dialogues) for number, entry in enumerate(entries, 1))
        check("visited_characters", characters(visits), say("The list"), VisitedError)
        return visits
    except VisitedError:
        raise
    except KeyError as error:
        message = say("{name} is no list of visits that this app saved: it lacks {key}", name=repr(name), key=error)
        raise VisitedError(f"{message}; {say(_AGAIN)}") from None
    except DAMAGE as error:
        details = {"name": repr(name), "reason": fault(data, error, say(_AGAIN))}
        message = say("{name} is no list of visits that this app saved, or a damaged one: {reason}", **details)
        raise VisitedError(message) from None


def _numbered(number: int, entry: Any, dialogues: list[str]) -> Visit:
    """Read an entry; what is wrong with it names its number."""
    try:
        return _visit(entry, dialogues)
    except KeyError as error:
        raise ValueError(say("entry {number} lacks {key}", number=number, key=error)) from None
    except DAMAGE as error:
        raise ValueError(say("entry {number}: {reason}", number=number, reason=error)) from None


def _visit(entry: Mapping[str, Any], dialogues: list[str]) -> Visit:
    place = _place(_text(entry["link"], "link"))
    number = entry["dialogue"]
    if number is not None and not (type(number) is int and 0 <= number < len(dialogues)):
        got = {"most": len(dialogues), "got": str(number)[:20]}
        raise ValueError(say("dialogue must be null or below {most}. Received: {got}", **got))
    time = datetime.fromisoformat(_text(entry["time"], "time"))
    if time.tzinfo is None or not 1970 <= time.year <= 9000:  # near the ends no other time zone has it
        message = say("time must be from 1970 on, with its offset, such as +00:00. Received: {got}", got=time)
        raise ValueError(message)
    references = tuple(_text(text, say("a reference")) for text in _list(entry, "references"))
    if len(references) > _REFERENCES:
        got = {"got": len(references), "allowed": _REFERENCES}
        raise ValueError(say("{got} references; allowed: {allowed}", **got))
    summary = _text(entry["summary"], "summary")
    for text in (summary, *references):
        check("summary_characters", len(text), say("a summary or reference"), VisitedError)
    return Visit(
        checked_name(_text(entry["name"], "name")),
        _text(entry["subject"], "subject", _WORD),
        replace(place, dialogue=dialogues[number] if number is not None else "", references=references),
        _text(entry["checkpoint"], "checkpoint", _WORD),
        time.astimezone(UTC),
        _settings(entry["settings"]),
        summary,
        entry["named"] is True,
    )


def _place(address: str) -> Place:
    """Read an address of the app, from its path on; it can name a page and fields that do not exist."""
    try:
        if re.match(r"/[a-z_]", address) and "#" not in address:
            return Place.of(address)
    except ValueError:
        pass
    got = repr(address[:60])
    raise ValueError(say("link must be an address of the app, such as /decoding?step=3. Received: {got}", got=got))


def _settings(values: Any) -> Settings:
    if not isinstance(values, dict) or len(values) > _SETTINGS:
        raise ValueError(say("settings must be an object of at most {most} names", most=_SETTINGS))
    for key, value in values.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            finite(value)
        elif not isinstance(value, bool):
            _text(value, say("the setting {name}", name=repr(key[:40])), _WORD)
        _text(key, say("the name of a setting"), _WORD)
    return values


def _list(values: Any, name: str) -> list[Any]:
    entries = values[name]
    if not isinstance(entries, list):
        raise TypeError(say("{name} must be a list", name=name))
    return entries


def _text(value: Any, what: str, most: int | None = None) -> str:
    if not isinstance(value, str):
        raise TypeError(say("{what} must be a text. Received: {got}", what=what, got=str(value)[:40]))
    if most is not None and len(value) > most:
        sizes = {"what": what, "got": f"{len(value):,}", "most": most}
        raise ValueError(say("{what} is too long. Received: {got} characters; allowed: {most}", **sizes))
    return value
