"""What a function says when it refuses its input, as text that a test approves: `assert refusals(…) == snapshot`."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

LONGEST = 70
"""Characters of an input that are shown beside its refusal."""


def refused(error: type[Exception], why: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Assert that a call is refused, and that the message matches `why`."""
    with pytest.raises(error, match=why):
        call(*arguments, **options)


def refusals(
    error: type[Exception] | tuple[type[Exception], ...],
    call: Callable[..., Any],
    inputs: Iterable[Any] | Mapping[str, Any],
    hide: object = None,
) -> str:
    """Return the message with which each input is refused; one that is not fails the test.

    Args:
        error: what must be raised.
        call: gets each input as its argument, a tuple as its arguments.
        inputs: of which each is refused; of a mapping, the values, shown under their names.
        hide: a folder that is another one in each run.
    """
    named = inputs if isinstance(inputs, Mapping) else None
    lines = []
    for number, each in enumerate(named.values() if named else inputs, 1):
        name = list(named)[number - 1] if named else _short(each, number)
        try:
            call(*each) if type(each) is tuple else call(each)
        except error as refused:
            assert "\n" not in str(refused), "a refusal is one line"
            lines.append(f"{name}\n    {refused}")
        else:
            pytest.fail(f"not refused: {name}")
    text = "\n".join(lines)
    return text if hide is None else text.replace(str(hide), "…")


def _short(value: Any, number: int = 0) -> str:
    """Return how an input is written: a long one its beginning, a function its number, any other object its class."""
    if isinstance(value, tuple):
        return ", ".join(map(_short, value)) if type(value) is tuple else type(value).__name__
    if callable(value):
        return f"change {number}"
    if isinstance(value, Path):
        return value.name
    if not isinstance(value, str | bytes | int | float | list | dict | None):
        return type(value).__name__
    text = " ".join(repr(value).split())
    if len(text) <= LONGEST:
        return text
    if isinstance(value, bytes) and b"\0" in value[:LONGEST]:
        return "bytes"  # of an archive, which has the hour in it
    if not isinstance(value, str | bytes):
        return f"a {type(value).__name__}"
    return f"{text[:LONGEST]} … {len(value):,} in all"


def changed(values: Any, place: str, *value: Any) -> Any:
    """Return a copy of JSON values with another value in a place, such as "heads.0.kind", or without one."""
    owner = whole = json.loads(json.dumps(values))
    *above, last = place.split(".")
    for name in above:
        owner = owner[int(name)] if isinstance(owner, list) else owner[name]
    key: Any = int(last) if isinstance(owner, list) else last
    if isinstance(owner, list) and key == len(owner):
        owner.extend(value)
    elif value:
        (owner[key],) = value
    else:
        del owner[key]
    return whole
