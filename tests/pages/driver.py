"""Driving any page without a browser: links, controls, what components and charts send, what is said."""

import json
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import uvicorn
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import pages_manager
from streamlit.testing.v1 import AppTest, app_test

from core.config import DecodeSettings
from core.figures.shared.picture import Picture
from core.service import Summarizer
from core.text.examples import load_examples
from core.trace import Summary
from pages.shared.model import models

FIRST = load_examples()[0].dialogue


class Settled(pages_manager.PagesManager):
    """As on a server that has drawn a page before; AppTest takes every run for the first one of its server."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        pages_manager.PagesManager.uses_pages_directory = False


# Sessions ------------------------------------------------------------------------------------------------------------


def open_link(page: str, app: AppTest, may_refuse: bool = False, **link: object) -> AppTest:
    """Open a link to a page in a new session; with `may_refuse`, a red message may be there."""
    app.query_params.update({name: str(value) for name, value in link.items()})
    return healthy(app.switch_page(page).run(), may_refuse)


def healthy(app: AppTest, may_refuse: bool = False) -> AppTest:
    """No exception, and no message of the error boundary; with `may_refuse`, a red message may be there."""
    assert not app.exception and (may_refuse or not app.error)
    return app


def stay(app: AppTest) -> AppTest:
    """Let later runs be of the page that is open then, else each would lead to the page of the link again."""
    app._page_hash = ""
    return app


def another(app: AppTest) -> AppTest:
    """A new session of the same app, before its first run."""
    return summarize(AppTest.from_file(app._script_path, default_timeout=app.default_timeout))


def summarize(app: AppTest) -> AppTest:
    """Let an app open with Summarize."""
    return app.switch_page("pages/summarize.py")


def go(app: AppTest, page: str) -> AppTest:
    """Choose another page in the menu: the browser keeps the widgets of the frame, and drops those of the page."""
    frame = {each.id for each in app.sidebar if hasattr(each, "id")}
    states = app._tree.get_widget_states()
    kept = WidgetStates(widgets=[each for each in states.widgets if each.id in frame])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "PagesManager", Settled)
        app.switch_page(page)._run(kept)
    return healthy(app)


@contextmanager
def serving(app: Any, **options: Any) -> Iterator[int]:
    """Run a server for an app on a port of its own, without a model; it must be able to stop."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", **options))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)
    assert not thread.is_alive(), "open streams must not keep the server from stopping"


# Controls ------------------------------------------------------------------------------------------------------------


def choose(app: AppTest, key: str, value: object, may_refuse: bool = False) -> AppTest:
    """Choose from a list or of some segments."""
    control = next(each for kind in (app.selectbox, app.segmented_control) for each in kind if each.key == key)
    return healthy(control.set_value(value).run(), may_refuse)


def enter(app: AppTest, key: str, value: object, may_refuse: bool = False) -> AppTest:
    """Type a number or a text into a box."""
    box = next(each for kind in (app.number_input, app.text_input, app.text_area) for each in kind if each.key == key)
    return healthy(box.set_value(value).run(), may_refuse)


def upload(app: AppTest, name: str, content: bytes) -> None:
    """Put a file into the first box that takes one; it may be refused."""
    app.get("file_uploader")[0].upload(name, content).run()
    healthy(app, may_refuse=True)


def press(app: AppTest, key: str, may_refuse: bool = False) -> AppTest:
    """Press a button."""
    return healthy(app.button(key=key).click().run(), may_refuse)


def press_label(app: AppTest, label: str, may_refuse: bool = False) -> AppTest:
    """Press the first button with a label."""
    return healthy(next(each for each in app.button if each.label == label).click().run(), may_refuse)


def send(app: AppTest, state: WidgetState) -> AppTest:
    """Run again as the browser does when this widget has changed."""
    states = app._tree.get_widget_states()
    states.widgets.append(state)
    app._run(states)
    assert not app.exception
    return app


def trigger(app: AppTest, key: str, event: str, value: object, may_refuse: bool = False) -> AppTest:
    """A component sends an event: its key on the page, the event, and what it holds."""
    events = json.dumps([{"event": event, "value": value}])
    found = element(app, "bidi_component", key).proto.id
    send(app, WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{found}__events", json_trigger_value=events))
    return healthy(app, may_refuse)


def click(app: AppTest, chart: str, place: int) -> AppTest:
    """Click the point of a chart that stands for `place`."""
    points = {"points": [{"customdata": [place]}], "point_indices": [0], "box": [], "lasso": []}
    found = element(app, "plotly_chart", chart).proto.id
    return send(app, WidgetState(id=found, string_value=json.dumps({"selection": points})))


def tick(app: AppTest, table: str, *rows: int, cell: tuple[int, str] | None = None) -> AppTest:
    """Tick rows of a table, or click one of its cells, named by row and column."""
    cells = [list(cell)] if cell else []
    selection = json.dumps({"selection": {"rows": list(rows), "columns": [], "cells": cells}})
    return send(app, WidgetState(id=element(app, "dataframe", table).proto.id, string_value=selection))


# What is there -------------------------------------------------------------------------------------------------------


def data(app: AppTest, component: str) -> dict:
    """What the page handed to a custom component; raises LookupError if it is not drawn."""
    for each in app.get("bidi_component"):
        if each.proto.component_name == f"dialoscope_{component}":
            return json.loads(each.proto.json)
    raise LookupError(component)


def element(app: AppTest, kind: str, key: str) -> Any:
    """The element of a key; raises LookupError if it is not drawn."""
    for each in app.get(kind):
        if each.key == key:
            return each
    raise LookupError(key)


def chart(app: AppTest, key: str) -> dict[str, Any]:
    """A chart's traces and layout, with packed numbers unpacked."""
    spec = json.loads(element(app, "plotly_chart", key).proto.spec)
    for trace in spec["data"]:
        for name, values in trace.items():
            if isinstance(values, dict) and "bdata" in values:
                found = np.frombuffer(b64decode(values["bdata"]), dtype=values["dtype"])
                shape = [int(size) for size in str(values["shape"]).split(",")] if "shape" in values else [-1]
                trace[name] = found.reshape(shape)
            elif name == "z":
                trace[name] = np.asarray(values, dtype=float)
    return spec


def draws(app: AppTest, key: str, picture: Picture) -> None:
    """Check that a chart on the page is this picture: its sentence and its table, which has all its numbers."""
    assert element(app, "plotly_chart", key).proto.alt == picture.caption
    found = next(each.value for each in app.dataframe if list(each.value.columns) == list(picture.table))
    for name, values in picture.table.items():
        assert list(found[name]) == pytest.approx(list(values), abs=1e-4, nan_ok=True), name  # four digits are shown


def holds(app: AppTest, key: str, expected: Any, part: str = "z", trace: int = 0) -> None:
    """Check the numbers of a trace of a chart."""
    found = np.asarray(chart(app, key)["data"][trace][part], dtype=float)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)  # six digits are drawn, of float32


def table(app: AppTest, column: str) -> Any:
    """The first table on the page that has a column."""
    return next(each.value for each in app.dataframe if column in each.value.columns)


def captions(app: AppTest) -> str:
    """Every caption, without what keeps users' text from being Markdown, and with common blanks."""
    return " ".join(each.value for each in app.caption).replace("\\", "").replace("\xa0", " ")


def said(app: AppTest) -> str:
    """Every text and message, without Markdown's marks, and with common blanks."""
    texts = [each.value for kind in (app.markdown, app.caption, app.info, app.warning, app.error) for each in kind]
    return " ".join(texts).replace("\\", "").replace("*", "").replace("\xa0", " ")


def notes(app: AppTest) -> str:
    """What was left out of the link."""
    return " ".join(each.value for each in app.warning if "link" in each.icon)


def noted(app: AppTest) -> str:
    """The same without what keeps users' text from being Markdown."""
    return notes(app).replace("\\", "")


# The model -----------------------------------------------------------------------------------------------------------


def tiny() -> Summarizer:
    """The loaded model."""
    return models.job("tiny").summarizer


def decoded(prefix: tuple[int, ...] = (), text: str = FIRST, **changes: object) -> Summary:
    """What the model writes without the page."""
    return tiny().summarize(text, DecodeSettings(max_tokens=16).replace(**changes), prefix=prefix)
