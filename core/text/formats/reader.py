"""A reader: how a format is recognised, and how it becomes a transcript."""

from collections.abc import Callable
from dataclasses import dataclass

from core.text.formats.content import Content
from core.text.formats.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that can be read.

    Args:
        name: stands in links, options and JSON.
        title: what people call it, to be said; begins with a capital.
        by: by what it is recognised, in English, for docs/formats.md.
        recognises: returns whether a file, or a pasted text, has this format; looks at its beginning, or its JSON.
        read: makes the transcript; raises DialogueError.
        offered: whether the app offers it for a text of any other format.
    """

    name: str
    title: str
    by: str
    recognises: Callable[[Content], bool]
    read: Callable[[Content], Transcript]
    offered: bool = False
