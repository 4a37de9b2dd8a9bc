"""The words of the app in the language of whoever reads them: `from core.words import say`.

English stands in the code; the other languages are gettext catalogues in this folder, `tr.po` and `vi.po`. `make words`
brings them up to date. Only the app chooses a language; the command line and what it writes stay English.
"""

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from babel.messages.pofile import PoFileError, read_po

LANGUAGES = {"en": "English", "tr": "Türkçe", "vi": "Tiếng Việt"}
"""The languages by their codes (ISO 639-1), each with its own name."""
ENGLISH = "en"
LOG = logging.getLogger(__name__)
HERE = Path(__file__).parent
_SAID = re.compile(r'\b(?:say|later)\(("(?:[^"\\]|\\.)*")')
_chosen: ContextVar[str | None] = ContextVar("language", default=None)
_ask: list[Callable[[], str]] = []
_catalogues: dict[str, Mapping[str, str]] = {ENGLISH: {}}


def language() -> str:
    """Return the code of the language that is spoken here and now."""
    return _chosen.get() or (_ask[-1]() if _ask else ENGLISH)


def ask(who: Callable[[], str]) -> None:
    """Name the function that knows the language where `speaking` says nothing: the app's session."""
    _ask[:] = [who]


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use a language in this thread. A thread that works for a session begins with the language of the session."""
    before = _chosen.set(code)
    try:
        yield
    finally:
        _chosen.reset(before)


def catalogue(code: str) -> Mapping[str, str]:
    """Return the messages of a language by their English text; English has none.

    A message that is not translated is missing, and shown in English; so is every one if the file cannot be read.
    """
    if code not in _catalogues:
        _catalogues[code] = _read(HERE / f"{code}.po")
    return _catalogues[code]


def _read(path: Path) -> dict[str, str]:
    try:
        if not path.is_file():  # to open a pipe would wait without end
            raise OSError("there is no such file")
        with path.open("rb") as file:
            messages = [message for message in read_po(file, abort_invalid=True) if message.id]
        if not messages:
            raise ValueError("it holds no messages")
        return {str(message.id): str(message.string) for message in messages if message.string}
    except (OSError, ValueError, LookupError, PoFileError) as error:
        LOG.warning("The words of %s cannot be read, so that they are shown in English: %s", path, error)
        return {}


def say(message: str, /, **values: Any) -> str:
    """Return a message in the language of here and now.

    Args:
        message: its English text, a literal; or what `later` marked.
        values: what its {names} stand for, as `str.format` takes them. Without any, braces are what they are.
    """
    text = catalogue(language()).get(message, message)
    if not values:
        return text
    try:
        return text.format(**values)
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        if text == message:
            raise
        LOG.warning("The translation of “%s” cannot be filled in, so that it is shown in English: %r", message, error)
        return message.format(**values)


def first_few(items: Iterable[object], most: int = 10) -> str:
    """Return the first items with commas between them, and how many more there are."""
    texts = [str(item) for item in items]
    shown = ", ".join(texts[:most])
    if len(texts) <= most:
        return shown
    return say("{items} and {count} more", items=shown, count=f"{len(texts) - most:,}")


def count(amount: int, noun: str) -> str:
    """A number with its noun: 1 step, 3 steps, 3 summaries; the other languages know no plural after a number."""
    if language() != ENGLISH:
        return say("{amount} {noun}", amount=f"{amount:,}", noun=say(noun))
    several = f"{noun[:-1]}ies" if noun[-1] == "y" and noun[-2] not in "aeiou" else f"{noun}s"
    return f"{amount:,} {noun if amount == 1 else several}"


def later(message: str) -> str:
    """Mark a text that `say` translates where it is shown: files are imported before anybody chooses a language."""
    return message


def said_in(script: str) -> list[str]:
    """Return the messages that a script in JavaScript says."""
    return [json.loads(literal) for literal in _SAID.findall(script)]


def translated(messages: Iterable[str]) -> dict[str, str]:
    """Return those of some messages that the language of here and now has, for a script that says them."""
    known = catalogue(language())
    return {message: known[message] for message in messages if message in known}
