"""JSON of other chats, one table: Messenger, Instagram, Discord, Signal, Teams."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.text.formats.cleaning import clean
from core.text.formats.content import Content, words_of
from core.text.formats.transcript import Said, Transcript, epoch, transcript

Path = tuple[str, ...]
_TIMES = ("timestamp_ms", "composetime", "createdDateTime", "timestamp", "created_date", "sent_at")


@dataclass(frozen=True, slots=True)
class Form:
    """How a program writes its messages.

    Args:
        lists: where the list of messages can stand; () for the top.
        speaker: where the speaker's name can stand, the best place first.
        words: where the words can stand.
        kept: which messages somebody wrote.
        things: keys of attachments.
        mend: what is done to every text.
    """

    lists: tuple[Path, ...]
    speaker: tuple[Path, ...]
    words: tuple[Path, ...]
    kept: Callable[[Mapping[str, Any]], bool] = lambda message: True
    things: Sequence[str] = tuple("attachments photos videos files audio_files gifs sticker share media".split())
    mend: Callable[[str], str] = str


def mended(text: str) -> str:
    """Return letters that were written as UTF-8 and read as Latin-1: Messenger's export has "Ã©" for "é"."""
    try:
        return text if text.isascii() else text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _is_discord(message: Mapping[str, Any]) -> bool:
    written = ("Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "19", "0", 0, 19, 20)
    return message.get("type", "Default") in written


def _is_teams(message: Mapping[str, Any]) -> bool:
    kind = message.get("messageType") or message.get("messagetype") or "message"
    return str(kind).lower() in ("message", "text", "richtext/html", "richtext")


def _is_typed(message: Mapping[str, Any]) -> bool:
    return message.get("type", "Generic") in ("Generic", "Share", "text", "media", "link", "placeholder", None)


FORMS = {
    "messenger": Form(
        (("messages",),),
        (("sender_name",), ("senderName",)),
        (("content",), ("text",)),
        _is_typed,
        mend=mended,
    ),
    "discord": Form((("messages",),), (("author", "nickname"), ("author", "name")), (("content",),), kept=_is_discord),
    "google-chat": Form(
        (("messages",),), (("creator", "name"), ("creator", "email")), (("text",),), things=("attached_files",)
    ),
    "signal-json": Form(((), ("messages",)), (("sender",),), (("body",),)),
    "teams": Form(
        (("value",), ("messages",), ("conversations", "MessageList"), ("MessageList",), ()),
        (
            ("from", "user", "displayName"),
            ("from", "application", "displayName"),
            ("displayName",),
            ("imdisplayname",),
            ("from",),
        ),
        (("body", "content"), ("content",)),
        _is_teams,
        mend=words_of,
    ),
}


def _list(value: Any, form: Form) -> list[Any]:
    """Return the messages; of several conversations those of the longest."""
    chats: list[list[Any]] = []
    for path in form.lists:
        if path[:1] == ("conversations",) and isinstance(_at(value, path[:1]), list):
            chats += [_at(chat, path[1:]) for chat in value["conversations"] if isinstance(_at(chat, path[1:]), list)]
        elif isinstance(listed := _at(value, path), list):
            chats.append(listed)
    return max(chats, key=len, default=[])


def _is(content: Content, name: str) -> bool:
    messages = [message for message in _list(content.value, FORMS[name])[:200] if isinstance(message, Mapping)]
    keys = {key for message in messages for key in message}
    if name == "messenger":
        return bool(keys & {"sender_name", "senderName"})
    if name == "discord":
        return any(isinstance(message.get("author"), Mapping) and "content" in message for message in messages)
    if name == "google-chat":
        return any(isinstance(message.get("creator"), Mapping) for message in messages)
    if name == "signal-json":
        return {"sender", "body"} <= keys
    written = any(isinstance(_at(message, ("body", "content")), str) for message in messages)
    return (written and "from" in keys) or {"composetime", "content"} <= keys or {"messagetype", "content"} <= keys


def _first(message: Mapping[str, Any], paths: Sequence[Path]) -> str:
    return next((text for path in paths if isinstance(text := _at(message, path), str) and text.strip()), "")


def _entries(messages: Sequence[Any], form: Form) -> Iterator[Said]:
    for message in messages:
        if not isinstance(message, Mapping):
            yield Said(None, "", "unreadable")
            continue
        speaker = mended(_first(message, form.speaker)) if form.mend is mended else _first(message, form.speaker)
        words = form.mend(_first(message, form.words))
        deleted = (
            message.get("is_unsent")
            or message.get("isUnsent")
            or message.get("deletedDateTime")
            or message.get("deleted")
        )
        attached = any(message.get(key) for key in form.things)
        reason = "deleted" if deleted else "" if form.kept(message) else "notice"
        reason = reason or ("" if words.strip() else "media" if attached else "empty")
        day, start = epoch(next((message[key] for key in _TIMES if message.get(key)), None), 0.001)
        yield Said(speaker or None, words, reason, start=start, day=day)


def _ordered(messages: list[Any]) -> list[Any]:
    """Put messages into the order of their times, if all have one; some programs write the newest first."""
    for key in _TIMES:
        times: list[Any] = [message.get(key) if isinstance(message, Mapping) else None for message in messages]
        alike = all(isinstance(time, int | float) for time in times) or all(isinstance(time, str) for time in times)
        if alike and len(times) > 1:
            newest_first = times[0] > times[-1]  # messages of one moment are reversed too
            order = sorted(range(len(times))[:: -1 if newest_first else 1], key=times.__getitem__)
            return [messages[place] for place in order]
    return messages


def _read(content: Content, name: str) -> Transcript:
    form = FORMS[name]
    return transcript(name, _entries(_ordered(_list(content.value, form)), form), "message", clean)


FORMATS = {name: (partial(_is, name=name), partial(_read, name=name)) for name in FORMS}
