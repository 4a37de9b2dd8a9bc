"""What a custom component is given, as text that can be approved, and what it sends."""

import json
from pprint import pformat
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.pages.driver import element, healthy, send


def change(app: AppTest, key: str, **state: Any) -> AppTest:
    """Let a component send what stands in it now; `key` is its own on the page."""
    found = element(app, "bidi_component", key).proto.id
    return healthy(send(app, WidgetState(id=found, json_value=json.dumps(state))), may_refuse=True)


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
