"""Slack: the JSON of a channel, a day's file of an export or what the interface of Slack returns."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.text.formats.cleaning import clean
from core.text.formats.content import Content
from core.text.formats.transcript import Said, Transcript, epoch, transcript

_SPOKEN = frozenset(
    {"", "bot_message", "thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast"}
)
"""Subtypes of messages that somebody wrote; the others are notices."""
_MARK = re.compile(r"<([@#!]?)([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")


def _messages(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        value = value.get("messages")
    return value if isinstance(value, list) else []


def _is_slack(content: Content) -> bool:
    messages = [each for each in _messages(content.value)[:200] if isinstance(each, Mapping)]
    return any(
        isinstance(each.get("ts"), str) and ("user" in each or each.get("type") == "message") for each in messages
    )


def _names(value: Any, messages: list[Any]) -> dict[str, str]:
    """Return the names of people by their ids: real_name, else display name or name."""
    listed = value.get("users") if isinstance(value, Mapping) else None
    people = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    profiles = [(each.get("id"), dict(each) | _mapping(each.get("profile"))) for each in people]
    profiles += [(each.get("user"), _mapping(each.get("user_profile"))) for each in messages]
    names: dict[str, str] = {}
    for user, profile in profiles:
        name = next((profile[key] for key in ("real_name", "display_name", "name") if profile.get(key)), None)
        if isinstance(user, str) and isinstance(name, str):
            names.setdefault(user, name)
    return names


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _speaker(message: Mapping[str, Any], names: Mapping[str, str]) -> str | None:
    user = message.get("user")
    known = names.get(user) if isinstance(user, str) else None
    bot = _mapping(message.get("bot_profile")).get("name")
    name = known or message.get("username") or bot or user or message.get("bot_id")
    return name if isinstance(name, str) else None


def _words(message: Mapping[str, Any], names: Mapping[str, str]) -> str:
    text = message.get("text")
    if not isinstance(text, str) or not text.strip():
        attached = message.get("attachments")
        first = _mapping(attached[0]) if isinstance(attached, list) and attached else {}
        text = next((first[key] for key in ("text", "fallback") if isinstance(first.get(key), str)), "")

    def resolve(match: re.Match[str]) -> str:
        kind, target, label = match.groups()
        if kind == "@":
            return f"@{names.get(target) or label or target}"
        if kind == "#":
            return f"#{label or target}"
        if kind == "!":
            return label or f"@{target.partition('^')[0]}"
        return label or target.removeprefix("mailto:")

    return html.unescape(_MARK.sub(resolve, text))


def _time(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def _entries(content: Content) -> Iterator[Said]:
    """Yield the messages, those of a thread after its first one."""
    every = _messages(content.value)
    messages = [each for each in every if isinstance(each, Mapping)]
    names = _names(content.value, messages)
    order = sorted(messages, key=lambda each: (_time(each.get("thread_ts") or each.get("ts")), _time(each.get("ts"))))
    for message in order:
        subtype = message.get("subtype") or ""
        words, speaker = _words(message, names), _speaker(message, names)
        if subtype == "tombstone":
            yield Said(speaker, words, "deleted")
        elif subtype not in _SPOKEN or message.get("type", "message") != "message":
            yield Said(speaker, words, "notice")
        else:
            reason = "" if words.strip() else "media" if message.get("files") else "empty"
            day, start = epoch(message.get("ts"))
            yield Said(speaker, words, reason, start=start, day=day)
    yield from (Said(None, "", "unreadable") for _ in range(len(every) - len(messages)))


def _read(content: Content) -> Transcript:
    return transcript("slack", _entries(content), "message", clean)


FORMATS = {"slack": (_is_slack, _read)}
