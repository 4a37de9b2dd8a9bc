"""Requests that come too late: of a page that was left, and of a timer that does not know yet what the page has set.

Of a page that was left, a part asks to be drawn again when another page is already on its way. Streamlit would answer
after the new page, in the name of the old one; the browser then takes the new page's elements away, and the next one
finds no place ("Bad delta path index"). So the request is dropped: its page is gone.

A timer (`st.fragment(run_every=…)`) makes the browser send the value of every control, too. While an answer is on its
way, these are the values of before: the file that was just brought would not be the chosen one any more. Whoever
changes a control sends a request for that, so a timer has no news: its values are left out. So a part with a timer may
hold buttons, but no control whose value the app sets: each tick would set it again.
"""

from collections.abc import Callable
from dataclasses import replace

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

LARGEST = 1 << 16
"""Bytes of a message that may begin a run; larger ones carry elements and are not looked at."""
_request: Callable[[ScriptRequests, RerunData], bool] = ScriptRequests.request_rerun


def begun(payload: bytes) -> str | None:
    """Return the hash of the page that a message to the browser begins to draw; None if it does not begin one.

    The first message of a run names the page that was asked for, the menu's the one that a link to a name leads to.
    """
    if len(payload) > LARGEST:
        return None
    message = ForwardMsg.FromString(payload)
    kind = message.WhichOneof("type")
    return getattr(message, kind).page_script_hash if kind in ("new_session", "navigation") else None


def is_late(payload: bytes, page: str) -> bool:
    """Return whether a message from the browser asks for a part of another page than `page`, a hash."""
    try:
        asked = BackMsg.FromString(payload)
    except DecodeError:
        return False  # the app refuses it
    if asked.WhichOneof("type") != "rerun_script" or not asked.rerun_script.fragment_id:
        return False
    return bool(page) and asked.rerun_script.page_script_hash not in ("", page)


class StaleRequests:
    """Drop what comes from a page that was left.

    Args:
        app: the app behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; of a websocket, follow which page it draws."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        page = ""

        async def send_and_follow(message: Message) -> None:
            nonlocal page
            if payload := message.get("bytes"):
                page = begun(payload) or page
            await send(message)

        async def receive_in_time() -> Message:
            message = await receive()
            while (payload := message.get("bytes")) and is_late(payload, page):
                message = await receive()
            return message

        await self.app(scope, receive_in_time, send_and_follow)


def _request_of_timer(requests: ScriptRequests, asked: RerunData) -> bool:
    """Ask for a run; that of a timer begins with the values that the session has."""
    return _request(requests, replace(asked, widget_states=None) if asked.is_auto_rerun else asked)


ScriptRequests.request_rerun = _request_of_timer  # type: ignore[assignment, method-assign]
