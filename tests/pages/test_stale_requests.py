"""A part of a page that was left asks to be drawn again: that is dropped; what a timer says of controls is, too."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from pages.shared.guard.stale_requests import LARGEST, StaleRequests, begun, is_late
from tests.loops import run


def new_session(page: str, name: str = "") -> bytes:
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    message.new_session.name = name
    return message.SerializeToString()


def rerun(page: str, fragment: str = "") -> bytes:
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.fragment_id = fragment
    return message.SerializeToString()


def test_only_a_message_that_begins_a_run_names_a_page():
    delta = ForwardMsg()
    delta.delta.new_element.markdown.body = "x"
    assert begun(new_session("tokens")) == "tokens" and begun(delta.SerializeToString()) is None
    assert begun(new_session("tokens", "x" * LARGEST)) is None
    menu = ForwardMsg()
    menu.navigation.page_script_hash = "masks"
    assert begun(menu.SerializeToString()) == "masks"


@pytest.mark.parametrize(
    ("payload", "page", "late"),
    [
        (rerun("decoding", "body"), "scores", True),
        (rerun("scores", "body"), "scores", False),
        (rerun("decoding"), "scores", False),  # the whole page: Back in the browser
        (rerun("", "body"), "scores", False),  # a browser that does not know its page yet
        (rerun("decoding", "body"), "", False),  # no run yet
        (BackMsg(stop_script=True).SerializeToString(), "scores", False),
        (b"\xff\xff nonsense", "scores", False),
    ],
)
def test_late_is_a_part_of_another_page(payload, page, late):
    assert is_late(payload, page) is late


def test_a_websocket_loses_what_comes_too_late_and_nothing_else():
    wanted = [rerun("decoding"), rerun("decoding", "body"), rerun("scores", "body")]
    waiting = [{"type": "websocket.receive", "bytes": each} for each in wanted] + [{"type": "websocket.disconnect"}]
    received: list[bytes] = []
    sent: list[bytes] = []

    async def app(scope, receive, send) -> None:
        received.append((await receive())["bytes"])
        await send({"type": "websocket.send", "bytes": new_session("scores")})
        received.append((await receive())["bytes"])
        assert (await receive())["type"] == "websocket.disconnect"

    async def from_browser() -> dict:
        return waiting.pop(0)

    async def to_browser(message) -> None:
        sent.append(message["bytes"])

    run(StaleRequests(app)({"type": "websocket"}, from_browser, to_browser))
    assert received == [wanted[0], wanted[2]] and sent == [new_session("scores")]


@pytest.mark.parametrize("first", [True, False])
def test_a_timer_says_nothing_of_the_controls(first):
    before, after = (WidgetStates(widgets=[WidgetState(id="data", string_value=name)]) for name in ("ours", "mine"))
    timer = RerunData(fragment_id="timer", is_auto_rerun=True, widget_states=before)
    asked = [timer, RerunData(widget_states=after)]
    requests = ScriptRequests()
    for each in asked if first else reversed(asked):
        requests.request_rerun(each)
    assert requests.on_scriptrunner_ready().rerun_data.widget_states == after
    requests.request_rerun(timer)
    alone = requests.on_scriptrunner_ready().rerun_data
    assert alone.widget_states is None and alone.fragment_id_queue == ["timer"]
