"""Turn uploaded files and pasted texts into what `core.text.formats` reads."""

from pathlib import PurePath

from core.errors import DialogueError
from core.files import mistaken
from core.text.formats import documents, registry
from core.text.formats.content import ALLOWED, HEAD, Content, decode, no_text
from core.text.formats.transcript import Transcript
from core.words import say

TEXT_SUFFIXES = ("", ".txt", ".text", ".md", ".log")
"""File name endings that are read as plain text or as a chat export."""
SUFFIXES = (*TEXT_SUFFIXES, ".json", ".vtt", ".srt", ".sbv", ".docx", ".html", ".htm", ".csv", ".tsv", ".jsonl")
"""File name endings that can hold a dialogue."""
_OF_CORPORA = (".jsonl", ".csv", ".tsv", ".gz")
_OF_CUES = {".vtt": "WEBVTT", ".srt": "1", ".sbv": "0:00:01.000,0:00:02.000"}
"""First line of what files with these endings hold."""


def read_file(name: str, data: bytes, reading: str = "", encoding: str = "") -> Transcript:
    """Read an uploaded dialogue in the format that its content has.

    Args:
        name: the file's name.
        data: the file's bytes; see `core.text.formats.content.decode` for the encodings.
        reading: name of a reader; "" for the one that recognises the content.
        encoding: name of the file's encoding; "" for the one that its bytes tell.

    Returns:
        The turns, and what was joined and left out; `text` is for `parse_dialogue`, and that of a plain dialogue the
        text of the file.

    Raises:
        DialogueError: another kind of file, binary or empty content, or JSON of another form.
        DialoscopeError: an encoding that is not known.
    """
    return registry.read(content_of(name, data, encoding), reading)


def read_text(text: str, reading: str = "") -> Transcript:
    """Read a pasted text as `read_file` does."""
    return registry.read(Content("", text), reading)


def load_dialogue_file(name: str, data: bytes) -> str:
    """Return the text of an uploaded dialogue, for those who want no more of it than that."""
    return read_file(name, data).text


def content_of(name: str, data: bytes, encoding: str = "") -> Content:
    """Return a file as readers get it; raises as `read_file` does."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise _refusal(name, suffix)
    if data.startswith(documents.ZIP):
        return Content(name, documents.text_of(name, data))
    is_page = b'class="message ' in data[: 4 * HEAD]
    if data and not is_page and suffix in (".html", ".htm"):
        raise DialogueError("{file!r} is no page that Telegram exports: export the chat as JSON or text", file=name)
    if data and not is_page and (reason := mistaken(data)):
        raise DialogueError("{file!r} holds no dialogue: {reason}", file=name, reason=reason)
    if suffix == ".docx":
        return Content(name, documents.text_of(name, data))
    content = decode(name, data, encoding)
    if not content.text.strip():
        raise no_text(name)
    if suffix in (*_OF_CORPORA, *_OF_CUES) and registry.recognise(content).offered:
        raise _refusal(name, suffix, content)
    return content


def _refusal(name: str, suffix: str, content: Content | None = None) -> DialogueError:
    """Say why a file is no dialogue: its ending, or what it holds instead."""
    places = {"file": name, "ending": suffix, "allowed": say(ALLOWED)}
    if suffix in _OF_CUES and content:
        first = content.text.split("\n", 1)[0].strip()[:60]
        return DialogueError(
            "{file!r} holds no cues as {ending} files do. It begins with “{line}”, where “{wanted}” is needed",
            line=first,
            wanted=_OF_CUES[suffix],
            **places,
        )
    if suffix in _OF_CORPORA:
        return DialogueError(
            "{file!r} has the ending {ending!r}. Allowed: {allowed}. A corpus is read by the evaluate command.",
            **places,
        )
    return DialogueError("{file!r} has the ending {ending!r}. Allowed: {allowed}.", **places)
