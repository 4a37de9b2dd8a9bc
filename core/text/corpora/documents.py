"""JSON: one object a line, or one document whose rows lie in a list, in columns, or under their ids."""

import io
import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from core.limits import limits
from core.text.corpora.columns import columns_of, named
from core.text.corpora.encodings import Encoding
from core.text.corpora.rows import is_turn
from core.text.corpora.tables import Rows, TooLargeError
from core.words import say

_LINE = 40
"""Most characters of a line of JSON, in lengths of the longest dialogue."""


class ShapeError(ValueError):
    """A JSON document holds no rows, or lists of which nobody says which is meant; the message is the reason."""


def is_document(stream: IO[bytes], encoding: Encoding, ending: str) -> bool:
    """Return whether JSON is one document, by its beginning: a list, or an object that goes over several lines."""
    lines = _text(stream, encoding)
    longest = _LINE * limits().dialogue_characters
    first = next((line for line in iter(lambda: lines.readline(longest), "") if line.strip()), "")
    if first.lstrip()[:1] == "[":
        return ending == ".json" or first.strip() == "[" or first.lstrip()[1:].lstrip()[:1] == "{"
    if ending != ".json":
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return True
    rest = next((line for line in iter(lambda: lines.readline(longest), "") if line.strip()), "")
    return not rest


def json_lines(stream: IO[bytes], encoding: Encoding) -> Rows:
    """Yield the rows of a file with one JSON object a line; "" for a blank line."""
    for line, raw in enumerate(_lines(_text(stream, encoding)), 1):
        if not raw.strip():
            yield line, ""
        elif byte := encoding.broken(raw):
            reason = say("not {encoding} (byte {byte} of the line)", encoding=encoding.shown, byte=byte)
            yield line, reason
        else:
            yield line, _parsed(raw)


def json_rows(stream: IO[bytes], encoding: Encoding, most: int, plain: bool = False) -> Rows:
    """Return the rows of a JSON document, numbered from 1; `plain`: even if they look like the turns of one dialogue.

    Raises:
        ShapeError: it holds no rows.
        ValueError, RecursionError: it is damaged, or nested too deep.
        TooLargeError: it has more than `most` characters.
    """
    text = _text(stream, encoding).read(most + 1)
    if len(text) > most:
        raise TooLargeError(most)
    if encoding.broken(text):
        raise ValueError(say("not {encoding}", encoding=encoding.shown))
    rows = _rows(json.loads(text), plain)
    return ((number, row if isinstance(row, dict) else _no_object(row)) for number, row in enumerate(rows, 1))


def _text(stream: IO[bytes], encoding: Encoding) -> io.TextIOWrapper:
    """Return a stream as text; only a line feed ends a line: JSON may hold other separators as they are."""
    return io.TextIOWrapper(stream, encoding=encoding.name, errors=encoding.errors, newline="\n")


def _lines(stream: io.TextIOWrapper) -> Iterator[str]:
    """Yield lines, of one that is too long only its begin: a small .gz file may unpack to one without an end."""
    longest = _LINE * limits().dialogue_characters
    while line := stream.readline(longest):
        yield line
        while len(line) == longest and not line.endswith("\n"):
            line = stream.readline(longest)


def _parsed(raw: str) -> Mapping[str, Any] | str:
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError) as error:
        reason = say("it is nested too deeply, or a number is too large")
        if isinstance(error, json.JSONDecodeError):
            reason = error.msg
        return say("not valid JSON: {reason}", reason=reason)
    return row if isinstance(row, dict) else _no_object(row)


def _no_object(row: Any) -> str:
    return say("not a JSON object but {kind}", kind=type(row).__name__)


def _rows(value: Any, plain: bool) -> list[Any]:
    if isinstance(value, list):
        if plain or not _is_chat(value):
            return value
        raise ShapeError(
            say("it is one dialogue, message by message, which “summarize” reads; if it is not, choose the columns")
        )
    if not isinstance(value, dict) or not value:
        raise ShapeError(say("it holds {kind}, not rows", kind=type(value).__name__))
    if isinstance(value.get("data"), list) and isinstance(names := value.get("columns"), list):  # pandas, "split"
        return [dict(zip(map(str, names), row, strict=False)) for row in value["data"] if isinstance(row, list)]
    return _of_object(value, plain)


def _of_object(value: dict[str, Any], plain: bool) -> list[Any]:
    """Find the rows of an object: columns, one row, a list or an object of rows under one name, or rows by id."""
    of_dialogue = value.get(columns_of(list(value), {}).dialogue)
    lists = {name: each for name, each in value.items() if isinstance(each, list)}
    if isinstance(of_dialogue, dict) and all(isinstance(each, dict) for each in value.values()):  # pandas, "columns"
        return [{name: each.get(key) for name, each in value.items()} for key in of_dialogue]
    if len(lists) == len(value) > 1 and len(set(map(len, lists.values()))) == 1 and _are_cells(of_dialogue):
        return [dict(zip(value, each, strict=True)) for each in zip(*value.values(), strict=True)]
    if isinstance(of_dialogue, str) or "meeting_transcripts" in value or _is_talk(of_dialogue):
        return [value]
    of_rows = {name: each for name, each in lists.items() if each and all(isinstance(row, dict) for row in each)}
    if len(of_rows) == 1:
        return _rows(next(iter(of_rows.values())), plain)
    if of_rows:
        raise ShapeError(say("it holds several lists of rows: {names}", names=named(of_rows)))
    inner = list(value.values())
    if all(isinstance(each, dict) for each in inner):
        if (
            len(inner) == 1
            and columns_of(list(inner[0]), {}).dialogue
            and not isinstance(inner[0].get("dialogue"), str)
        ):
            return _of_object(inner[0], plain)
        return [{**each, **({} if columns_of(list(each), {}).id else {"id": key})} for key, each in value.items()]
    if len(inner) == 1 and isinstance(inner[0], list):
        return list(inner[0])
    raise ShapeError(say("it holds an object with {names}, not rows", names=named(value)))


def _is_chat(value: list[Any]) -> bool:
    """Return whether a list is one dialogue: most of it somebody with a text of one line, and nowhere a summary."""
    turns = [each for each in value if is_turn(each)]
    if 2 * len(turns) < len(value) or not turns:
        return False
    names = {str(name) for each in value if isinstance(each, dict) for name in each}
    lines = sum("\n" in str(each) for turn in turns for each in turn.values())
    return not columns_of(list(names), {}).has_summary and 2 * lines < len(turns)


def _are_cells(value: Any) -> bool:
    """Return whether a list is a column of dialogues: texts, or dialogues as lists of turns."""
    return isinstance(value, list) and not _is_talk(value) and all(isinstance(cell, str | list) for cell in value)


def _is_talk(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_turn, value))
