"""Telegram: what its desktop program exports, as JSON or as HTML."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.text.formats.cleaning import clean
from core.text.formats.content import VOID, Content, attribute, joined_text, markup
from core.text.formats.transcript import SEVERAL, Note, Said, Transcript, epoch, moment_of, transcript

_THINGS = "photo file media_type sticker_emoji location_information contact_information poll game_title".split()


def _chats(value: Any) -> list[list[Any]]:
    """Return the messages of each chat in a JSON: one of them, or the list of a whole account."""
    if not isinstance(value, Mapping):
        return []
    listed = value.get("chats")
    whole = listed.get("list") if isinstance(listed, Mapping) else None
    chats = whole if isinstance(whole, list) else [value]
    messages = [chat.get("messages") for chat in chats if isinstance(chat, Mapping)]
    return [chat for chat in messages if isinstance(chat, list)]


def _is_json(content: Content) -> bool:
    messages = [message for chat in _chats(content.value)[:20] for message in chat[:50] if isinstance(message, Mapping)]
    return any({"type", "date"} <= message.keys() and ("from" in message or "actor" in message) for message in messages)


def _said(message: Any) -> Said:
    if not isinstance(message, Mapping):
        return Said(None, "", "unreadable")
    speaker = message.get("from") or message.get("from_id") or message.get("actor")
    name, words = (speaker if isinstance(speaker, str) else None), joined_text(message.get("text"))
    if message.get("type") == "service":
        return Said(name, words, "notice")
    if not words.strip():
        return Said(name, "", "media" if any(key in message for key in _THINGS) else "empty")
    day, start = epoch(message.get("date"))
    return Said(name, words, start=start, day=day)


def _json(content: Content) -> Transcript:
    chats = sorted(_chats(content.value), key=len)
    notes = [Note(SEVERAL, {"chats": len(chats)})] if len(chats) > 1 else []
    return transcript("telegram", (_said(message) for message in chats[-1]) if chats else (), "message", clean, notes)


def _is_html(content: Content) -> bool:
    head = content.head
    return (
        "<" in head[:200] and 'class="message ' in head and ('class="from_name"' in head or "message service" in head)
    )


_ROLES = (
    ("reply", {"reply_to"}),
    ("reactions", {"reactions"}),
    ("forwarded", {"forwarded"}),
    ("media", {"media_wrap", "media"}),
    ("nobody", {"details", "date", "title", "status", "description", "userpic", "initials"}),
)
"""What the words in elements of these classes are."""


def _role(names: set[str], outer: str) -> str:
    """Return what the words in an element are, from its classes and from the role of the element around it."""
    if "message" in names:
        return "message"
    if "from_name" in names:
        return "nobody" if outer == "forwarded" else "name"
    if "text" in names and outer != "reply":
        return "text"
    role = next((role for role, classes in _ROLES if classes & names), outer)
    return "media" if outer == "media" and role == "nobody" else role


def _html(content: Content) -> Transcript:
    """Read a page: the innermost class that counts says what the words are."""
    roles: list[str] = []
    messages: list[dict[str, Any]] = []
    for kind, name, attributes in markup(content.text):
        outer = roles[-1] if roles else ""
        if kind == "words" or name == "br":
            if messages and outer in ("text", "name"):
                messages[-1].setdefault(outer, []).append(name if kind == "words" else "\n")
        elif name not in VOID and kind == "end":
            del roles[-1:]
        elif name not in VOID:
            names = set(attribute(attributes, "class").split())
            roles.append(_role(names, outer))
            if "message" in names:
                messages.append({"service": "service" in names, "joined": "joined" in names, "media": False})
            if messages and "date" in names and outer == "message":
                messages[-1]["stamp"] = attribute(attributes, "title")
            if messages and roles[-1] == "media":
                messages[-1]["media"] = True
    return transcript("telegram-html", _of_page(messages), "message", clean)


def _of_page(messages: list[dict[str, Any]]) -> Iterator[Said]:
    speaker: str | None = None
    for message in messages:
        words = "\n".join(line.strip() for line in "".join(message.get("text", ())).split("\n"))
        if message["service"]:
            yield Said(None, words, "notice")
            continue
        if not message["joined"]:
            speaker = "".join(message.get("name", ())).strip() or None
        day, start = moment_of(message.get("stamp", ""))
        reason = "" if words.strip() else "media" if message["media"] else "empty"
        yield Said(speaker, words, reason, start=start, day=day)


FORMATS = {"telegram": (_is_json, _json), "telegram-html": (_is_html, _html)}
