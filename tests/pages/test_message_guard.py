"""What no honest browser sends counts as not sent: the page goes on, keeps what it had, and says so."""

import json
import math

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.shared.guard import message_guard
from tests.pages.driver import element, noted, open_link, send, trigger


@pytest.mark.parametrize(
    ("value", "shape", "right"),
    [
        (1, int, True),
        (True, int, False), (1.5, int, False), (2**60, int, False), (1.5, float, True), (1, float, True),
        (math.nan, float, False), ("1", float, False), (None, None, True), (False, bool, True), (0, bool, False),
        ("x", str, True), ("x" * 2_000_000, str, False), (3, range(3), False), (2, range(3), True),
        (0.5, range(3), False),
        ({"a": 1, "more": 2}, {"a": int}, True), ({}, {"a": int}, False), ([1], {"a": int}, False), ([], [int], True),
        ([1, "x"], [int], False), (None, (int, None), True), ("x", (int, None), False),
    ],
)  # fmt: skip
def test_a_value_has_a_shape(value, shape, right):
    assert message_guard.fits(value, shape) is right


def test_a_shape_in_words():
    shape = {"layer": int, "head": (int, None), "rows": [range(3)], "to": float, "name": str, "on": bool}
    assert message_guard.described(shape) == (
        "{layer: a whole number, head: a whole number or null, rows: a list of a whole number from 0 to 2, "
        "to: a number, name: a text, on: true or false}"
    )


@pytest.mark.parametrize(
    "forged",
    [{"double_value": math.nan}, {"double_value": math.inf}, {"string_value": "x"}, {"json_value": "[" * 5000}],
    ids=["nan", "infinity", "text", "deep"],
)
def test_an_unreadable_number_leaves_what_was_there(app, forged):
    open_link("pages/positions.py", app, pos_length=33)
    box = app.number_input(key="pos_length")
    send(app, WidgetState(id=box.proto.id, **forged))
    assert not app.error and app.session_state["pos_length"] == 33
    assert "The browser sent a value for pos_length that was left out" in noted(app)
    assert "string_value" not in forged or "received: string_value; allowed: double_value" in noted(app)
    app.number_input(key="pos_length").set_value(34).run()
    assert app.session_state["pos_length"] == 34 and not app.exception


def test_a_browser_sends_whole_numbers_in_a_field_of_their_own(app):
    open_link("pages/positions.py", app)
    send(app, WidgetState(id=app.number_input(key="pos_length").proto.id, int_value=9))
    assert app.session_state["pos_length"] == 9 and "left out" not in noted(app)


@pytest.mark.parametrize(
    "text",
    [
        '[{"event": "fork", "value": {"id": "<b>"}}]', '[{"event": "fork", "value": [1]}]', '[{"event": 3}]', "[3]",
        '[{"event": "other", "value": {"id": 5}}]', '[{"event": "fork", "value": {"id": NaN}}]',
    ],
)  # fmt: skip
def test_a_message_of_another_shape_is_refused_with_the_shape(app, text):
    open_link("pages/decoding.py", app)
    table = element(app, "bidi_component", "next_token").proto.id
    send(app, WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{table}__events", json_trigger_value=text))
    assert not app.error and "allowed: fork with {id: a whole number}" in noted(app)


def test_a_token_that_does_not_exist_is_refused(app):
    open_link("pages/decoding.py", app)
    trigger(app, "next_token", "fork", {"id": 10**9}, may_refuse=True)
    assert "there is no such token" in app.error[0].value.lower() and "Something" not in app.error[0].value


@pytest.mark.parametrize(
    ("points", "left_out"),
    [
        ([{}], False), ([{"customdata": [10**6]}], False), ([{"customdata": [-1]}], False),
        ([{"customdata": {"a": 1}}], False), ("x", True), ([3], True), ({"a": 1}, True),
    ],
    ids=str,
)  # fmt: skip
def test_a_click_on_a_point_that_is_not_there_changes_nothing(app, points, left_out):
    open_link("pages/experiments.py", app, experiment="turns")
    chart = element(app, "plotly_chart", "turn_drops").proto.id
    send(app, WidgetState(id=chart, string_value=json.dumps({"selection": {"points": points}})))
    assert not app.error and not app.session_state["turns"]
    assert ("turn_drops that was left out" in noted(app)) == left_out


@pytest.mark.parametrize("rows", [{"0": {"nowhere": 1}}, {"99": {"1": 2.0}}, {"0": {"1": "x"}}], ids=str)
def test_an_edit_of_a_cell_that_is_not_there_is_refused_and_the_next_one_is_taken(app, rows):
    open_link("pages/attention_lab.py", app)
    table = app.get("dataframe")[0]
    send(app, WidgetState(id=table.proto.id, string_value=json.dumps({"edited_rows": rows})))
    assert all("Something" not in each.value for each in app.error)
    app.run()
    assert not app.error and not app.exception


@pytest.mark.parametrize("state", ['""', "[]", "3", "null"])
def test_the_state_of_a_component_is_an_object(app, state, caplog):
    open_link("pages/decoding.py", app)
    send(app, WidgetState(id=element(app, "bidi_component", "next_token").proto.id, json_value=state))
    assert not app.error and "allowed: an object" in noted(app)
    assert not [record for record in caplog.records if record.exc_info]


def test_two_dialogs_at_once_are_one(app):
    app.run()
    states = app._tree.get_widget_states()
    pressed = [app.button(key=key).proto.id for key in ("limits", "add_model")]
    states.widgets.extend(WidgetState(id=each, trigger_value=True) for each in pressed)
    app._run(states)
    assert not app.exception and not app.error
    app.run()
    app.button(key="limits").click().run()
    assert not app.exception and not app.error
