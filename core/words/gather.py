"""Find the messages in Python's code, for `make words` and the tests; Babel's own reader skips those in f-strings."""

import ast
import builtins
from collections.abc import Iterator, Mapping
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
