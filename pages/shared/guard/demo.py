"""A demonstration for strangers, with DIALOSCOPE_DEMO=1: what visitors may not do, decided on the server.

It takes no files and no models, fetches nothing and trains nothing. It measures a long sweep only where the results are
kept for all visitors. Its limits are lower (`core.limits`).
"""

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from core import limits as bounds
from core.errors import SettingsError
from core.words import later, say
from pages.shared.session import notices

NOTICE = later(
    "This is a demonstration: it takes no files and no models and trains nothing. Your own copy does all of it."
)
"""In English, and translated when shown."""


def on() -> bool:
    """Return whether the app is a demonstration."""
    return bounds.is_demo()


def check(what: str) -> None:
    """Refuse in a demonstration; `what`, a said clause, ends the sentence. Raises SettingsError."""
    if on():
        raise SettingsError("this app is a demonstration ({setting}=1): {what}", setting=bounds.SETTING, what=what)


def uploader(
    label: str, types: Sequence[str] | None, *, key: str, take: Callable[[str, bytes], object], limit: str,
    hidden: bool = False, tip: str | None = None, refused: Callable[[], object] | None = None,
) -> None:  # fmt: skip
    """Draw a box that takes one file; in a demonstration it says that there is none.

    Args:
        label: what the file is, said; so is `tip`.
        types: endings of its name; None where `take` refuses others, in the visitor's language.
        key: of the widget; the next file needs a new one.
        take: gets name and content of a file; the page says why it refuses one.
        limit: name of the limit of its size.
        hidden: the label is for screen readers alone.
        tip: more about it.
        refused: called after a file was refused.
    """
    if on():
        st.caption(say("{label}: a demonstration takes none.", label=label))
        return
    visibility: Literal["collapsed", "visible"] = "collapsed" if hidden else "visible"
    st.file_uploader(
        label,
        types,
        key=key,
        on_change=_take,
        args=(key, take, limit, refused),
        max_upload_size=-(-getattr(bounds.limits(), limit) // 1_000_000),
        label_visibility=visibility,
        help=tip,
    )


def _take(key: str, take: Callable[[str, bytes], object], limit: str, refused: Callable[[], object] | None) -> None:
    file = st.session_state.get(key)
    if file is None:
        return

    def taken() -> None:
        bounds.check(limit, file.size, say("The file"))
        take(file.name, file.getvalue())

    if not notices.attempt(taken) and refused:
        refused()
