"""Links, values of controls, messages of components and files that no honest browser would send: no page breaks."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.shared.place import declarations
from tests.damage.kinds import KINDS
from tests.fuzz.conftest import House
from tests.fuzz.hostile import changed, clean, dialogues, numbers, values, varied
from tests.fuzz.test_texts import PAGES, asked, packed
from tests.fuzz.tried import cases, tried
from tests.layering import ROOT

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
TRAINING = ("start", "train", "lesson", "dialogsum", "ask_many")
"""Parts of the keys and labels of buttons that start long work; they are pressed elsewhere."""
VIEWS = [
    (page, declarations.page_at(page).view.name, view) for page in PAGES for view in declarations.page_at(page).views
]
FORMS = {kind.name: kind for kind in KINDS}
FILES = {
    "decoding": ("branches", ("branches on Decoding", "a trace on Decoding")),
    "errors": ("examples", ("rows on Errors", "labels on Errors", "a corpus on Errors", "a table on Errors")),
    "training": ("curves", ("a history on Training",)),
    "summarize": ("summarize", ("a dialogue, JSON", "a dialogue, text")),
}
"""Of each page that takes files the view with the box, and the kinds."""
broken = st.sampled_from(("{", "", "NaN", "[" * 5000))
views = st.sampled_from(VIEWS)


@st.composite
def selections(draw: Any) -> str:
    """What a chart or a table sends when something in it was chosen, or an edit of a table."""
    point = {"customdata": [draw(numbers)], "x": draw(values), "point_index": 3, "curve_number": 0}
    chosen = {"points": [point], "point_indices": [0], "box": [], "lasso": []}
    chosen |= {"rows": [draw(numbers)], "columns": [], "cells": [[draw(numbers), "Id"]]}
    edited = {"edited_rows": {"0": {"1": draw(numbers)}}, "added_rows": [], "deleted_rows": []}
    return json.dumps(draw(varied(draw(st.sampled_from(({"selection": chosen}, edited, {}, []))))))


OTHER = ("double_value", "string_value", "json_value", "int_value", "bytes_value", "trigger_value")
forgery = st.fixed_dictionaries(
    {
        "which": st.integers(0, 10**6),
        "frame": st.integers(0, 63),
        "other": st.just("") | st.just("") | st.sampled_from(OTHER),
        "number": numbers.map(
            lambda value: value if isinstance(value, float) else float(max(min(value, 10**300), -(10**300)))
        ),
        "text": clean | dialogues.map(lambda text: text.encode("utf-8", "replace").decode()) | st.just("x" * 300_000),
        "value": values,
        "selection": selections() | broken,
        "broken": broken,
    }
)
"""What a forged message holds, whichever control of a page gets it: what a page shows depends on the runs before."""


def opened(place: tuple[str, str, str], **link: str) -> AppTest:
    """Open a view in a new session."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=240)  # the first view compiles
    page, name, view = place
    app.query_params.update({name: view} | link)
    return healthy(app.switch_page(f"pages/{page}.py").run())


def healthy(app: AppTest) -> AppTest:
    """No traceback on the page, and no message of the error boundary."""
    assert not app.exception, app.exception[0].value
    assert not [each.value for each in app.error if "Something went wrong here" in each.value]
    return app


def of_page(data: Any, page: str, most: int) -> list[Any]:
    """Draw some fields of a page."""
    own = (*declarations.SHARED, *declarations.own_fields(page))
    return data.draw(st.lists(st.sampled_from(own), min_size=1, max_size=most, unique_by=id))


@cases(600, seconds=None)
@given(data=st.data(), place=views)
def test_a_link_with_hostile_values_opens(house: House, data: Any, place: Any) -> None:
    link = {field.name: data.draw(asked(field)) for field in of_page(data, place[0], 6)}
    if data.draw(st.booleans()):
        link |= {"t": data.draw(packed).encode("utf-8", "replace").decode(), "input": "paste"}
    with tried():
        opened(place, **link)


@cases(300, seconds=None)
@given(data=st.data(), place=views)
def test_the_session_may_hold_values_of_any_kind(house: House, data: Any, place: Any) -> None:
    page = opened(place)
    for field in of_page(data, place[0], 3):
        page.session_state[field.name] = data.draw(values | asked(field))
    with tried():
        healthy(page._run(None))  # `run` would read the controls, and cannot read these values


@cases(1200, seconds=None)
@given(place=views, forgeries=st.lists(forgery, min_size=1, max_size=3))
def test_forged_messages_are_put_away(house: House, place: Any, forgeries: list[dict[str, Any]]) -> None:
    """Values of controls, components, charts and tables, some of another kind than the control's; then a new run."""
    page = opened(place)
    found = [each for block in (page.main, page.sidebar) for each in block if getattr(each, "proto", None) is not None]
    found = [each for each in found if getattr(each.proto, "id", "") and each.type != "file_uploader"]
    found = [each for each in found if each.type != "button" or not _starts(each)]
    sent = [forged(found[each["which"] % len(found)], each) for each in forgeries]
    states = page._tree.get_widget_states()
    kept = [each for each in states.widgets if each.id not in {each.id for each in sent}]
    del states.widgets[:]
    states.widgets.extend([*kept, *sent])
    with tried():
        page._run(states)
        healthy(page)
        healthy(page._run(None))


def _starts(button: Any) -> bool:
    return any(part in f"{button.key} {button.proto.label}".lower() for part in TRAINING)


@cases(300, seconds=None)
@given(data=st.data(), name=st.sampled_from(("a", "x" * 300, "../a", "é", "<b>")))
@pytest.mark.parametrize("page", FILES)
def test_a_changed_file_is_brought_and_other_views_are_looked_at(
    house: House, whole: Any, page: str, data: Any, name: str
) -> None:
    (view, kinds), declared = FILES[page], declarations.page_at(page)
    kind = FORMS[data.draw(st.sampled_from(kinds))]
    link = {"input": "upload"} if page == "summarize" else {}
    shown = opened((page, declared.view.name, view), **link)
    boxes = [each for block in (shown.main, shown.sidebar) for each in block if each.type == "file_uploader"]
    content = data.draw(changed(kind.form, (whole(kind.make) / kind.file).read_bytes()))
    name += kind.file[kind.file.rindex(".") :]
    box = boxes[data.draw(st.integers(0, 9)) % len(boxes)]
    box._files = [(name, name, content, "")]  # `upload` refuses a name of another ending
    with tried():
        healthy(shown.run())
        shown.session_state[declared.view.name] = data.draw(st.sampled_from(list(declared.views)))
        healthy(shown._run(None))


def forged(each: Any, found: dict[str, Any]) -> WidgetState:
    """The state of a control as a forged browser sends it, sometimes of another kind than the control's."""
    if each.type == "bidi_component":
        return message(each, found)
    low, high = float(getattr(each.proto, "min", 0)), float(getattr(each.proto, "max", 9))
    number = (found["number"], low, high, low - 1, high + 1)[found["frame"] % 5]
    known = [str(getattr(option, "content", option)) for option in getattr(each.proto, "options", ())]
    text = known[found["which"] % len(known)] if known and found["frame"] % 2 else found["text"]
    states = {
        "number_input": ("double_value", number),
        "slider": ("double_array_value", [number] * (1, 1, 1, 2, 0)[found["frame"] % 5]),
        "checkbox": ("bool_value", found["frame"] % 2 == 0),
        "button": ("trigger_value", True),
        "dataframe": ("string_value", found["selection"]),
        "plotly_chart": ("string_value", found["selection"]),
    }
    field, own = states.get(each.type, ("string_value", text))
    if each.type in ("button_group", "multiselect"):
        field, own = "string_array_value", [text] * (1, 1, 1, 2, 0, 90)[found["frame"] % 6]
    made = WidgetState(id=each.proto.id)
    field, own = (found["other"], found["value"]) if found["other"] else (field, own)
    with contextlib.suppress(ValueError, TypeError):  # what no message can hold
        if field.endswith("_array_value"):
            getattr(made, field).data.extend(own)
        else:
            setattr(made, field, own)
    return made


def message(each: Any, found: dict[str, Any]) -> WidgetState:
    """A message of a component: an event or a state, nearly honest or of any kind."""
    name = str(getattr(each.proto, "component_name", "")).removeprefix("dialoscope_")
    event, value = next(iter(EVENTS.get(name, {"pick": 1}).items()))
    frame = found["frame"]
    if isinstance(value, dict) and frame % 3 == 1:
        value = value | {list(value)[found["which"] % len(value)]: found["value"]}
    elif frame % 3:
        value = found["value"]
    if frame % 4 == 3:
        state = ({event: value}, value, {"value": value}, {})[frame // 4 % 4]
        return WidgetState(id=each.proto.id, json_value=found["broken"] if frame > 60 else json.dumps(state))
    sent = ([{"event": event, "value": value}],) * 5 + ({"event": event}, [value], value)
    text = found["broken"] if frame > 60 else json.dumps(sent[frame // 4 % 8])
    return WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{each.proto.id}__events", json_trigger_value=text)
