"""What a custom component is given, as text that can be approved."""

from pprint import pformat
from typing import Any


def given(*data: Any) -> str:
    """Return data for components as text: numbers with four digits, common blanks."""
    return "\n".join(pformat(_plain(each), width=118, compact=True, sort_dicts=False) for each in data)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return round(value, 4)
    return value.replace("\xa0", " ") if isinstance(value, str) else value
