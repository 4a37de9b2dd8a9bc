"""Visits and calls as text: `[role] words`, and all turns in one paragraph."""

import re
from collections import Counter

from core.text.dialogue import parse_dialogue
from core.text.formats.content import Content
from core.text.formats.transcript import Said, Transcript, transcript, typed
from core.text.marks import EDGE

_ROLE = re.compile(
    r"^[ \t]*(?:\[([^\W\d_][^\[\]\n:]{0,40})\]|\(([^\W\d_][^()\n:]{0,40})\)|<([^\W\d_][^<>\n:/]{0,40})>)"
    r"[ \t]*:?[ \t]+(?=\S)",
    re.MULTILINE,
)
_ONE = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\. )?[^\W\d_][\w'\u2019-]{0,24}"
_INSIDE = re.compile(rf"(?<!\S)(?P<name>{_ONE})[ \t]?[:\uff1a](?=\s)")
_AFTER_A_SENTENCE = re.compile(
    rf"(?:^|(?<=[.?!\u2026\"\u201d)\]]\s))"
    rf"(?P<name>{_ONE}(?: (?:[^\W\d_a-z]|\d)[\w'\u2019-]{{0,24}}){{1,2}})[ \t]?[:\uff1a](?=\s)"
)
_MOST_ROLES = 12


def _roles(text: str) -> list[re.Match[str]]:
    """Find `[role] …` at the beginning of most lines, of roles that come again."""
    matches = list(_ROLE.finditer(text))
    lines = sum(1 for line in text.splitlines() if line.strip())
    counts = Counter(_role(match) for match in matches)
    enough = len(matches) >= 2 and len(matches) * 2 >= lines and len(counts) <= _MOST_ROLES
    return matches if enough and (max(counts.values()) > 1 or len(counts) > 1) else []


def _role(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)


def _is_bracketed(content: Content) -> bool:
    return bool(_roles(content.head)) and not parse_dialogue(content.head).speakers


def _bracketed(content: Content) -> Transcript:
    text = content.text
    matches = _roles(text)
    ends = [*(match.start() for match in matches), len(text)][1:]
    entries = [Said(None, text[: matches[0].start()])] if matches and text[: matches[0].start()].strip() else []
    entries += [Said(_role(match), text[match.end() : end]) for match, end in zip(matches, ends, strict=True)]
    return transcript("roles", entries, "line")


def _paragraph(text: str) -> list[re.Match[str]]:
    """Find names with a colon inside a paragraph that begins with one, of which one at least comes again."""
    counts = Counter(match["name"] for pattern in (_INSIDE, _AFTER_A_SENTENCE) for match in pattern.finditer(text))
    names = [name for name, count in counts.items() if count > 1 or name[0].isupper()]
    if not 2 <= len(names) <= _MOST_ROLES or max(counts.values()) < 2:
        return []
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    matches = list(re.finditer(rf"(?<!\S)(?P<name>{longest_first})[ \t]?[:\uff1a](?=\s)", text))
    return matches if matches and not text[: matches[0].start()].strip(EDGE) else []


def _is_paragraph(content: Content) -> bool:
    head = content.head
    few = sum(1 for line in head.splitlines() if line.strip()) <= 3
    return few and len(_paragraph(head)) >= 2 and not parse_dialogue(head).speakers


def _in_paragraph(content: Content) -> Transcript:
    text = content.text
    matches = _paragraph(text)
    ends = [*(match.start() for match in matches), len(text)][1:]
    entries = [Said(match["name"], text[match.end() : end]) for match, end in zip(matches, ends, strict=True)]
    return transcript("paragraph", entries, "line")


def _plain(content: Content) -> Transcript:
    return transcript(
        "plain",
        (Said(None, line, "", number) for number, line in enumerate(content.text.splitlines(), 1) if line.strip()),
        "line",
    )


FORMATS = {
    "roles": (_is_bracketed, _bracketed),
    "paragraph": (_is_paragraph, _in_paragraph),
    "dialogue": (lambda content: True, lambda content: typed("dialogue", content.text)),
    "plain": (lambda content: False, _plain),
}
