"""What every page with several views does around them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from pages.shared import address, errors, state
from pages.shared.choices import one_of


def choose(views: Mapping[str, tuple[str, Any]], key: str, **options: Any) -> Any:
    """Let one of a page's views be chosen and write it into the address.

    Args:
        views: of each, its label and what draws it.
        key: where the choice stands in the session.
        options: more for `one_of`.

    Returns:
        What draws the chosen view.
    """
    view = one_of("View", {name: label for name, (label, _) in views.items()}, key, hidden=True, **options)
    address.write()
    return views[view][1]


@contextmanager
def part(above: tuple[str, ...] | None = None) -> Iterator[None]:
    """Around what a page draws again alone: errors stay inside, the address follows, new notes reach the page's head.

    Args:
        above: the notes that stand there; None means those of now.
    """
    before = state.notes() if above is None else above
    with errors.boundary("view"):
        yield
    address.write()
    if state.notes() != before:
        st.rerun()  # the notes stand above the page
