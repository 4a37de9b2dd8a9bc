"""One dialogue as JSON: a list of speakers and texts, or the dialogue as one text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.errors import DialogueError
from core.text.formats.content import Content, joined_text
from core.text.formats.transcript import Said, Transcript, readable, transcript, typed
from core.words import say

_SPEAKER_KEYS = ("speaker", "name", "author", "sender", "role", "from")
_TEXT_KEYS = ("text", "message", "content")
_OTHER_NAMES = {"speaker_name": "speaker", "speaker_id": "speaker", "utterance": "text", "sentence": "text"}
"""Read too, as the AMI corpus and others have them."""
_LISTS = ("turns", "messages", "dialogue")


def _is_json(content: Content) -> bool:
    if content.name.lower().endswith(".json"):
        return True
    value = content.value
    if isinstance(value, Mapping):
        return isinstance(value.get("dialogue"), str) or any(isinstance(value.get(key), list) for key in _LISTS)
    return isinstance(value, list) and bool(value) and all(isinstance(turn, Mapping) for turn in value[:50])


def _read(content: Content) -> Transcript:
    name = content.called
    try:
        value = content.json()
    except (ValueError, RecursionError) as error:
        raise DialogueError(
            "{file!r} is not valid JSON: {error}. Allowed: {allowed}",
            file=name,
            error=say("it is nested too deep") if isinstance(error, RecursionError) else error,
            allowed=_json_allowed(),
        ) from None
    if isinstance(value, Mapping):
        if isinstance(value.get("dialogue"), str):
            return typed("json", readable(str(value["dialogue"])))
        value = next((value[key] for key in _LISTS if key in value), value)
    if not isinstance(value, list):
        raise DialogueError(
            "{file!r} holds {found}. Allowed: {allowed}", file=name, found=_describe(value), allowed=_json_allowed()
        )
    entries = [_turn(name, number, _usual(item)) for number, item in enumerate(value, 1)]
    if any(entry.speaker for entry in entries):
        entries = [entry if entry.speaker or entry.left_out else replace(entry, speaker="Unknown") for entry in entries]
    return transcript("json", entries, "message")


def _usual(item: Any) -> Any:
    """Give the keys of a turn their usual names."""
    if not isinstance(item, Mapping) or not _OTHER_NAMES.keys() & item.keys():
        return item
    return {_OTHER_NAMES[key]: item[key] for key in _OTHER_NAMES if key in item} | dict(item)


def _turn(name: str, number: int, item: Any) -> Said:
    """Read speaker and text of one JSON turn, one line each; notices of a chat program have no text."""
    where = {"file": name, "turn": number}
    if not isinstance(item, Mapping):
        raise DialogueError(
            "{file!r}: turn {turn} is {found}. Allowed: {allowed}",
            **where,
            found=_describe(item),
            allowed=_json_allowed(),
        )
    text = next((item[key] for key in _TEXT_KEYS if item.get(key) is not None), None)
    if text is None and item.get("type") == "service":
        return Said(None, "", "notice")
    if isinstance(text, list):
        text = joined_text(text)
    speaker = next((item[key] for key in _SPEAKER_KEYS if item.get(key) is not None), "")
    if not isinstance(text, str):
        raise DialogueError(
            "{file!r}: turn {turn} has no text, it is {found}. Allowed: {allowed}",
            **where,
            found=_describe(item),
            allowed=_json_allowed(),
        )
    if not isinstance(speaker, str):
        raise DialogueError(
            "{file!r}: turn {turn} has a speaker that is {found}. Allowed: a name as text",
            **where,
            found=_describe(speaker),
        )
    words = " ".join(text.split())
    return Said(" ".join(speaker.replace(":", " ").split()), words, "" if words else "empty")


def _json_allowed() -> str:
    """Say what a JSON file may hold; the keys are the same in every language."""
    return say(
        "{whole}, a list of {turn}, or such a list under {turns} or {messages}; {speakers} may stand for {speaker}, "
        "{texts} for {text}",
        whole='{"dialogue": "…"}',
        turn='{"speaker": …, "text": …}',
        turns='"turns"',
        messages='"messages"',
        speakers=_either(_SPEAKER_KEYS[1:]),
        speaker=_SPEAKER_KEYS[0],
        texts=_either(_TEXT_KEYS[1:]),
        text=_TEXT_KEYS[0],
    )


def _either(keys: Sequence[str]) -> str:
    return say("{items} or {last}", items=", ".join(keys[:-1]), last=keys[-1])


def _describe(value: Any) -> str:
    if isinstance(value, Mapping):
        keys = ", ".join(repr(str(key)[:30]) for key in list(value)[:6])
        return say("an object with {keys}", keys=keys) if keys else say("an empty object")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return say("true or false")
    if isinstance(value, str):
        return say("a text")
    return say("a list") if isinstance(value, list) else say("a number")


FORMATS = {"json": (_is_json, _read)}
