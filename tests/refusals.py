"""What a function says when it refuses its input, as text that a test approves: `assert refusals(…) == snapshot`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

LONGEST = 70
"""Characters of an input that are shown beside its refusal."""


def refusals(
    error: type[Exception], call: Callable[..., Any], inputs: Iterable[Any] | Mapping[str, Any], hide: object = None
) -> str:
    """Return the message with which each input is refused; one that is not fails the test.

    Args:
        error: what must be raised.
        call: gets each input as its argument, a tuple as its arguments.
        inputs: of which each is refused; of a mapping, the values, shown under their names.
        hide: a folder that is another one in each run.
    """
    named = inputs.items() if isinstance(inputs, Mapping) else ((_short(each), each) for each in inputs)
    lines = []
    for name, each in named:
        try:
            call(*each) if isinstance(each, tuple) else call(each)
        except error as refused:
            lines.append(f"{name}\n    {refused}")
        else:
            pytest.fail(f"not refused: {name}")
    text = "\n".join(lines)
    return text if hide is None else text.replace(str(hide), "…")


def _short(value: Any) -> str:
    """Return how an input is written, of a long one the beginning."""
    text = ", ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"
