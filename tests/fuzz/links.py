"""Cases of links: packed texts that are damaged or bombs, and every field of every page with hostile values."""

import base64
import random
import zlib
from functools import cache
from typing import Any

from core.limits import limits
from core.text import links
from pages.shared.frame import address, fields, menu
from pages.shared.frame.fields import Choice, Field, Number
from tests.fuzz import made
from tests.fuzz.run import Family

PAGES = tuple("" if name == address.FIRST else name for name in menu.ENTRIES if name not in ("visited", "compare"))
"""Paths of the pages with link fields of their own about a model or a dialogue."""


def packed(rng: random.Random) -> str:
    """The text of a dialogue as a link carries it: whole, damaged, or a bomb."""
    whole = links.pack(made.text(rng)) or "eA"
    kind = rng.randrange(6)
    if kind == 0:
        return whole
    if kind == 1:
        return made.mangled(rng, whole.encode()).decode("latin-1")
    if kind == 2:
        bomb = zlib.compress(rng.choice((b"\0", b"a", b"\xff")) * rng.choice((10**5, 10**6, 10**7)), 9)
        return base64.urlsafe_b64encode(bomb)[: rng.choice((None, 3000, 4095))].decode()
    if kind == 3:
        return base64.urlsafe_b64encode(made.mangled(rng, zlib.compress(made.DIALOGUE.encode()))).decode()
    if kind == 4:
        return base64.urlsafe_b64encode(zlib.compress(made.encoded(rng, made.text(rng)[:2000]))).decode().rstrip("=")
    return made.piece(rng)


def unpack(rng: random.Random) -> None:
    """Unpack the text of a link."""
    text = links.unpack(packed(rng))
    assert len(text) <= limits().dialogue_characters
    text.encode()


@cache
def every() -> tuple[Field[Any], ...]:
    """Return the fields of all pages."""
    found = {field.name: field for path in PAGES for field in (*address.SHARED, *address.own_fields(path))}
    return tuple(found.values())


def asked(rng: random.Random, field: Field[Any]) -> str:
    """What a link may ask for: often something that the field knows, or nearly."""
    if isinstance(field, Choice) and rng.random() < 0.4:
        return rng.choice(field.options) + rng.choice(("", "", " ", "x", "\0"))
    if isinstance(field, Number) and rng.random() < 0.5:
        number = rng.choice((field.low, field.high, field.low - 1, field.high + 1, made.number(rng)))
        return rng.choice((str(number), f"{number:g}", f"+{number}", f" {number} ", f"{number}_0", "١٢", "0x1"))
    small = "".join(rng.choice("0123456789.~_-,x:|#") for _ in range(rng.randint(1, 40)))
    return made.clean(
        rng.choice((small, small, made.piece(rng), "a" * 20_000, "null", "[]", "-0", "1e400", "9" * 5000))
    )


def read(rng: random.Random) -> None:
    """Read all fields from a link: what is taken can be written into a link again, what is not is noted briefly."""
    link = {field.name: asked(rng, field) for field in every()}
    values, notes = fields.read(link, every())
    assert len(values) + len(notes) == len(link)
    assert all(len(note) < 1000 for note in notes)
    for field in every():
        if field.name in values:
            assert field.parse(field.write(values[field.name])) is not None, (field, values[field.name])


FAMILIES = (
    Family("packed", "texts packed into links: damaged, and bombs", 800, unpack, megabytes=64),
    Family("fields", "every field of every page reads a hostile link", 300, read),
)
