"""Cases of pages: links, values of controls, messages of components and files that no honest browser would send."""

import contextlib
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.shared.frame import address
from pages.shared.frame.fields import Field
from tests.fuzz import made, uploads
from tests.fuzz.house import ROOT
from tests.fuzz.links import PAGES, asked, packed
from tests.fuzz.run import Family

SECONDS = 60
BUG = "Something went wrong here"
EVENTS: dict[str, dict[str, Any]] = {
    "conversation": {"edited": {"index": 1, "text": "Hello."}},
    "head_grid": {"open": {"layer": 1, "head": 1}},
    "attention_matrix": {"row": 2},
    "ribbons": {"pick": {"row": 1}},
    "head_stages": {"pick": {"chosen": 2, "shown": 12, "version": 1}},
    "head_view": {"view": {"locked": [1, 2], "heads": [0], "share": 0.5, "version": 1}},
    "matrix_board": {"pick": {"cell": "scores.1.1", "version": 1}},
    "stepper": {"at": {"step": 2, "playing": True, "time": 12}},
    "probability_table": {"fork": {"id": 9}},
    "label_bar": {"acts": {"mount": 1, "list": [{"number": 1, "what": "tag", "tag": "Invented", "row": ""}]}},
    "summary_check": {"judged": {"fault": 0, "verdict": "right"}},
    "head_switches": {"flip": {"kind": "cross", "layer": 0, "head": 1}},
    "word_map": {"pick": {"index": 2}},
    "turn_bench": {"act": {"turn": 1, "action": "delete"}},
    "token_chips": {"pick": {"line": 0, "index": 3}},
    "stack_diagram": {"pick": {"path": "encoder/block1"}},
}
"""What each component sends, honestly."""
TRAINING = ("start", "train", "lesson", "DialogSum", "ask_many")
"""Parts of the keys and labels of buttons that start long work; they are pressed elsewhere."""


def views() -> list[tuple[str, str, str]]:
    """Return every view of every page: the page's path, the name of the choice, and the view."""
    found = []
    for path in PAGES:
        page: Any = address.page_at(path)
        found += [(path, page.view.name, view) for view in page.views]
    return found


@cache
def warm() -> None:
    """Open every view once: what is compiled then takes no time of a case."""
    for place in views():
        healthy(opened(place, {}), place)


def opened(place: tuple[str, str, str], link: dict[str, str]) -> AppTest:
    """Open a view in a new session."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    path, name, view = place
    app.query_params.update({name: view} | link)
    return app.switch_page(f"pages/{path or address.FIRST}.py").run()


def healthy(app: AppTest, what: object) -> None:
    """No traceback on the page, and no message of the error boundary."""
    assert not app.exception, f"{app.exception[0].value[:200]} {what!r:.300}"
    bugs = [each.value for each in app.error if BUG in each.value]
    assert not bugs, f"{bugs[0]} {what!r:.300}"


def addresses(rng: random.Random) -> None:
    """Open a view through a link with hostile values of its own and of other fields, and a packed text."""
    place = rng.choice(views())
    own = (*address.SHARED, *address.own_fields(place[0]))
    chosen: list[Field[Any]] = rng.sample(own, min(len(own), rng.randint(1, 6)))
    link = {field.name: asked(rng, field) for field in chosen}
    if rng.random() < 0.4:
        link |= {"t": made.clean(packed(rng)), "input": "paste"}
    healthy(opened(place, link), (place, link))


def states(rng: random.Random) -> None:
    """Put values of any kind into the session under the names of a page's fields, and draw the page."""
    place = rng.choice(views())
    app = opened(place, {})
    own = (*address.SHARED, *address.own_fields(place[0]))
    found = {field.name: _held(rng, field) for field in rng.sample(own, min(len(own), rng.randint(1, 3)))}
    for name, value in found.items():
        app.session_state[name] = value
    healthy(app._run(None), (place, found))  # `run` would read the controls, and cannot read these values


def _held(rng: random.Random, field: Field[Any]) -> Any:
    """A value that a forged message could leave in a field: of its own type, or of another."""
    if rng.random() < 0.3:
        return made.value(rng)
    if isinstance(field.default, str):
        return asked(rng, field)
    return rng.choice((made.number(rng), 10**6, -1, field.default))


def controls(rng: random.Random) -> None:
    """Send hostile values of some controls, then draw the page once more."""
    place = rng.choice(views())
    app = opened(place, {})
    found = [each for each in elements(app) if each.type not in ("bidi_component", "file_uploader")]
    sent = [state for each in rng.sample(found, min(len(found), rng.randint(1, 3))) for state in _states(rng, each)]
    _send(app, sent, place)


def components(rng: random.Random) -> None:
    """Send hostile messages of the components and charts of a page."""
    place = rng.choice(views())
    app = opened(place, {})
    found = [each for each in elements(app) if each.type in ("bidi_component", "plotly_chart", "dataframe")]
    sent = [state for each in rng.sample(found, min(len(found), rng.randint(1, 3))) for state in _states(rng, each)]
    _send(app, sent, place)


def files(rng: random.Random) -> None:
    """Bring a damaged file to a page that takes files, then look at its other views."""
    path, view = rng.choice(
        (("decoding", "branches"), ("errors", "examples"), ("training", "curves"), ("summarize", "summarize"))
    )
    choice = address.page_at(path).view.name  # type: ignore[attr-defined]
    app = opened((path, choice, view), {"input": "upload"} if path == "summarize" else {})
    boxes = [each for each in elements(app) if each.type == "file_uploader"]
    maker = {
        "decoding": lambda: (".zip", uploads.branch_data(rng)),
        "errors": lambda: uploads.rows_data(rng) if rng.random() < 0.7 else (".jsonl", uploads.labels_data(rng)),
        "training": lambda: (".csv", uploads.history_data(rng)),
        "summarize": lambda: (rng.choice((".txt", ".json")), uploads.dialogue_data(rng)),
    }[path]
    ending, data = maker()
    name = rng.choice(("a", "x" * 300, "../a", "é", "<b>")) + ending
    box = rng.choice(boxes)
    box._files = [(name, name, data, "")]  # as `upload`, which refuses a name of another ending
    app.run()
    healthy(app, (path, name))
    others = list(address.page_at(path).views)  # type: ignore[attr-defined]
    if len(others) > 1:
        app.session_state[choice] = rng.choice(others)
        healthy(app._run(None), (path, name, app.session_state[choice]))


def elements(app: AppTest) -> list[Any]:
    """Return what a browser could send a value of, without what starts long work."""
    found = [each for block in (app.main, app.sidebar) for each in block if getattr(each, "proto", None) is not None]
    found = [each for each in found if getattr(each.proto, "id", "")]
    return [each for each in found if each.type != "button" or not _starts(each)]


def _starts(button: Any) -> bool:
    said = f"{button.key} {button.proto.label}".lower()
    return any(part.lower() in said for part in TRAINING)


def _states(rng: random.Random, each: Any) -> Iterator[WidgetState]:
    """States of a control as a forged browser sends them; one in six is of another kind than the control's."""
    kind = each.type if rng.random() > 1 / 6 else rng.choice(list(_MAKERS))
    if kind == "bidi_component":
        yield _component(rng, each)
    elif kind in _MAKERS:
        state = WidgetState(id=each.proto.id)
        with contextlib.suppress(ValueError, TypeError):  # what no message can hold
            _MAKERS[kind](rng, state, each.proto)
        yield state


def _component(rng: random.Random, each: Any) -> WidgetState:
    """A message of a component: an event or a state, nearly honest or of any kind."""
    name = str(getattr(each.proto, "component_name", "")).removeprefix("dialoscope_")
    honest = EVENTS.get(name, {"pick": 1})
    event, value = rng.choice(list(honest.items()))
    value = made.varied(rng, value, rng.choice((0.0, 0.4, 1.0))) if rng.random() < 0.8 else made.value(rng)
    if rng.random() < 0.3:
        state = rng.choice(({event: value}, value, {"value": {event: value}}, {}, {made.clean(made.piece(rng)): 1}))
        text = json.dumps(state) if rng.random() > 0.05 else rng.choice(("{", "", "NaN", "[" * 5000))
        return WidgetState(id=each.proto.id, json_value=text)
    sent = rng.choice(([{"event": event, "value": value}],) * 5 + ({"event": event}, [value], value, [None], []))
    text = json.dumps(sent) if rng.random() > 0.05 else rng.choice(("{", "", "[" * 5000))
    return WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{each.proto.id}__events", json_trigger_value=text)


def _text(rng: random.Random, proto: Any) -> str:
    options = [*getattr(proto, "options", ())]
    if options and rng.random() < 0.5:
        chosen = rng.choice(options)
        return str(getattr(chosen, "content", chosen))
    return made.clean(rng.choice((made.piece(rng), made.text(rng), "", "5", "x" * 300_000)))


def _number(rng: random.Random, proto: Any) -> float:
    low, high = float(getattr(proto, "min", 0)), float(getattr(proto, "max", 9))
    inside = rng.uniform(low, high) if high - low < 1e300 else 0.0
    return float(rng.choice((made.number(rng), made.number(rng), low, high, inside, low - 1, high + 1)))


def _selection(rng: random.Random) -> str:
    """What a chart or a table sends when something in it was chosen, or an edit of a table."""
    point = {"customdata": [made.number(rng)], "x": made.value(rng), "point_index": 3, "curve_number": 0}
    chosen = {
        "points": [point],
        "point_indices": [0],
        "box": [],
        "lasso": [],
        "rows": [made.number(rng)],
        "columns": [],
        "cells": [[made.number(rng), "Id"]],
    }
    edited = {"edited_rows": {"0": {"1": made.number(rng)}}, "added_rows": [], "deleted_rows": []}
    found = rng.choice(({"selection": chosen}, edited, {}, []))
    text = json.dumps(made.varied(rng, found, rng.choice((0.0, 0.3, 0.8))))
    return text if rng.random() > 0.05 else rng.choice(("", "{", "[" * 5000))


def _numbers(rng: random.Random, state: WidgetState, proto: Any) -> None:
    state.double_array_value.data.extend(_number(rng, proto) for _ in range(rng.choice((1, 1, 1, 1, 2, 0))))


def _texts(rng: random.Random, state: WidgetState, proto: Any) -> None:
    state.string_array_value.data.extend(_text(rng, proto) for _ in range(rng.choice((1, 1, 1, 0, 2, 90))))


_MAKERS: dict[str, Any] = {
    "number_input": lambda rng, state, proto: setattr(state, "double_value", _number(rng, proto)),
    "slider": _numbers,
    "selectbox": lambda rng, state, proto: setattr(state, "string_value", _text(rng, proto)),
    "text_input": lambda rng, state, proto: setattr(state, "string_value", _text(rng, proto)),
    "text_area": lambda rng, state, proto: setattr(state, "string_value", _text(rng, proto)),
    "button_group": _texts,
    "multiselect": _texts,
    "checkbox": lambda rng, state, proto: setattr(state, "bool_value", rng.random() < 0.5),
    "toggle": lambda rng, state, proto: setattr(state, "bool_value", rng.random() < 0.5),
    "button": lambda rng, state, proto: setattr(state, "trigger_value", True),
    "dataframe": lambda rng, state, proto: setattr(state, "string_value", _selection(rng)),
    "plotly_chart": lambda rng, state, proto: setattr(state, "string_value", _selection(rng)),
    "integer": lambda rng, state, proto: setattr(state, "int_value", rng.choice((0, -1, 2**31, 7))),
    "bytes": lambda rng, state, proto: setattr(state, "bytes_value", b"\x80\x04"),
    "json": lambda rng, state, proto: setattr(state, "json_value", json.dumps(made.value(rng))),
}
"""What sets the state of a control of each type, and three kinds that none has."""


def _send(app: AppTest, sent: list[WidgetState], place: tuple[str, str, str]) -> None:
    states = app._tree.get_widget_states()
    replaced = {each.id for each in sent}
    kept = [each for each in states.widgets if each.id not in replaced]
    del states.widgets[:]
    states.widgets.extend([*kept, *sent])
    app._run(states)
    what = (place, [str(each)[-160:] for each in sent])
    healthy(app, what)
    healthy(app._run(None), what)


FAMILIES = (
    Family("addresses", "every view through links with hostile values", 600, addresses, prepare=warm),
    Family("states", "fields in the session that hold values of any kind", 300, states, prepare=warm),
    Family("controls", "forged values of controls on every view", 600, controls, prepare=warm),
    Family("components", "forged messages of components, charts and tables", 600, components, prepare=warm),
    Family("files", "damaged files that are brought to pages", 300, files, prepare=warm),
)
