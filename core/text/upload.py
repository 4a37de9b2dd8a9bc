"""Turn uploaded files into pasted text: plain text, chat exports and JSON dialogues."""

import codecs
import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from core.errors import DialogueError
from core.files import mistaken
from core.words import later, say

TEXT_SUFFIXES = ("", ".txt", ".text", ".md", ".log")
"""File name endings that are read as plain text or as a chat export."""

_ALLOWED = later("a text file or chat export (.txt, .text, .md, .log) or one dialogue as .json")
_SPEAKER_KEYS = ("speaker", "name", "author", "sender", "role", "from")
_TEXT_KEYS = ("text", "message", "content")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def load_dialogue_file(name: str, data: bytes) -> str:
    """Return the text of an uploaded dialogue, ready for `parse_dialogue`.

    Args:
        name: the file's name; its ending says whether it is text or JSON.
        data: the file's bytes: UTF-8 with or without byte order mark, UTF-16 or UTF-32 with one, or Latin-1
            (Windows-1252) where the bytes are clearly text.

    Returns:
        The text as it stands in the file, or, for JSON, one `speaker: text` line a turn.

    Raises:
        DialogueError: another kind of file, binary or empty content, or JSON of another form.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in (*TEXT_SUFFIXES, ".json"):
        places = {"file": name, "ending": suffix, "allowed": say(_ALLOWED)}
        if suffix in (".jsonl", ".csv", ".gz"):
            raise DialogueError(
                say(
                    "{file!r} has the ending {ending!r}. Allowed: {allowed}. A corpus is read by the evaluate command.",
                    **places,
                )
            )
        raise DialogueError(say("{file!r} has the ending {ending!r}. Allowed: {allowed}.", **places))
    if data and (reason := mistaken(data)):
        raise DialogueError(say("{file!r} holds no dialogue: {reason}", file=name, reason=reason))
    text = _decode(name, data)
    if suffix == ".json":
        text = _from_json(name, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half a pair: �
    if not text.strip():
        raise DialogueError(say("{file!r} holds no text. Allowed: {allowed}", file=name, allowed=say(_ALLOWED)))
    return text


def _decode(name: str, data: bytes) -> str:
    encoding = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise DialogueError(
                say(
                    "{file!r} is damaged: it begins as {encoding} and is not. Allowed: UTF-8",
                    file=name,
                    encoding=encoding,
                )
            ) from None
        return _decode_latin(name, data)
    _refuse_binary(name, text)
    return text


def _decode_latin(name: str, data: bytes) -> str:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    _refuse_binary(name, text)
    letters = [character for character in text if not character.isspace()]
    if sum(character.isascii() for character in letters) < 0.7 * len(letters):
        raise DialogueError(
            say("{file!r} is not UTF-8 text. Allowed: UTF-8, or UTF-16 with a byte order mark", file=name)
        )
    return text


def _refuse_binary(name: str, text: str) -> None:
    """Raise for NUL characters, and where more than one character in fifty is a control character."""
    controls = sum(character < " " and not character.isspace() for character in text)
    if "\0" in text or controls * 50 > len(text):
        raise DialogueError(
            say("{file!r} is a binary file, not text. Allowed: {allowed}", file=name, allowed=say(_ALLOWED))
        )


def _from_json(name: str, text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DialogueError(
            say(
                "{file!r} is not valid JSON: {error}. Allowed: {allowed}",
                file=name,
                error=error,
                allowed=_json_allowed(),
            )
        ) from None
    if isinstance(value, Mapping):
        if isinstance(value.get("dialogue"), str):
            return str(value["dialogue"])
        value = next((value[key] for key in ("turns", "messages", "dialogue") if key in value), value)
    if not isinstance(value, list):
        raise DialogueError(
            say(
                "{file!r} holds {found}. Allowed: {allowed}",
                file=name,
                found=_describe(value),
                allowed=_json_allowed(),
            )
        )
    turns = [_turn(name, number, item) for number, item in enumerate(value, 1)]
    spoken = [(speaker, said) for speaker, said in turns if said]
    if not any(speaker for speaker, _ in spoken):
        return "\n".join(said for _, said in spoken)
    return "\n".join(f"{speaker or 'Unknown'}: {said}" for speaker, said in spoken)


def _turn(name: str, number: int, item: Any) -> tuple[str, str]:
    """Read speaker and text of one JSON turn, one line each; notices of a chat program have no text."""
    where = {"file": name, "turn": number}
    if not isinstance(item, Mapping):
        raise DialogueError(
            say(
                "{file!r}: turn {turn} is {found}. Allowed: {allowed}",
                **where,
                found=_describe(item),
                allowed=_json_allowed(),
            )
        )
    said = next((item[key] for key in _TEXT_KEYS if item.get(key) is not None), None)
    if said is None and item.get("type") == "service":
        return "", ""
    if isinstance(said, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in said]
        said = "".join(part for part in parts if isinstance(part, str))
    speaker = next((item[key] for key in _SPEAKER_KEYS if item.get(key) is not None), "")
    if not isinstance(said, str):
        raise DialogueError(
            say(
                "{file!r}: turn {turn} has no text, it is {found}. Allowed: {allowed}",
                **where,
                found=_describe(item),
                allowed=_json_allowed(),
            )
        )
    if not isinstance(speaker, str):
        raise DialogueError(
            say(
                "{file!r}: turn {turn} has a speaker that is {found}. Allowed: a name as text",
                **where,
                found=_describe(speaker),
            )
        )
    return " ".join(speaker.replace(":", " ").split()), " ".join(said.split())


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
