"""A language in which every translated letter can be told: `Ａ` for `A`; what nobody translated stays plain."""

import re
from collections.abc import Iterator, Mapping

PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WIDE = "".join(chr(ord(letter) + 0xFEE0) for letter in PLAIN)
CODE = "xx"
_KEPT = re.compile(
    r"\{[^{}]*\}|:material/\w+:|:(?:blue|green|orange|red|violet|gr[ae]y|rainbow|small|primary)(?:-\w+)?(?=\[)"
    r"|\$[^$]+\$|`[^`]*`|</?[a-z][^<>]*>|\]\([^)]*\)|&\w+;|https?://\S+"
)
"""What a translator leaves as it is: places for values, icons, colours, formulas, code, tags and addresses."""


def wide(message: str) -> str:
    """Return a message in the language: full-width letters, all else as it was."""
    kept = [match.group() for match in _KEPT.finditer(message)]
    parts = [part.translate(str.maketrans(PLAIN, WIDE)) for part in _KEPT.split(message)]
    return "".join(part + (kept[place] if place < len(kept) else "") for place, part in enumerate(parts))


class Pseudo(Mapping[str, str]):
    """The catalogue of the language: it has every message, and remembers which were asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, message: str) -> str:
        self.asked.add(message)
        return wide(message)

    def __contains__(self, message: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.asked)

    def __len__(self) -> int:
        return len(self.asked)
