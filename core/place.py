"""A place in the app: what can be shown again.

A link, the scene of a class, an entry of what was visited, a stop of a lesson and a side of the page of two models each
name one. What a place does not say is as on a first visit.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode, urlsplit

FIELDS = 60
"""Most fields of a link that is read."""
_PATH = re.compile(r"/([a-z_]{0,40})")


@dataclass(frozen=True, slots=True)
class Place:
    """One state of a page.

    Args:
        page: its path, "" for the first one.
        link: what its address says, by the names of the fields, each as it stands in a link.
        dialogue: its text where the address does not hold it, else "".
        references: what people wrote about a dialogue of the visitor's own.
    """

    page: str
    link: Mapping[str, str] = field(default_factory=dict)
    dialogue: str = ""
    references: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Return the address of its page, from the path on."""
        return f"/{self.page}" + (f"?{urlencode(self.link)}" if self.link else "")

    @classmethod
    def of(cls, address: str) -> "Place":
        """Read an address of the app, whole or from its path on; it can name a page and fields that do not exist.

        Raises:
            ValueError: it is none, or names a field twice.
        """
        parts = urlsplit(address)
        match = _PATH.fullmatch(parts.path)
        if match is None or parts.scheme not in ("", "http", "https"):
            raise ValueError("no address of the app")
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query), max_num_fields=FIELDS)
        if len(link := dict(pairs)) < len(pairs):
            raise ValueError("a field twice")
        return cls(match[1], MappingProxyType(link))
