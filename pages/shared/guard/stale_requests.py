"""Requests of a page that was left: a part of it that asks to be drawn again when another page is already on its way.

Streamlit would answer such a request after the new page, in the name of the old one; the browser then takes the new
page's elements away, and the next one finds no place ("Bad delta path index"). So it is dropped: its page is gone.
"""

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LARGEST = 1 << 16
"""Bytes of a message that may begin a run; larger ones carry elements and are not looked at."""


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
