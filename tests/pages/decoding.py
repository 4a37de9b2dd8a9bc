"""Driving the Decoding page without a browser: what its components and charts send is sent for them."""

import base64
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import pages_manager
from streamlit.testing.v1 import AppTest, app_test

from core.config import DecodeSettings
from core.decoding.engine import Engine
from core.explain.branches import Branches, read_path
from core.service import Summarizer
from core.text.examples import load_examples
from core.trace import Summary
from pages.shared import model
from pages.shared.state import Key
from tests.pages.conftest import SECONDS, data

PAGE = "pages/decoding.py"
FIRST = load_examples()[0].dialogue


class Settled(pages_manager.PagesManager):
    """As on a server that has drawn a page before; AppTest takes every run for the first one of its server."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        pages_manager.PagesManager.uses_pages_directory = False


def arrive(app: AppTest, **link: object) -> AppTest:
    """Open a link to the page in a new session."""
    app.query_params.update({name: str(value) for name, value in link.items()})
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def another(app: AppTest) -> AppTest:
    """A new session of the same app, before its first run."""
    return AppTest.from_file(app._script_path, default_timeout=app.default_timeout)


def go(app: AppTest, page: str) -> AppTest:
    """Choose another page in the menu: the browser keeps the widgets of the frame, and drops those of the page."""
    frame = {each.id for each in app.sidebar if hasattr(each, "id")}
    states = app._tree.get_widget_states()
    kept = WidgetStates(widgets=[each for each in states.widgets if each.id in frame])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "PagesManager", Settled)
        app.switch_page(page)._run(kept)
    assert not app.exception and not app.error
    return app


def element(app: AppTest, kind: str, key: str) -> Any:
    """The element of a key; raises LookupError if it is not drawn."""
    for each in app.get(kind):
        if each.key == key:
            return each
    raise LookupError(key)


def send(app: AppTest, state: WidgetState) -> AppTest:
    """Run again as the browser does when this widget has changed."""
    states = app._tree.get_widget_states()
    states.widgets.append(state)
    app._run(states)
    assert not app.exception
    return app


def move(app: AppTest, step: int, playing: bool = False) -> AppTest:
    """Use the stepper; steps are from 0."""
    state = json.dumps({"at": {"step": step, "playing": playing, "time": 1}})
    return send(app, WidgetState(id=element(app, "bidi_component", "stepper").proto.id, json_value=state))


def fork(app: AppTest, token: int) -> AppTest:
    """Press Fork beside a token of the table."""
    events = json.dumps([{"event": "fork", "value": {"id": token}}])
    table = element(app, "bidi_component", "next_token").proto.id
    return send(app, WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{table}__events", json_trigger_value=events))


def click(app: AppTest, chart: str, place: int) -> AppTest:
    """Click the point of a chart that stands for `place`."""
    points = {"points": [{"customdata": [place]}], "point_indices": [0], "box": [], "lasso": []}
    found = element(app, "plotly_chart", chart).proto.id
    return send(app, WidgetState(id=found, string_value=json.dumps({"selection": points})))


def tick(app: AppTest, table: str, row: int) -> AppTest:
    """Tick a row of a table."""
    selection = json.dumps({"selection": {"rows": [row], "columns": [], "cells": []}})
    return send(app, WidgetState(id=element(app, "dataframe", table).proto.id, string_value=selection))


def type_here(app: AppTest, text: str) -> AppTest:
    """Type what stands at this step."""
    app.text_input(key="typed").set_value(text)
    return press(app, "Write it here")


def press(app: AppTest, label: str) -> AppTest:
    """Press the first button with this label."""
    next(each for each in app.button if each.label == label).click().run()
    assert not app.exception
    return app


def table(app: AppTest) -> dict:
    """What the probability table was given."""
    return data(app, "probability_table")


def words(app: AppTest) -> list[str]:
    """Labels of the tokens in the stepper."""
    return [each["label"] for each in data(app, "stepper")["tokens"]]


def tree(app: AppTest) -> Branches:
    """The tree of branches that was used last."""
    return list(app.session_state[Key.TREES].values())[-1]


def shown(app: AppTest) -> str:
    """The name of the shown branch."""
    return tree(app).find(read_path(app.session_state[Key.BRANCH], 600)).name


def notes(app: AppTest) -> str:
    """What was left out of the link."""
    return " ".join(each.value for each in app.warning if "link" in each.icon)


def traces(app: AppTest, chart: str) -> list[dict]:
    """The traces of a chart, with numbers as lists."""
    found = json.loads(element(app, "plotly_chart", chart).proto.spec)["data"]
    for trace in found:
        for name, values in trace.items():
            if isinstance(values, dict) and "bdata" in values:
                trace[name] = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return found


def tiny() -> Summarizer:
    """The loaded model."""
    return model.job("tiny").summarizer


def decoded(prefix: tuple[int, ...] = (), text: str = FIRST, **changes: object) -> Summary:
    """What the model writes without the page."""
    return tiny().summarize(text, DecodeSettings(max_tokens=16).replace(**changes), prefix=prefix)


def count_calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the model was asked from now on, by method of the engine."""
    model.job("tiny").thread.join(SECONDS)  # it compiles ahead, and asks the model for that
    calls: Counter[str] = Counter()

    def count(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return method(*args, **options)

        return counted

    for name in ("encode", "beam", "sample", "replay"):
        monkeypatch.setattr(Engine, name, count(name, getattr(Engine, name)))
    return calls
