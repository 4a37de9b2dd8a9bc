"""What pages declare: the fields that a link to each can carry."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pages.shared.session import decoding, selection
from pages.shared.session.fields import Field
from pages.shared.session.language import LANGUAGE
from pages.shared.teaching import course
from pages.shared.teaching.projector import PROJECTOR

FIRST = "start"
"""The page whose path is "": its address says nothing of what was chosen elsewhere."""
SHARED: tuple[Field[Any], ...] = (
    selection.EXAMPLE,
    selection.INPUT,
    selection.GIVEN,
    *decoding.FIELDS,
    *course.FIELDS,
    PROJECTOR,
    LANGUAGE,
)
"""Fields of every page."""


class Declared(Protocol):
    """What the frame has to know of a page before it is drawn."""

    fields: tuple[Field[Any], ...]
    uses: tuple[str, ...]
    view: Field[str]
    apart: bool
    broad: bool
    holds: Callable[[], Sequence[str]]


def page_at(path: str) -> Declared:
    """Return the declaration of a page: `PAGE` of its file; `path` is "" for the first one."""
    page: Declared = importlib.import_module(f"pages.{path or FIRST}").PAGE
    return page


def own_fields(path: str) -> tuple[Field[Any], ...]:
    """Return the fields that only one page has."""
    return page_at(path).fields


def names(path: str) -> frozenset[str]:
    """Return what a link to a page may name."""
    page = page_at(path)
    if page.apart:
        return frozenset(field.name for field in (PROJECTOR, LANGUAGE, *page.fields))
    return frozenset({*(field.name for field in (*SHARED, *page.fields)), selection.TEXT, selection.HANDED})
