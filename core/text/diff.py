"""Compare two texts word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "removed", "added"]
_PIECES = re.compile(r"\w+(?:['\u2019]\w+)*|#\w+#|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of text that both texts share, or that only one of them has; spaces in front are part of it."""

    kind: Kind
    text: str


def word_diff(before: str, after: str) -> tuple[Change, ...]:
    """Compare two texts by words and punctuation marks, case-sensitive.

    Joining the texts that are not "added" gives `before`, those that are not "removed" gives `after`, apart from
    the white space between words that are the same.
    """
    old, new = _words(before), _words(after)
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    changes: list[Change] = []
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            changes.append(Change("same", "".join(new[new_start:new_end])))
            continue
        if old_end > old_start:
            changes.append(Change("removed", "".join(old[old_start:old_end])))
        if new_end > new_start:
            changes.append(Change("added", "".join(new[new_start:new_end])))
    return tuple(changes)


def changed_share(before: str, after: str) -> float:
    """Return the share of the words and punctuation marks of both texts that differ, 0 to 1."""
    counts = {"same": 0, "removed": 0, "added": 0}
    for change in word_diff(before, after):
        counts[change.kind] += len(_words(change.text))
    total = 2 * counts["same"] + counts["removed"] + counts["added"]
    return (counts["removed"] + counts["added"]) / total if total else 0.0


def _words(text: str) -> list[str]:
    """Split into words and punctuation marks, each with the white space before it."""
    pieces, position = [], 0
    for match in _PIECES.finditer(text):
        pieces.append(text[position : match.end()])
        position = match.end()
    return pieces
