"""HTML that users cannot write into: a text that is not `Html` is escaped when it becomes part of a page."""

import html
import re

from core.words import language, later, say

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PLACE = re.compile(r"\{(\w+)\}")
_EMPTY = frozenset({"br", "meta"})


CONTENTS = {
    "reading": later("Summary and dialogue"),
    "steps": later("Decoding steps"),
    "heads": later("Heads"),
    "explained": later("Explanations"),
    "scores": later("Scores"),
    "hints": later("Hints"),
    "settings": later("Settings"),
    "checkpoint": later("Checkpoint"),
    "making": later("How it was made"),
}
"""The sections of a report by their anchors, marked with `later`."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | int | None
"""What an element can hold: None is left out."""


def escape(text: str) -> Html:
    """Return a text as HTML that shows it; a character that HTML cannot hold becomes a replacement character."""
    return Html(html.escape(_UNPRINTABLE.sub("\ufffd", text)))


def join(*parts: Child) -> Html:
    """Return parts one after another, escaped unless they are HTML."""
    return Html("".join(part if isinstance(part, Html) else escape(str(part)) for part in parts if part is not None))


def put(text: str, **children: Child) -> Html:
    """Return a text of `say`, which got no values, with children in the places of its {names}."""
    parts = _PLACE.split(text)
    return join(*(children[part] if place % 2 else part for place, part in enumerate(parts)))


def document(title: str, style: str, policy: str, body: Html, *meta: Html) -> str:
    """Return a whole page in the language of here and now: `policy` says what it may run and load."""
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=policy),
        h("meta", name="referrer", content="no-referrer"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        *meta,
        h("title", title),
        h("style", Html(style)),
    )
    return f"<!doctype html>\n{h('html', head, body, lang=language())}\n"


def titled(anchor: str, *children: Child) -> Html:
    """Return a section of a report under its title."""
    return h("section", h("h2", say(CONTENTS[anchor])), *children, id=anchor)


def h(kind: str, *children: Child, **attributes: str | int | bool | None) -> Html:
    """Return an element.

    Args:
        kind: its name, with classes behind dots: "td.cell".
        children: what is in it.
        attributes: an underscore stands for a hyphen, and one at the end is dropped; True has no value; None and False
            are left out.
    """
    name, *classes = kind.split(".")
    if classes:
        attributes = {"class": " ".join(classes), **attributes}
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" + ("" if name in _EMPTY else f"{join(*children)}</{name}>"))
