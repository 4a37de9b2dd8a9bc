"""A visitor without a browser: it speaks the protocol of Streamlit over a websocket, and may send what no widget sends.

The messages are Streamlit's own; so tests can forge values, and `benchmarks/load.py` can be thirty visitors at once.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

STATE = {
    "slider": "double_array_value", "number_input": "double_value", "text_input": "string_value",
    "text_area": "string_value", "selectbox": "string_value", "button_group": "string_array_value",
    "button": "trigger_value", "checkbox": "bool_value",
}  # fmt: skip
"""For each kind of widget the field of its state."""
LARGEST = 64 * 1024 * 1024


class Visitor:
    """One session.

    Args:
        url: of the app.

    Attributes:
        widgets: kind, id and fragment of each widget that was drawn, by its key.
        drawn: keys of the widgets that the last run drew.
        texts: what the last run wrote: Markdown, captions, messages, and what components hold.
        error: whether the last run drew an exception.
        received: bytes of all messages.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.url = f"ws://{parts.netloc}/_stcore/stream"
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.page, self.query, self.script = "", "", ""
        self.widgets: dict[str, tuple[str, str, str]] = {}
        self.drawn: set[str] = set()
        self.texts: list[str] = []
        self.error = False
        self.received = 0
        self._states: dict[str, WidgetState] = {}
        self._socket: ClientConnection | None = None

    async def __aenter__(self) -> "Visitor":
        self._socket = await connect(
            self.url,
            origin=self.origin,
            max_size=LARGEST,
            subprotocols=["streamlit"],
            open_timeout=60,
            ping_interval=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def open(self, page: str = "", query: str = "", seconds: float = 120) -> float:
        """Open a page with the query of its address; return the seconds until it is drawn."""
        self.page, self.query, self.script = page, query, ""
        self._states.clear()
        return await self.run(seconds=seconds)

    async def set(self, key: str, value: object, field: str | None = None, seconds: float = 120) -> float:
        """Change a widget and return the seconds until the page is drawn again.

        Args:
            key: of the widget in the app.
            value: as its state holds it.
            field: of the state; the right one for its kind if None.
            seconds: after which TimeoutError is raised.
        """
        kind, id, fragment = self.widgets[key]
        field = field or STATE[kind]
        state = WidgetState(id=id)
        held = list(value) if isinstance(value, list | tuple) else [value] if "array" in field else value
        if "array" in field:
            getattr(state, field).data.extend(held)
        else:
            setattr(state, field, held)
        self._states[id] = state
        try:
            return await self.run(fragment=fragment, seconds=seconds)
        finally:
            if field == "trigger_value":
                del self._states[id]

    async def run(self, fragment: str = "", seconds: float = 120) -> float:
        """Ask for a run, and return the seconds until it is over; what it draws is in the attributes."""
        self.drawn, self.texts, self.error = set(), [], False
        message = BackMsg()
        client = message.rerun_script
        client.query_string, client.page_script_hash, client.fragment_id = self.query, self.script, fragment
        client.page_name = self.page
        client.widget_states.widgets.extend(self._states.values())
        started = time.perf_counter()
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(seconds):
            while not await self._receive():
                pass
        return time.perf_counter() - started

    async def until(self, key: str, seconds: float = 90) -> None:
        """Ask again every second until a widget or a component is drawn; a model may be loading."""
        async with asyncio.timeout(seconds):
            while key not in self.widgets:
                await asyncio.sleep(1)
                await self.run()

    @property
    def said(self) -> str:
        """All that the last run wrote."""
        return "\n".join(self.texts)

    async def _receive(self) -> bool:
        """Take one message; return whether a run is over that nothing follows at once."""
        assert self._socket is not None
        data = await self._socket.recv()
        assert isinstance(data, bytes)
        self.received += len(data)
        message = ForwardMsg.FromString(data)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.script = message.new_session.page_script_hash
        elif kind == "navigation":  # the page that a link by name leads to
            self.script = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._draw(message.delta.new_element, message.delta.fragment_id)
        return kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _draw(self, element: Any, fragment: str) -> None:
        kind = element.WhichOneof("type")
        drawn = getattr(element, kind)
        self.error = self.error or kind == "exception"
        for name in ("body", "json", "label"):
            text = getattr(drawn, name, None)
            if isinstance(text, str) and text:
                self.texts.append(text)
        id = getattr(drawn, "id", "")
        if isinstance(id, str) and id.startswith("$$ID-"):
            key = id.split("-", 2)[2]
            self.drawn.add(key)
            self.widgets[key] = (kind, id, fragment)


async def events(url: str, code: str, who: str) -> AsyncIterator[dict[str, Any]]:
    """Give what the server tells a follower of a class, or its presenter; raises AssertionError where it refuses."""
    parts = urlsplit(url)
    while True:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        query = urlencode({"code": code, "who": who})
        writer.write(f"GET /following?{query} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
        try:
            status = await reader.readline()
            assert b" 200 " in status, status
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        finally:
            writer.close()
