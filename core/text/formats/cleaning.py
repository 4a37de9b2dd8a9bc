"""What stands in a message and was said by nobody: marks of edits, attachments, quotes, reactions, notices.

The same rules hold for every chat. The words are those that the programs write, in the languages of their exports.
"""

import re
from collections.abc import Sequence

from core.files import table
from core.text.formats.transcript import Said
from core.text.marks import EDGE

_WORDS = {name: "|".join(words) for name, words in table(__file__).items()}
_EDIT, _THING = _WORDS["edit"], _WORDS["thing"]
_EDITED = re.compile(
    rf"\s*(?:\u200e<[^<>\n]{{3,80}}>|<[^<>\n]{{0,60}}(?:{_EDIT})[^<>\n]{{0,60}}>|\((?:edited|bearbeitet)\))$", re.I
)
_DELETED = re.compile(rf"(?:{_WORDS['deleted']})\.?", re.I)
_MEDIA_NAME = r"[^\n<>:/\\|?*]{1,80}\.[A-Za-z0-9]{2,4}"
_ATTACHMENT = re.compile(
    rf"\u200e?(?:{_MEDIA_NAME} \((?:{_WORDS['attached']})\)|<[^<>\n:]{{3,20}}: [^<>\n]{{1,120}}>"
    r"|\[(?:attachment|file|image): [^\[\]\n]{1,120}\]|!?\[[^\[\]\n]{0,120}\]\(\.{0,2}/?media/[^()\n]{1,200}\))",
    re.I,
)
_MEDIA = re.compile(rf"<(?!https?:)[^<>@\n]{{3,60}}>|(?:{_THING}) omitted|\[(?:{_THING})s?(?: message)?\]", re.I)
_OWN_MEDIA = re.compile(rf" (?:sent|shared) (?:an?|the|your|\d+) (?:{_THING})s?\.?", re.I)
_QUOTE_MARKS = "\"“”„«»'’"
_REACTION = re.compile(
    rf"(?:loved|liked|disliked|laughed at|emphasi[sz]ed|questioned) (?:[{_QUOTE_MARKS}].*[{_QUOTE_MARKS}]"
    r"|an? (?:message|image|photo|video|link|movie|sticker|audio message)|your message)"
    rf"|reacted (?:.{{1,20}} )?to (?:[{_QUOTE_MARKS}].*|your message|a message|an? \w+)"
    rf"|removed an? .{{1,30}} (?:reaction )?from [{_QUOTE_MARKS}].*"
    r"|(?:reagiert auf|hat auf|ha reaccionado|reaccionó|a réagi|heeft gereageerd) .{1,20} ?[\"“„«].*",
    re.I | re.S,
)
_NOTICE = re.compile(_WORDS["notice"], re.I)
_OWN_NOTICE = re.compile(rf" (?:{_WORDS['own_notice']})\.?", re.I)
"""What Messenger and Instagram write of somebody as their own message, after the name."""
_REACTED_LAST = re.compile(r"\s*\n\(- [^\n]{1,200} -\)$")
_ATTACHED_LAST = re.compile(r"\s*\u200e<[^<>\n]{3,20}: [^<>\n]{1,120}>$")
_BLANK = " \t\r\n\u200e\u200f\u202f\u00a0"
_REPLY = re.compile(
    r"(?:replying to|replied to|antwort auf|répondre à|respondiendo a|in reply to)\b[^\n]{0,200}\n\s*", re.I
)
_QUOTED = re.compile(r"(?:>[^\n]*(?:\n|$)\s*)+")


def clean(entry: Said) -> tuple[str, Sequence[str]]:
    """Take away what nobody said in a message.

    Returns:
        The words that are left, and a reason of `transcript.REASONS` for each piece that was taken away; the last one
        is why nothing is left.
    """
    words, reasons = entry.text.strip(_BLANK), []
    if match := _REACTED_LAST.search(words, max(len(words) - 220, 0)):  # as exports of Signal write them
        words = words[: match.start()]
        reasons.append("reaction")
    if match := _ATTACHED_LAST.search(words, max(len(words) - 200, 0)):
        words = words[: match.start()]
        reasons.append("media")
    elif (mark := _EDITED.search(words, max(len(words) - 160, 0))) and mark.start():
        words = words[: mark.start()]
        reasons.append("edited")
    quote = _REPLY.match(words) or _QUOTED.match(words)
    if quote and quote.end() < len(words):
        words = words[quote.end() :]
        reasons.append("quote")
    if (match := _ATTACHMENT.match(words)) and words[match.end() : match.end() + 1] in ("", "\n", "\r"):
        words = words[match.end() :].strip()
        reasons.append("media")
    reason = _whole_reason(words.strip(EDGE), entry.speaker or "")
    return ("", [*reasons, reason]) if reason else (words, reasons)


def _whole_reason(words: str, speaker: str) -> str:
    """Return why all of a message is no speech, or ""."""
    if len(words) > 400:
        return ""
    for reason, pattern in (("deleted", _DELETED), ("media", _MEDIA), ("reaction", _REACTION), ("notice", _NOTICE)):
        if pattern.fullmatch(words):
            return reason
    for name in filter(None, (speaker, "You")):
        if words.startswith(name):
            for reason, pattern in (("media", _OWN_MEDIA), ("notice", _OWN_NOTICE)):
                if pattern.fullmatch(words, len(name)):
                    return reason
    return ""
