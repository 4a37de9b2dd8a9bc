"""Find the messages in Python's code and in tables, for `make words` and the tests; Babel's reader skips f-strings."""

import ast
import builtins
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

PLACES = {"say": 0, "later": 0, "count": 1}
"""The functions whose calls name a message, and the number of the argument that is one."""


def messages(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Any, options: Any
) -> Iterator[tuple[int, str, str, list[str]]]:
    """Yield the messages of a file, as Babel asks an extractor for them.

    Args:
        file: Python's code.
        keywords: names of functions; those of `PLACES` count.
        comment_tags: not used.
        options: not used.

    Yields:
        Line, "" for a call without plural, message, and no comments.
    """
    calls = (node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call))
    for call in calls:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        ours = name.endswith("Error") and not hasattr(builtins, name)  # an error of ours takes its message first
        place = PLACES.get(name, 0 if ours else -1)
        if 0 <= place < len(call.args) and isinstance(call.args[place], ast.Constant):
            message = call.args[place].value  # type: ignore[attr-defined]
            if isinstance(message, str):
                yield call.lineno, "", message, []


def texts(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Any, options: Mapping[str, Any]
) -> Iterator[tuple[int, str, str, list[str]]]:
    """Yield the texts of a table that are said: TOML that names their keys in `said`; or JSON, or a JSON value a line.

    Args:
        file: the table.
        keywords: not used.
        comment_tags: not used.
        options: of babel.cfg; for JSON `said` has the keys, with blanks between them.

    Yields:
        Line 1, "" for no plural, message, and no comments.
    """
    text = file.read().decode("utf-8")
    if "said" in options:
        whole = text.startswith("{\n")
        values, keys = [json.loads(each) for each in ([text] if whole else text.splitlines())], options["said"].split()
    else:
        values = [tomllib.loads(text)]
        keys = values[0].pop("said", [])
    for message in _under(values, keys, False):
        yield 1, "", message, []


def _under(value: Any, keys: Sequence[str], said: bool) -> Iterator[str]:
    """Yield the texts in a value that stand under one of some keys, at any depth."""
    if isinstance(value, str) and value and said:
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _under(each, keys, said or key in keys)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _under(each, keys, said)
